"""One table over all variants and table sizes: only where the league asks for it.

Its score is the share of rivals that a bot finishes ahead of, (players - place) / (players - 1),
averaged over its games at each table, and then over the tables with equal weight.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from arena.ratings.arrays import Floats, as_floats, lines
from arena.ratings.leaderboard import CONFIDENT, Rated
from arena.ratings.ranks import chances, rank_ranges
from arena.ratings.t_distribution import t_quantile
from arena.ratings.table import Overall, OverallRow


class _Part(NamedTuple):
    """What one leaderboard says of the bots that played at all tables, in the order of names."""

    shares: Floats
    """The mean share of rivals that each finished ahead of."""
    covariance: Floats
    """Of the shares."""
    freedom: Floats
    games: list[int]


def overall(rated: Sequence[Rated]) -> Overall:
    """Return the table over at least one leaderboard; the tables are taken as independent."""
    everyone = sorted({bot for one in rated for bot in one.games.bots})
    bots = [bot for bot in everyone if all(bot in one.games.bots for one in rated)]
    return Overall(
        rows=_rows(bots, [_part(one, bots) for one in rated]) if bots else [],
        tables=tuple((one.board.variant, one.board.players) for one in rated),
        absent=tuple(bot for bot in everyone if bot not in bots),
    )


def _part(one: Rated, bots: Sequence[str]) -> _Part:
    rivals = one.board.players - 1
    rows = {row.bot: row for row in one.board.rows}
    places = as_floats([rows[bot].mean_place for bot in bots])
    at = [one.games.bots.index(bot) for bot in bots]
    covariance = one.spread.place[np.ix_(at, at)] / rivals**2
    games = [rows[bot].games for bot in bots]
    return _Part((rivals + 1 - places) / rivals, covariance, one.spread.freedom[at], games)


def _rows(bots: Sequence[str], parts: Sequence[_Part]) -> list[OverallRow]:
    scores = as_floats(sum(part.shares for part in parts) / len(parts))
    covariance = as_floats(sum(part.covariance for part in parts) / len(parts) ** 2)
    variance, freedom = covariance.diagonal(), _freedom(parts)
    half = t_quantile(CONFIDENT, freedom) * np.sqrt(np.maximum(variance, 0.0))
    best, worst = rank_ranges(chances(scores, freedom, covariance))
    columns = {
        "score": scores,
        "low": np.maximum(scores - half, 0.0),
        "high": np.minimum(scores + half, 1.0),
        "best": best,
        "worst": worst,
        "games": np.sum([part.games for part in parts], 0),
    }
    rows = [OverallRow(bot, **line) for bot, line in zip(bots, lines(columns), strict=True)]
    return sorted(rows, key=lambda row: (-row.score, row.bot))


def _freedom(parts: Sequence[_Part]) -> Floats:
    """Return the degrees of freedom of the scores' variances: Satterthwaite's."""
    variances = [part.covariance.diagonal() for part in parts]
    total = as_floats(sum(variances)) ** 2
    squares = as_floats(
        sum(one * one / part.freedom for one, part in zip(variances, parts, strict=True))
    )
    return as_floats(np.divide(total, squares, np.full(len(total), inf), where=squares > 0.0))
