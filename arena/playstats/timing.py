"""How long a league took, by the times in its store, without the pauses between runs."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from arena.playstats.fixture_summary import FixtureSummary


class StoredAt(Struct, frozen=True, order=True):
    """When a fixture was stored, in seconds since 1970, and how long it took, in seconds."""

    stored_at: float
    seconds: float
    games: int
    decisions: int
    index: int
    """The fixture's place in the schedule, from 0."""


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


def stored_times(summaries: Iterable[FixtureSummary]) -> list[StoredAt]:
    """Return when each fixture was stored, if that is known."""
    return [
        StoredAt(one.stored_at, one.seconds, len(one.games), one.decisions, one.fixture.index)
        for one in (summary.result for summary in summaries)
        if one.stored_at is not None
    ]


def timing(known: Sequence[StoredAt], start: float) -> Timing | None:
    """Return how long a league took, or None if no time is known.

    `start` is how long a bot may take to be ready. A table cannot have been at play for longer than
    that and its own time, so whatever else lies between two of them was a pause.
    """
    if not known:
        return None
    order = sorted(known)
    wall = order[0].seconds + sum(
        min(after.stored_at - before.stored_at, after.seconds + start)
        for before, after in pairwise(order)
    )
    return Timing(
        order[0].stored_at,
        order[-1].stored_at,
        wall,
        sum(one.seconds for one in order),
        sum(one.games for one in order),
        sum(one.decisions for one in order),
    )
