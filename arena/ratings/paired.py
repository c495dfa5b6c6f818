"""Two versions against the same field on the same dice: which is better, and how sure that is."""

from collections.abc import Sequence
from math import atan, cos, inf, pi, sin, sqrt
from statistics import fmean, stdev

from msgspec import Struct

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
    reach = _quantile(_TAIL, freedom) * error
    score = mean / error if error else inf * mean if mean else 0.0
    return Paired(
        old=fmean(old),
        new=fmean(new),
        difference=mean,
        low=mean - reach,
        high=mean + reach,
        above=student(score, freedom),
    )


def student(t: float, freedom: int) -> float:
    """Return the probability that Student's t with `freedom` degrees of freedom is below t.

    The closed form for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
    """
    angle = atan(t / sqrt(freedom))
    odd, square = freedom % 2, cos(angle) ** 2
    term = total = cos(angle) if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    if odd:
        within = 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0.0))
    else:
        within = sin(angle) * total
    return (1 + within) / 2


def _quantile(share: float, freedom: int) -> float:
    """Return the t below which a share above one half of the distribution lies."""
    low, high = 0.0, 1.0
    while student(high, freedom) < share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < share else (low, middle)
    return high
