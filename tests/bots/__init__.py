"""Tests of arena.bots."""
