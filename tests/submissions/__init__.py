"""Tests of arena.submissions."""
