"""A stored game put to another build of a bot, or to a debugger."""
