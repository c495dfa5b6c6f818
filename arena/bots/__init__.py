"""Bots: what an author hands in, how it is built, and how it is run and asked."""
