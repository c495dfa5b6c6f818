"""Looking at a comparison several times before its end, without being wrong more often.

The looks are planned, and at each the difference must exceed more standard errors than at a single
one: c (blocks / all blocks) ** -1/4 (Wang and Tsiatis, "Approximately optimal one-parameter
boundaries for group sequential trials", Biometrics 1987), with the c for which a difference of 0
ever exceeds its bound with the probability alpha. It follows from the distribution of what has not
exceeded its bound, look by look (Armitage, McPherson and Rowe, "Repeated significance tests on
accumulating data", JRSS A 1969).
"""

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np
from numpy.polynomial.legendre import leggauss

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.t_distribution import normal_cdf

_MOST_LOOKS = 20
_MIN_BLOCKS, _MIN_PAIRS = 4, 8
"""Blocks and pairs of tables between looks: of fewer, the variance is not known well enough."""
_SHAPE = 0.25
"""Between 0, which hardly ever stops early, and 1/2, which pays most for it at the end."""
_NODES = 100
_STEPS = 40
_MIN_TAIL = 1e-9
"""Smaller probabilities beyond an end count as this one, whose quantile is still exact."""


def planned_looks(blocks: int, opponents: int) -> tuple[int, ...]:
    """Return after how many blocks to look; the last look is the end."""
    pairs = blocks * opponents
    count = max(1, min(_MOST_LOOKS, blocks // _MIN_BLOCKS, pairs // _MIN_PAIRS))
    return tuple(-(-blocks * look // count) for look in range(1, count + 1))


def tails(looks: Sequence[int], confidence: float) -> list[float]:
    """Return the probability beyond either end of the interval of each look.

    The intervals of all looks hold at once with that confidence (Jennison and Turnbull, "Interim
    analyses: the repeated confidence interval approach", JRSS B 1989).
    """
    times, grid = as_floats(looks) / looks[-1], leggauss(_NODES)
    low, high = 0.0, 8.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _within(middle * times**_SHAPE, times, grid) < confidence:
            low = middle
        else:
            high = middle
    beyond = normal_cdf(-high * times ** (_SHAPE - 0.5))
    return [max(float(tail), _MIN_TAIL) for tail in beyond]


def _within(bounds: Floats, times: Floats, grid: tuple[Floats, Floats]) -> float:
    """Return how probably Brownian motion is within its bounds at all of these times."""
    node, weight = grid
    at, mass, before = np.zeros(1), np.ones(1), 0.0
    for bound, time in zip(bounds, times, strict=True):
        step = time - before
        steps = bound * node[:, None] - at
        density = np.exp(-(steps**2) / (2.0 * step)) @ mass / sqrt(2.0 * pi * step)
        at, mass, before = bound * node, density * bound * weight, time
    return float(mass.sum())
