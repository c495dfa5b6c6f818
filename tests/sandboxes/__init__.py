"""Tests of arena.sandboxes."""
