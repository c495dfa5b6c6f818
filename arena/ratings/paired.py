"""Two versions against the same field on the same dice: which is better, and how sure that is."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import fmean, stdev

from msgspec import Struct

from arena.ratings.t_distribution import t_cdf, t_quantile

_TAIL = 0.975
"""What lies below the upper end of a 95 % interval."""


class Paired(Struct, frozen=True):
    """A figure of two versions, and the difference new - old with its 95 % interval."""

    old: float
    new: float
    difference: float
    low: float
    high: float
    above: float
    """The probability that the difference is above 0; one half where nothing speaks for either."""


def paired(old: Sequence[float], new: Sequence[float]) -> Paired:
    """Compare a figure of two versions block by block; at least two blocks.

    Differences of blocks are taken for normal: Student's t, with one degree of freedom less than
    there are blocks. The probability is the one that a flat prior leads to.
    """
    differences = [b - a for a, b in zip(old, new, strict=True)]
    mean, freedom = fmean(differences), len(differences) - 1
    error = stdev(differences) / sqrt(len(differences))
    reach = float(t_quantile(_TAIL, freedom)) * error
    score = mean / error if error else inf * mean if mean else 0.0
    return Paired(
        old=fmean(old),
        new=fmean(new),
        difference=mean,
        low=mean - reach,
        high=mean + reach,
        above=float(t_cdf(score, freedom)),
    )
