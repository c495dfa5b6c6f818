"""Replays: which games can be watched, step by step, and the files that hold them."""
