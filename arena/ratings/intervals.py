"""What 95 % means everywhere: quantiles, Wilson's interval, and when two bots are distinguished.

Without numpy, which is slow to import.
"""

from math import inf, sqrt

TAIL = 0.025
"""The probability beyond either end of a 95 % interval."""
UPPER = 1.0 - TAIL
"""The probability below the upper end of a 95 % interval."""
Z95 = 1.96
"""Half the width of a 95 % interval of a normal distribution, in standard deviations."""


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; trials is at least 1."""
    share, square = hits / trials, Z95**2
    centre = share + square / (2 * trials)
    half_width = Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    scale = 1 + square / trials
    # Rounding must not carry an end past what a share can be.
    return max(0.0, (centre - half_width) / scale), min(1.0, (centre + half_width) / scale)


def indistinct_range(comparisons: int) -> tuple[float, float]:
    """Return the probabilities of being better between which two bots are not distinguished.

    With 95 % confidence none of so many comparisons is wrong (Bonferroni).
    """
    tail = TAIL / comparisons if comparisons else inf
    return tail, 1.0 - tail
