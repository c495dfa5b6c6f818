"""One table over all divisions, if the league asks for it.

Its score is the share of rivals that a bot finishes ahead of, (players - place) / (players - 1),
averaged over its games in each division, and then over the divisions with equal weight.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.board.ranks import (
    Field,
    better_probabilities,
    joint_statement,
    large_statement,
    part_of,
)
from arena.ratings.leaderboard_rows import Leaderboard, Overall, OverallRow
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, records
from arena.ratings.maths.intervals import UPPER
from arena.ratings.maths.t_distribution import t_quantile
from arena.ratings.model.posterior import MANY


class Places(NamedTuple):
    """How far the mean places of a division's bots, sorted by name, vary."""

    covariance: Floats
    """The covariance of the skills; in a large field, their variances alone."""
    degrees_of_freedom: Floats

    def variance(self, at: Sequence[int]) -> Floats:
        """Return the variances of some bots."""
        known = self.covariance
        return as_floats((known.diagonal() if known.ndim == 2 else known)[at])

    def among(self, at: Sequence[int]) -> Floats:
        """Return the covariance of some bots; if it is not known, their variances."""
        if self.covariance.ndim == 2:
            return as_floats(self.covariance[np.ix_(at, at)])
        return np.diag(self.variance(at))


class _Shares(NamedTuple):
    """The mean share of rivals that bots finished ahead of in one division."""

    shares: Floats
    variance: Floats
    covariance: Floats | None
    """None in a large field."""
    degrees_of_freedom: Floats
    games: list[int]
    part: Ints
    """The part of the field of each bot; no game links two of them."""


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
        variance=varying.variance(at) / rivals**2,
        covariance=None if len(bots) > MANY else varying.among(at) / rivals**2,
        degrees_of_freedom=varying.degrees_of_freedom[at],
        part=part_of(bots, board.parts),
        games=[rows[bot].games for bot in bots],
    )


def _rows(bots: Sequence[str], divisions: Sequence[_Shares]) -> list[OverallRow]:
    scores = as_floats(sum(division.shares for division in divisions) / len(divisions))
    variance = as_floats(sum(division.variance for division in divisions) / len(divisions) ** 2)
    df = _satterthwaite(divisions)
    half_width = t_quantile(UPPER, df) * np.sqrt(np.maximum(variance, 0.0))
    columns = {
        "bot": np.array(bots, np.object_),
        "score": scores,
        "low": np.maximum(scores - half_width, 0.0),
        "high": np.minimum(scores + half_width, 1.0),
        **_ranks(scores, df, variance, divisions),
        "games": np.sum([division.games for division in divisions], 0),
    }
    rows = sorted(
        records(columns), key=lambda row: (row["best"], row["worst"], -row["score"], row["bot"])
    )
    return [OverallRow(rank=rank, **row) for rank, row in enumerate(rows, 1)]


def _ranks(
    scores: Floats, df: Floats, variance: Floats, divisions: Sequence[_Shares]
) -> Mapping[str, NDArray[Any]]:
    known = [division.covariance for division in divisions if division.covariance is not None]
    part = np.unique([division.part for division in divisions], axis=1, return_inverse=True)[1]
    if not known:
        nobody, error = as_ints([]), np.sqrt(variance)
        field = Field(
            values=scores,
            degrees_of_freedom=df,
            variance=variance,
            columns=lambda chosen: as_floats(-np.outer(error, error[chosen])),
            part=part,
            joint=False,
        )
        return large_statement(field, nobody, nobody).columns
    covariance, separate = as_floats(sum(known) / len(divisions) ** 2), part[:, None] != part
    better = better_probabilities(scores, df, covariance)
    better[separate] = 0.5
    return joint_statement(better, scores, df, covariance, separate).columns


def _satterthwaite(divisions: Sequence[_Shares]) -> Floats:
    """Return the degrees of freedom of the scores' variances (Welch and Satterthwaite)."""
    variances = [division.variance for division in divisions]
    total = as_floats(sum(variances)) ** 2
    degrees = [division.degrees_of_freedom for division in divisions]
    terms = [v * v / df for v, df in zip(variances, degrees, strict=True)]
    squares = as_floats(sum(terms))
    return as_floats(np.divide(total, squares, np.full(len(total), inf), where=squares > 0.0))
