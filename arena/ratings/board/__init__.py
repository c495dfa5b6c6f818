"""Leaderboards: ranks, tables over divisions, and what is kept between reports."""
