"""Two versions against the same field on the same dice: which is better, and how sure that is."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import fmean, stdev

from msgspec import Struct

from arena.ratings.intervals import UPPER
from arena.ratings.t_distribution import t_cdf, t_quantile


class Paired(Struct, frozen=True):
    """A figure of two versions, and the difference new - old with its 95 % interval."""

    old: float
    new: float
    difference: float
    low: float
    high: float
    above: float
    """The probability that the difference is above 0; one half if there is no evidence."""


def paired(old: Sequence[float], new: Sequence[float]) -> Paired:
    """Compare a figure of two versions block by block, over at least two blocks (paired t-test).

    `above` is the posterior probability under a flat prior.
    """
    differences = [after - before for before, after in zip(old, new, strict=True)]
    mean, df = fmean(differences), len(differences) - 1
    error = stdev(differences) / sqrt(len(differences))
    half_width = float(t_quantile(UPPER, df)) * error
    t = mean / error if error else inf * mean if mean else 0.0
    return Paired(
        old=fmean(old),
        new=fmean(new),
        difference=mean,
        low=mean - half_width,
        high=mean + half_width,
        above=float(t_cdf(t, df)),
    )
