"""Tests of arena.sessions."""
