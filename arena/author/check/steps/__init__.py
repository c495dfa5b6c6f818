"""The steps of a check, in groups, and the positions that they put to the bot."""
