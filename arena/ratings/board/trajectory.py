"""Ratings on the way through a division's games, in the order of the schedule.

They are those of the first games alone. So they still hold when more games come, and what an
earlier report found for as many of the same games is not computed again.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from arena.ratings.board.memory import Begin, Entry, Remember, Stop, pack, unpack
from arena.ratings.leaderboard_rows import PastRating, Point
from arena.ratings.maths.arrays import Floats, records
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import Posterior, distinct, posterior, relative_errors
from arena.ratings.model.trueskill import Rating, rate_all
from arena.ratings.variance.luck import Luck, measure, without_luck

_ROUGH = 0.02
"""In mu: points of the past are only drawn."""


class Past(NamedTuple):
    """What the games said before the last one."""

    passed: dict[str, Rating]
    """The ratings of the usual pass after the last stop."""
    points: list[Point]
    """The ratings at all stops but the last."""


def begin_past(
    games: Games, stops: Sequence[Stop], remember: Remember, begin: Begin
) -> Callable[[], Past]:
    """Begin to rate the games up to each stop; return what waits for it."""
    parts = [begin(partial(_make, part, games, stops)) for part in (usual_pass, _points_but_last)]

    def wait() -> Past:
        for name, key, data in chain.from_iterable(made() for made in parts):
            remember(name, key, partial(bytes, data))
        return rate_past(games, stops, remember)

    return wait


def rate_past(games: Games, stops: Sequence[Stop], remember: Remember) -> Past:
    """Rate the games up to each stop."""
    return Past(usual_pass(games, stops, remember), _points_but_last(games, stops, remember))


def _points_but_last(games: Games, stops: Sequence[Stop], remember: Remember) -> list[Point]:
    return [*past_points(games, stops[:-1], remember)]


def _make(
    part: Callable[[Games, Sequence[Stop], Remember], object], games: Games, stops: Sequence[Stop]
) -> list[Entry]:
    """Return all that is to be remembered of a part of the past."""
    made: list[Entry] = []

    def keep(name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        made.append(Entry(name, key, make()))
        return made[-1].data

    part(games, stops, keep)
    return made


def usual_pass(games: Games, stops: Sequence[Stop], remember: Remember) -> dict[str, Rating]:
    """Return the ratings of TrueSkill's usual pass, one game after another, at the last stop.

    It goes on from the last stop that is remembered.
    """
    if not stops:
        return {}
    *earlier, last = stops

    def make() -> bytes:
        first = earlier[-1].games if earlier else 0
        before = usual_pass(games, earlier, remember)
        return pack(rate_all(games.orders(first, last.games), before))

    return unpack(remember(f"usual pass {len(stops)}", last.key, make), dict[str, Rating])


def past_points(games: Games, stops: Sequence[Stop], remember: Remember) -> Iterator[Point]:
    """Yield the ratings at each stop, with a prior mean of 0."""
    for number, stop in enumerate(stops):

        def make(count: int = stop.games) -> bytes:
            first = games.first(count)
            skills = posterior(distinct(first), tolerance=_ROUGH)
            return pack(point(first, skills, measure(first, skills.mu)))

        yield unpack(remember(f"point {number}", stop.key, make), Point)


def point(games: Games, skills: Posterior, luck: Luck | None) -> Point:
    """Return the ratings after games with this solution."""
    present = np.flatnonzero(games.played())
    sigma = np.zeros(games.size)
    sigma[present] = relative_errors(skills.covariance[np.ix_(present, present)])
    return point_of(games, without_luck(luck, skills), sigma)


def point_of(games: Games, mu: Floats, sigma: Floats) -> Point:
    """Return these ratings of the bots that have played."""
    played = games.played()
    present = np.flatnonzero(played)
    columns = {"mu": mu[present], "sigma": sigma[present], "games": played[present]}
    bots = [games.bots[bot] for bot in present]
    ratings = [PastRating(**row) for row in records(columns)]
    return Point(len(games.order), dict(zip(bots, ratings, strict=True)))
