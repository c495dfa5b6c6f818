"""Perudo Arena: a tournament arena for bots that play Perudo."""

__version__ = "0.1.0"
