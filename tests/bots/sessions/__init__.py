"""Tests of arena.bots.sessions."""
