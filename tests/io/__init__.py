"""Tests of arena.config_files."""
