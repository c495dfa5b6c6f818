"""Ratings: a pure fold over stored results."""
