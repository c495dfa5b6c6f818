"""Who is better than whom, and which ranks each bot may hold."""

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.board.confidence_set import may_be_first
from arena.ratings.maths.arrays import Floats, Ints, as_ints, chunks
from arena.ratings.maths.intervals import indistinct_range
from arena.ratings.maths.t_distribution import t_cdf

MAX_T = 1e6
"""No difference counts as more standard errors than this."""


def apart(bots: Sequence[str], field: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Tell, for each pair, whether the two are in different parts of the field."""
    part = part_of(bots, field)
    different: NDArray[np.bool_] = part[:, None] != part
    return different


def part_of(bots: Sequence[str], field: Sequence[Sequence[str]]) -> Ints:
    """Return the number of the part of the field of each bot."""
    number = {bot: at for at, part in enumerate(field) for bot in part}
    return as_ints([number[bot] for bot in bots])


def better_probabilities(values: Floats, df: Floats, covariance: Floats) -> Floats:
    """Return, for each ordered pair, the probability that the first has the higher true value.

    A difference follows Student's t with the smaller degrees of freedom of the two; infinite ones
    mean a known variance.
    """
    n, variance = len(values), np.diag(covariance)
    better, (first, second) = np.full((n, n), 0.5), np.triu_indices(n, 1)
    for chunk in chunks(len(first)):
        i, j = first[chunk], second[chunk]
        difference = np.abs(values[i] - values[j])
        error = np.sqrt(np.maximum(variance[i] + variance[j] - 2 * covariance[i, j], 0.0))
        certain = np.where(difference > 0.0, MAX_T, 0.0)
        t = np.minimum(np.divide(difference, error, out=certain, where=error > 0.0), MAX_T)
        # The smaller probability of the two is exact, even if it is tiny.
        tail, ahead = t_cdf(-t, np.minimum(df[i], df[j])), values[i] > values[j]
        better[i, j] = np.where(ahead, 1.0 - tail, tail)
        better[j, i] = np.where(ahead, tail, 1.0 - tail)
    return better


def ranks(
    better: Floats, values: Floats, df: Floats, covariance: Floats, separate: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """Return the ranks that each bot may hold, and whether the first, by the columns of a table.

    A bot that is clearly worse than another never may be first; pairs that are `separate` are not
    compared.
    """
    ranges = rank_ranges(better)
    first = may_be_first(values, df, covariance, separate) & (ranges["best"] == 1)
    return {**ranges, "may_be_first": first}


def rank_ranges(better: Floats) -> dict[str, Ints]:
    """Return the best and the worst rank that each bot may hold, by the columns of a leaderboard.

    Only bots that are distinguished from it count as better or worse. In at least 95 of 100 leagues
    all true ranks are within `best` and `worst` at once; for the pointwise ones that holds for each
    bot by itself (Mogstad, Romano, Shaikh and Wilhelm, 2024).
    """
    n = len(better)
    best, worst = _rank_ranges(better, comb(n, 2))
    pointwise_best, pointwise_worst = _rank_ranges(better, n - 1)
    return {
        "best": best,
        "worst": worst,
        "pointwise_best": pointwise_best,
        "pointwise_worst": pointwise_worst,
    }


def _rank_ranges(better: Floats, comparisons: int) -> tuple[Ints, Ints]:
    low, high = indistinct_range(comparisons)
    rivals = ~np.eye(len(better), dtype=np.bool_)
    ahead = ((better < low) & rivals).sum(1)
    behind = ((better > high) & rivals).sum(1)
    return 1 + ahead, len(better) - behind
