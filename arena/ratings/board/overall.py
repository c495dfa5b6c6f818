"""One table over all divisions, if the league asks for it.

Its score is the share of rivals that a bot finishes ahead of, (players - place) / (players - 1),
averaged over its games in each division, and then over the divisions with equal weight.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.board.ranks import apart, better_probabilities, ranks
from arena.ratings.leaderboard_rows import Leaderboard, Overall, OverallRow
from arena.ratings.maths.arrays import Floats, as_floats, records
from arena.ratings.maths.intervals import UPPER
from arena.ratings.maths.t_distribution import t_quantile


class Places(NamedTuple):
    """How far the mean places of a division's bots, sorted by name, vary."""

    covariance: Floats
    degrees_of_freedom: Floats


class _Shares(NamedTuple):
    """The mean share of rivals that bots finished ahead of in one division."""

    shares: Floats
    covariance: Floats
    degrees_of_freedom: Floats
    games: list[int]
    apart: NDArray[np.bool_]
    """For each pair of bots, whether no game links the two."""


def overall(rated: Sequence[tuple[Leaderboard, Places]]) -> Overall:
    """Return the table over at least one division; divisions count as independent."""
    fields = [{row.bot for row in board.rows} for board, _ in rated]
    everyone, bots = sorted(set().union(*fields)), sorted(set.intersection(*fields))
    return Overall(
        rows=_rows(bots, [_shares(*division, bots) for division in rated]) if bots else [],
        tables=tuple((board.variant, board.players) for board, _ in rated),
        absent=tuple(bot for bot in everyone if bot not in bots),
    )


def _shares(board: Leaderboard, varying: Places, bots: Sequence[str]) -> _Shares:
    rivals = board.players - 1
    rows = {row.bot: row for row in board.rows}
    places = as_floats([rows[bot].mean_place for bot in bots])
    by_name = {bot: at for at, bot in enumerate(sorted(rows))}
    at = [by_name[bot] for bot in bots]
    return _Shares(
        shares=(rivals + 1 - places) / rivals,
        covariance=varying.covariance[np.ix_(at, at)] / rivals**2,
        degrees_of_freedom=varying.degrees_of_freedom[at],
        apart=apart(bots, board.parts),
        games=[rows[bot].games for bot in bots],
    )


def _rows(bots: Sequence[str], divisions: Sequence[_Shares]) -> list[OverallRow]:
    scores = as_floats(sum(division.shares for division in divisions) / len(divisions))
    covariance = as_floats(sum(division.covariance for division in divisions) / len(divisions) ** 2)
    df = _satterthwaite(divisions)
    half_width = t_quantile(UPPER, df) * np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    better = better_probabilities(scores, df, covariance)
    separate = np.any([division.apart for division in divisions], axis=0)
    better[separate] = 0.5
    columns = {
        "bot": np.array(bots, np.object_),
        "score": scores,
        "low": np.maximum(scores - half_width, 0.0),
        "high": np.minimum(scores + half_width, 1.0),
        **ranks(better, scores, df, covariance, separate),
        "games": np.sum([division.games for division in divisions], 0),
    }
    rows = sorted(records(columns), key=lambda row: (-row["score"], row["bot"]))
    return [OverallRow(rank=rank, **row) for rank, row in enumerate(rows, 1)]


def _satterthwaite(divisions: Sequence[_Shares]) -> Floats:
    """Return the degrees of freedom of the scores' variances (Welch and Satterthwaite)."""
    variances = [division.covariance.diagonal() for division in divisions]
    total = as_floats(sum(variances)) ** 2
    degrees = [division.degrees_of_freedom for division in divisions]
    terms = [v * v / df for v, df in zip(variances, degrees, strict=True)]
    squares = as_floats(sum(terms))
    return as_floats(np.divide(total, squares, np.full(len(total), inf), where=squares > 0.0))
