"""Bots: what they are, where they run, and how one talks with them."""
