"""Ratings on the way through a division's games, in the order of the schedule.

They are those of the first games alone. So they still hold when more games come, and what an
earlier report found for as many of the same games is not computed again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np

from arena.ratings.board.memory import Begin, Entry, Remember, Stop, Work, recall, stops
from arena.ratings.leaderboard_rows import PastRating, Point, checkpoints
from arena.ratings.maths.arrays import Floats, records
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import Posterior, distinct, posterior, relative_errors
from arena.ratings.model.trueskill import Rating, rate_all
from arena.ratings.variance.luck import Luck, measure, without_luck

_ROUGH = 0.02
"""How precise skills of the past must be, in mu: they are only drawn."""


class Past(NamedTuple):
    """The solution for all games before the last point."""

    passed: dict[str, Rating]
    """The ratings of the usual pass after the last stop."""
    points: list[Point]
    """The ratings at all stops but the last."""


@contextmanager
def past_of(games: Games, work: Work) -> Iterator[Callable[[], Past]]:
    """Begin to rate the past of a division; yield a function that waits for it."""
    at = stops(games, checkpoints(len(games.order)))
    if work.brief:
        yield lambda: Past({}, [])
    elif work.begin and work.remember:
        yield _begin_past(games, at, work.begin, work.remember)
    elif work.beside is not nullcontext:
        with work.beside(partial(_rate_past, games, at, work.remember)) as past:
            yield past
    else:
        # It is made now, before there are matrices of pairs: those of each point are as large.
        made = _rate_past(games, at, work.remember)
        yield lambda: made


def _begin_past(
    games: Games, at: Sequence[Stop], begin: Begin, remember: Remember
) -> Callable[[], Past]:
    """Begin to rate the games up to each stop in other processes; return what waits for it."""
    waiting = [begin(partial(_entries, rate, games, at)) for rate in (usual_pass, past_points)]

    def past() -> Past:
        for entries in waiting:
            for name, key, data in entries():
                remember(name, key, partial(bytes, data))
        return _rate_past(games, at, remember)

    return past


def _entries(
    rate: Callable[[Games, Sequence[Stop], Remember], object], games: Games, at: Sequence[Stop]
) -> list[Entry]:
    """Rate a part of the past; return all that is to be remembered of it."""
    made: list[Entry] = []

    def keep(name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        made.append(Entry(name, key, make()))
        return made[-1].data

    rate(games, at, keep)
    return made


def _rate_past(games: Games, at: Sequence[Stop], remember: Remember | None) -> Past:
    return Past(usual_pass(games, at, remember), past_points(games, at, remember))


def usual_pass(
    games: Games, at: Sequence[Stop], remember: Remember | None = None
) -> dict[str, Rating]:
    """Return the ratings of TrueSkill's usual pass, one game after another, at the last stop.

    It goes on from the last stop that is remembered.
    """
    if not at:
        return {}
    *earlier, last = at
    if remember is None:
        return rate_all(games.orders(0, last.games))

    def make() -> dict[str, Rating]:
        first = earlier[-1].games if earlier else 0
        return rate_all(games.orders(first, last.games), usual_pass(games, earlier, remember))

    return recall(remember, f"usual pass {len(at)}", last.key, make, dict[str, Rating])


def past_points(games: Games, at: Sequence[Stop], remember: Remember | None = None) -> list[Point]:
    """Return the ratings at each stop but the last, with a prior mean of 0."""

    def make(count: int) -> Point:
        first = games.first(count)
        skills = posterior(distinct(first), tolerance=_ROUGH)
        return point(first, skills, measure(first, skills.mu))

    return [
        recall(remember, f"point {number}", stop.key, partial(make, stop.games), Point)
        for number, stop in enumerate(at[:-1])
    ]


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
