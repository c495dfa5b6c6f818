"""Tests of arena.playstats."""
