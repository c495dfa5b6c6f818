"""Commands of a bot's author."""
