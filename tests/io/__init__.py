"""Tests of arena.io."""
