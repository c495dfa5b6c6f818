"""The learning environment."""
