"""Matches: the referee of a game, the table of a fixture, and what is played outside leagues."""
