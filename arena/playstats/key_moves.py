"""A bot's best and worst moves, each against its alternative, as the bot knew it.

The measure is how many dice a move is expected to cost if the round ended with it. A dudo on a bid
that is true with probability p costs p dice; a bid that is true with probability p costs 1 - p, if
it is doubted at once; a calza costs one die if it is wrong, and gains one if it is right and dice
were lost before. The alternative to a dudo is the most likely legal raise, to a raise a dudo,
to a calza to pass, which costs nothing. A move's edge is what the alternative would have cost more.
How the dice really lay does not count: an unlucky move is not a bad one.

The best are calls that were not obvious: dudos on bids that one who saw no dice at all would have
believed, and calls that the bot's own dice did not prove right.
"""

from bisect import insort
from collections.abc import Collection, Iterable
from typing import Literal

from msgspec import Struct

KEPT = 5
"""Moves that are kept at either end."""


class KeyMove(Struct, frozen=True):
    """One move of one bot, and what it could have done instead. Counts are from 0."""

    variant: str
    players: int
    index: int
    """The fixture's place in the schedule."""
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
    """The same of the alternative; 1 for passing."""
    edge: float
    """By how many dice, on average, the move was better than its alternative."""
    dice: int
    """Dice on the table."""
    right: bool
    """Whether the bid was true, or the call right."""


class KeyMoves(Struct, frozen=True):
    """The best calls of a bot, of those not obvious, and its worst moves; the clearest first."""

    best: tuple[KeyMove, ...] = ()
    worst: tuple[KeyMove, ...] = ()


def merged(found: Collection[KeyMoves]) -> KeyMoves:
    """Return the best and the worst of all."""
    return KeyMoves(
        _clearest([move for one in found for move in one.best], -1),
        _clearest([move for one in found for move in one.worst], 1),
    )


def _clearest(moves: Iterable[KeyMove], sign: int) -> tuple[KeyMove, ...]:
    """Of equals the one with fewer dice on the table comes first: there a die counts for more."""

    def order(one: KeyMove) -> tuple[float, int, int, int, int]:
        return sign * one.edge, one.dice, one.index, one.game, one.step

    return tuple(sorted(moves, key=order)[:KEPT])


class Shortlist:
    """The moves of one seat at one end while games go by: it says early what cannot get in."""

    def __init__(self, *, bad: bool) -> None:
        self._sign = -1 if bad else 1
        self._found: list[tuple[int, int, int, int, KeyMove]] = []
        self._bar = 1

    def takes(self, edge: int) -> bool:
        """Tell whether a move with this edge, in millionths of a die, may be among those kept."""
        return edge * self._sign >= self._bar

    def add(self, edge: int, move: KeyMove) -> None:
        """Add a move that may be among those kept; equal edges are ordered as in `merged`."""
        insort(self._found, (-self._sign * edge, move.dice, move.game, move.step, move))
        if len(self._found) > KEPT:
            self._found.pop()
            self._bar = -self._found[-1][0]

    def kept(self) -> tuple[KeyMove, ...]:
        """Return the moves that stay."""
        return tuple([found[-1] for found in self._found])
