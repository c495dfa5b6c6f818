"""The terms of a playoff."""

from msgspec import Struct


class PlayoffInfo(Struct, frozen=True):
    """The terms of a playoff, which names one winner (`until: winner`)."""

    confidence: float
    """One less the probability that the best bot is ever dropped."""
    games: int
    """The most games that it takes."""
