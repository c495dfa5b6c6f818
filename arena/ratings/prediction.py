"""What ratings predict of a game, and when its result is an upset."""

from collections.abc import Mapping, Sequence
from math import erfc, sqrt

from arena.ratings.table import Row
from arena.ratings.trueskill import BETA

UPSET = 0.1
"""A game is an upset if its winner was less likely than this to beat the best-rated rival."""


def win_probability(row: Row, rival: Row) -> float:
    """Return the probability that a bot finishes a game ahead of a rival, by their ratings."""
    deviation = sqrt(2 * BETA**2 + row.sigma**2 + rival.sigma**2)
    return 0.5 * erfc((rival.mu - row.mu) / deviation / sqrt(2))


def upsets(seats: Sequence[str], rows: Mapping[str, Row]) -> list[bool]:
    """Return, for each seat, whether its win would be an upset; never if a bot is not rated."""
    if not all(bot in rows for bot in seats):
        return [False] * len(seats)
    return [_is_upset(rows[bot], [rows[other] for other in seats if other != bot]) for bot in seats]


def _is_upset(winner: Row, rivals: Sequence[Row]) -> bool:
    return win_probability(winner, max(rivals, key=lambda row: row.mu)) < UPSET
