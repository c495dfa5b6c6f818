"""Two versions of a bot, by pairs of tables that are alike but for the version, dice included.

The pairs are compared opponent by opponent: that the versions differ more against one than against
another is no error of their mean difference over all of them.
"""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct

from arena.ratings.maths.arrays import Floats
from arena.ratings.maths.intervals import TAIL
from arena.ratings.maths.t_distribution import t_cdf, t_quantile


class Paired(Struct, frozen=True):
    """A figure of two versions, and the difference new - old with its interval."""

    old: float
    new: float
    difference: float
    low: float
    high: float
    above: float
    """The probability that the difference is above 0; one half if there is no evidence."""


class Estimate(NamedTuple):
    """The mean of differences over all opponents, its standard error and degrees of freedom."""

    mean: float
    error: float
    df: float


def paired(old: Floats, new: Floats, tail: float = TAIL) -> Paired:
    """Compare a figure of two versions, given [block, opponent] for at least two blocks.

    `tail` is the probability beyond either end of the interval. `above` is the posterior
    probability under a flat prior.
    """
    return _paired(float(old.mean()), float(new.mean()), estimate(new - old), tail)


def pooled(kinds: Sequence[tuple[Floats, Floats]], tail: float = TAIL) -> Paired:
    """Compare a figure of two versions by (old, new) of each pair of tables, kind by kind.

    Needs two pairs of each kind. All kinds have the same weight, however many pairs they have.
    Opponents are not told apart: that the versions differ more against one than against another
    widens the interval.
    """
    parts = [estimate((new - old)[:, None]) for old, new in kinds]
    squares = [part.error**2 / len(parts) ** 2 for part in parts]
    terms = sum(square**2 / part.df for square, part in zip(squares, parts, strict=True))
    df = sum(squares) ** 2 / terms if terms else sum(part.df for part in parts)
    mean = fmean(part.mean for part in parts)
    pooled_estimate = Estimate(mean, sqrt(sum(squares)), df)
    old, new = (fmean(float(shares[which].mean()) for shares in kinds) for which in (0, 1))
    return _paired(old, new, pooled_estimate, tail)


def _paired(old: float, new: float, estimate: Estimate, tail: float) -> Paired:
    mean, error, df = estimate
    half_width = float(t_quantile(1.0 - tail, df)) * error
    t = mean / error if error else inf * mean if mean else 0.0
    return Paired(
        old=old,
        new=new,
        difference=mean,
        low=mean - half_width,
        high=mean + half_width,
        above=float(t_cdf(t, df)),
    )


def clear(figures: Sequence[Paired], tail: float = TAIL) -> list[bool]:
    """Return which differences are distinguished from 0, none of them wrongly but by 2 `tail`.

    Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    beyond = [min(figure.above, 1.0 - figure.above) for figure in figures]
    distinct = [False] * len(figures)
    for rank, which in enumerate(sorted(range(len(figures)), key=beyond.__getitem__)):
        if beyond[which] * (len(figures) - rank) > tail:
            break
        distinct[which] = True
    return distinct


def estimate(differences: Floats) -> Estimate:
    """Return what differences, [block, opponent], say of their mean; needs at least two blocks.

    Its variance is that of a mean of variances that may differ (Satterthwaite, 1946).
    """
    blocks, opponents = differences.shape
    variances = differences.var(0, ddof=1)
    df, squares = opponents * (blocks - 1.0), float((variances**2).sum())
    if squares:
        # Squares of estimates are too large on average: blocks + 1 allows for that.
        df = min(df, (blocks + 1) * float(variances.sum()) ** 2 / squares - 2.0)
    error = sqrt(float(variances.mean()) / differences.size)
    return Estimate(float(differences.mean()), error, df)
