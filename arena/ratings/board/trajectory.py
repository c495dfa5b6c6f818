"""Ratings on the way through a division's games, in the order of the schedule.

They are those of the first games alone. So they still hold when more games come, and what an
earlier report found for as many of the same games is not computed again.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from arena.ratings.board.memory import Remember, Stop, pack, unpack
from arena.ratings.history import PastRating, Point
from arena.ratings.maths.arrays import records
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import Posterior, distinct, posterior, relative_errors
from arena.ratings.model.trueskill import Rating, rate_all
from arena.ratings.variance.luck import Luck, measure, without_luck

_ROUGH = 0.02
"""In mu: points of the past are only drawn."""


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
    played = games.played()
    present = np.flatnonzero(played)
    columns = {
        "mu": without_luck(luck, skills)[present],
        "sigma": relative_errors(skills.covariance[np.ix_(present, present)]),
        "games": played[present],
    }
    bots = [games.bots[bot] for bot in present]
    ratings = [PastRating(**row) for row in records(columns)]
    return Point(len(games.order), dict(zip(bots, ratings, strict=True)))
