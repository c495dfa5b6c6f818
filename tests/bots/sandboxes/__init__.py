"""Tests of arena.bots.sandboxes."""
