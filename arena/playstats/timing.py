"""How long a league took, by the times in its store, without the pauses between runs."""

from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from arena.records import FixtureResult


class Timing(Struct, frozen=True):
    """The time of a league's games, in seconds."""

    began: float
    """When the first fixture was stored, in seconds since 1970."""
    ended: float
    wall: float
    """Time in which something was played."""
    tables: float
    """The same summed over tables, as if they had been played one after another."""
    games: int
    decisions: int

    @property
    def games_per_second(self) -> float:
        """Games per second of wall time."""
        return self.games / self.wall if self.wall else 0.0

    @property
    def decisions_per_second(self) -> float:
        """Answers per second of wall time."""
        return self.decisions / self.wall if self.wall else 0.0


def timing(results: Iterable[FixtureResult], start: float) -> Timing | None:
    """Return how long a league took, or None if it is not known when its fixtures were stored.

    `start` is how long a bot may take to be ready. A table cannot have been at play for longer than
    that and its own time, so whatever else lies between two of them was a pause.
    """
    known = [(one.stored_at, one.seconds, one) for one in results if one.stored_at is not None]
    if not known:
        return None
    known.sort(key=lambda stored: stored[:2])
    wall = known[0][1] + sum(
        min(stored_at - before, seconds + start)
        for (before, _, _), (stored_at, seconds, _) in pairwise(known)
    )
    return Timing(
        began=known[0][0],
        ended=known[-1][0],
        wall=wall,
        tables=sum(seconds for _, seconds, _ in known),
        games=sum(len(one.games) for _, _, one in known),
        decisions=sum(one.decisions for _, _, one in known),
    )
