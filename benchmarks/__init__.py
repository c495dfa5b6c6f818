"""Benchmarks: they measure and are not tests."""
