"""Shared by several benchmarks: stores of generated games, players, and resources used."""
