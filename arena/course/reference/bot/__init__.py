"""A program like any bot: the arena copies it, and imports nothing of it."""
