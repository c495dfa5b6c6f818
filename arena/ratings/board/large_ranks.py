"""Ranks in a large field: as `ranks.py`, some rows of all pairs at a time."""

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.board.confidence_set import may_be_first
from arena.ratings.board.ranks import MAX_T
from arena.ratings.maths.arrays import Floats, Ints, as_floats, chunks
from arena.ratings.maths.intervals import indistinct_range
from arena.ratings.maths.t_distribution import t_cdf, t_quantile

_AT_ONCE = 128
_MOST_FIRST = 1000
"""Of more bots that are not clearly worse than another, each may be first: nothing is drawn."""


class Field(NamedTuple):
    """What ranks are made from."""

    values: Floats
    degrees_of_freedom: Floats
    variance: Floats
    columns: Callable[[Ints], Floats]
    """Returns columns of the values' covariance."""
    part: Ints
    """The part of the field of each bot; no game links two of them."""
    joint: bool = True
    """Whether the columns are those of a covariance, so that errors can be drawn."""

    def distances(self, chosen: Ints) -> Floats:
        """Return by how many standard errors these bots are ahead of all, by columns."""
        difference = self.values[chosen] - self.values[:, None]
        error = self.variance[:, None] + self.variance[chosen] - 2.0 * self.columns(chosen)
        error[chosen, np.arange(len(chosen))] = 0.0
        error = np.sqrt(np.maximum(error, 0.0))
        certain = np.sign(difference) * MAX_T
        t = np.clip(np.divide(difference, error, out=certain, where=error > 0.0), -MAX_T, MAX_T)
        t[self.part[:, None] != self.part[chosen]] = 0.0
        return as_floats(t)


def large_ranks(field: Field, one: Ints, other: Ints) -> tuple[dict[str, NDArray[Any]], Floats]:
    """Return ranks by the columns of a table, and the probability that some are better than others.

    These pairs are in the order of the first of the two.
    """
    size = len(field.values)
    quantiles = [
        t_quantile(1.0 - indistinct_range(comparisons)[0], field.degrees_of_freedom)
        for comparisons in (comb(size, 2), size - 1)
    ]
    counts = np.empty((4, size), np.intp)
    better = np.full(len(one), 0.5)
    for chunk in chunks(size, _AT_ONCE):
        chosen = np.arange(chunk.start, chunk.stop)
        t = field.distances(chosen)
        for at, quantile in enumerate(quantiles):
            clear = np.maximum(quantile[:, None], quantile[chosen])
            counts[2 * at, chunk] = 1 + (t < -clear).sum(0)
            counts[2 * at + 1, chunk] = size - (t > clear).sum(0)
        asked = slice(*np.searchsorted(one, [chunk.start, chunk.stop]))
        i, j = one[asked], other[asked]
        df = np.minimum(field.degrees_of_freedom[i], field.degrees_of_freedom[j])
        better[asked] = t_cdf(t[j, i - chunk.start], df)
    names = ("best", "worst", "pointwise_best", "pointwise_worst")
    ranges: dict[str, NDArray[Any]] = dict(zip(names, counts, strict=True))
    return {**ranges, "may_be_first": _may_be_first(field, counts[0] == 1)}, better


def _may_be_first(field: Field, left: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which of those that are left may be first."""
    chosen = left.nonzero()[0]
    if len(chosen) > _MOST_FIRST or not field.joint:
        return left
    covariance = field.columns(chosen)[chosen]
    np.fill_diagonal(covariance, field.variance[chosen])
    apart = field.part[chosen, None] != field.part[chosen]
    first = left.copy()
    first[chosen] = may_be_first(
        field.values[chosen], field.degrees_of_freedom[chosen], covariance, apart
    )
    return first
