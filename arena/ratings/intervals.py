"""Intervals of shares and means, without the blocks that ratings go by."""

from math import sqrt

Z95 = 1.96
"""Standard deviations either side of the mean that hold 95 % of a normal distribution."""


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; trials is at least 1."""
    share, square = hits / trials, Z95**2
    centre = share + square / (2 * trials)
    spread = Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    scale = 1 + square / trials
    # Rounding must not carry an end past what a share can be.
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
