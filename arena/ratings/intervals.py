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


def mean_and_half(count: int, total: float, squares: float) -> tuple[float, float]:
    """Return the mean of at least one value, and half its 95 % interval (normal).

    `total` is the sum of the values, `squares` the sum of their squares.
    """
    mean = total / count
    variance = max(0.0, squares / count - mean * mean)
    return mean, Z95 * sqrt(variance / count)
