"""A bot's worst moves, each against its alternative, as the bot knew it.

The measure is how many dice a move is expected to cost if the round ended with it. A dudo on a bid
that is true with probability p costs p dice; a bid that is true with probability p costs 1 - p, if
it is doubted at once; a calza costs one die if it is wrong, and gains one if it is right and dice
were lost before. The alternative to a dudo is the most likely legal raise, to a raise a dudo,
to a calza to pass, which costs nothing. A move's edge is what the alternative would have cost more:
that of a mistake is below 0. How the dice really lay does not count: an unlucky move is not a bad
one.
"""

from bisect import insort
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

KEPT = 5
"""Mistakes that are kept for each bot."""


class Mistake(Struct, frozen=True, array_like=True):
    """One bad move of one bot, and what it could have done instead. Counts are from 0."""

    variant: str
    players: int
    index: int
    """The fixture's index in the schedule."""
    game: int
    round: int
    step: int
    """The move's place among the events of its game."""
    seat: int
    action: Literal["bid", "dudo", "calza"]
    quantity: int
    """The bid that lay on the table."""
    face: int
    raised: tuple[int, int] | None
    """The bid that was made, or the most likely one instead of a dudo; None for a calza."""
    chance: float
    """The probability that the move was right, as the bot knew it: the bid true, the call right."""
    instead: float
    """The probability that the alternative was right; 1 for passing."""
    edge: float
    """By how many dice, on average, the move was better than its alternative: below 0."""
    dice: int
    """Dice on the table."""
    right: bool
    """Whether the bid was true, or the call right."""


def worst(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return the worst; of equals the one with fewer dice: there a die counts for more."""

    def order(mistake: Mistake) -> tuple[float, int, int, int, int]:
        return mistake.edge, mistake.dice, mistake.index, mistake.game, mistake.step

    return tuple(sorted(mistakes, key=order)[:KEPT])


class WorstMoves:
    """The worst mistakes of one seat, added game by game."""

    def __init__(self) -> None:
        self._found: list[tuple[int, int, int, int, Mistake]] = []
        self._bar = -1

    def takes(self, edge: int) -> bool:
        """Tell whether a move with this edge, in millionths of a die, may be among the worst."""
        return edge <= self._bar

    def add(self, edge: int, move: Mistake) -> None:
        """Add a move that may be among the worst; equal edges are ordered as in `worst`."""
        insort(self._found, (edge, move.dice, move.game, move.step, move))
        if len(self._found) > KEPT:
            self._found.pop()
            self._bar = self._found[-1][0]

    def kept(self) -> tuple[Mistake, ...]:
        """Return the mistakes that stay."""
        return tuple([entry[-1] for entry in self._found])
