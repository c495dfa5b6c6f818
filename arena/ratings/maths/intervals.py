"""What 95 % means everywhere: confidence, quantiles, Wilson's interval.

Without numpy, which is slow to import.
"""

from functools import lru_cache
from math import sqrt

CONFIDENCE = 0.95
"""From it on a statement is made."""
TAIL = 0.025
"""The probability beyond either end of a 95 % interval."""
UPPER = 1.0 - TAIL
"""The probability below the upper end of a 95 % interval."""
Z95 = 1.96
"""Half the width of a 95 % interval of a normal distribution, in standard deviations."""


_KEPT = 1 << 14
"""Intervals: a report of 200 bots asks 80,000 times for a few thousand of them."""


@lru_cache(maxsize=_KEPT)
def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; trials is at least 1."""
    return score_interval(hits / trials, trials, Z95)


def score_interval(share: float, trials: float, quantile: float) -> tuple[float, float]:
    """Return the interval of a share that is as exact as that of so many independent trials.

    It holds the true shares of which the observed one is at most `quantile` standard errors away
    (Wilson, "Probable inference, the law of succession, and statistical inference", 1927).
    """
    square = quantile**2
    centre = share + square / (2 * trials)
    half_width = quantile * sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    scale = 1 + square / trials
    # Rounding must not carry an end past what a share can be.
    return max(0.0, (centre - half_width) / scale), min(1.0, (centre + half_width) / scale)
