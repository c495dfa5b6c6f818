"""Stored leagues: verified, rated again, mended, pruned."""
