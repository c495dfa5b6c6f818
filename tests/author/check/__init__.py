"""The check of a bot: its steps, and what it says of every usual mistake."""
