"""The state of a ladder at a moment, and what is told as it happens."""
