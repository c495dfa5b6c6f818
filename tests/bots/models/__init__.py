"""Bots that ask language models, and servers that answer, or do not."""
