"""Which bots may be first: the model confidence set.

From the field, the bot that is most clearly worse than another is taken out, again and again, until
no two of those left differ by more than chance explains. With 95 % confidence all of the best are
among them (Hansen, Lunde and Nason, "The model confidence set", Econometrica 2011, with the range
statistic; each bot's variance has a chi-square distribution of its own).
"""

from hashlib import sha256
from math import inf

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints
from arena.ratings.maths.intervals import TAIL
from arena.ratings.maths.t_distribution import t_cdf

_CONFIDENCE = 0.95
_DRAWS, _FEWEST_DRAWS = 2000, 400
_CELLS = 40_000_000
"""Differences of two bots that are drawn for a field: a large one gets fewer draws."""
_TINY = 1e-12
_JITTER = 1e-9
"""Of the largest variance: skills relative to their mean have a singular covariance."""


def may_be_first(
    values: Floats, df: Floats, covariance: Floats, apart: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which bots may have the highest true value; equal estimates give equal answers.

    `df` are the degrees of freedom of each bot's variance. Pairs that are `apart` are not compared.
    """
    variance = covariance.diagonal()
    spread = variance[:, None] + variance[None, :] - 2.0 * covariance
    behind = (values[None, :] - values[:, None]) / np.sqrt(np.maximum(spread, _TINY))
    behind[apart] = 0.0
    order, distance = _worst_first(behind)
    taken = _clearly_worse(distance, float(df.min()))
    left = order[taken:]
    field = np.ix_(left, left)
    seed = int.from_bytes(sha256((np.round(values, 6) + 0.0).tobytes()).digest()[:8])
    limits = _limits(df[left], covariance[field], apart[field], np.random.default_rng(seed))
    first = np.zeros(len(values), np.bool_)
    first[left[int((distance[taken:] <= limits).argmax()) :]] = True
    return first


def _worst_first(behind: Floats) -> tuple[Ints, Floats]:
    """Return the order in which bots are taken out, and how far each is behind one that is left."""
    bots = len(behind)
    left = behind.copy()
    np.fill_diagonal(left, 0.0)
    ahead = left.argmax(1)
    distance = left[np.arange(bots), ahead]
    order, distances = np.empty(bots, np.intp), np.empty(bots)
    for step in range(bots):
        worst = int(distance.argmax())
        order[step], distances[step] = worst, distance[worst]
        left[:, worst] = distance[worst] = -inf
        again = np.flatnonzero((ahead == worst) & (distance > -inf))
        ahead[again] = left[again].argmax(1)
        distance[again] = left[again, ahead[again]]
    return as_ints(order), as_floats(distances)


def _clearly_worse(distance: Floats, df: float) -> int:
    """Return how many bots are worse even if each pair of those left is tested (Bonferroni)."""
    left = np.arange(len(distance), 1, -1)
    clear = t_cdf(-distance[:-1], df) < TAIL / (left * (left - 1) / 2)
    return int(np.append(clear, False).argmin())


def _limits(
    df: Floats, covariance: Floats, apart: NDArray[np.bool_], rng: np.random.Generator
) -> Floats:
    """Return, for each bot and all after it, the limit of the largest distance of two by chance."""
    bots, variance = len(df), covariance.diagonal()
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _CELLS // bots**2))
    root = np.linalg.cholesky(covariance + np.eye(bots) * _JITTER * variance.max())
    drawn = root @ rng.standard_normal((bots, draws))
    # The variance of a difference has the degrees of freedom of one bot's, not of two.
    known = np.where(df < inf, df / 2.0, 1.0)[:, None]
    error = np.where(df[:, None] < inf, np.sqrt(rng.chisquare(known, drawn.shape) / known), 1.0)
    squares = variance[:, None] * error**2
    largest, limits = np.zeros(draws), np.zeros(bots)
    at_limit = int(np.ceil(_CONFIDENCE * (draws + 1))) - 1
    for bot in range(bots - 2, -1, -1):
        common = 2.0 * covariance[bot + 1 :, bot, None] * error[bot + 1 :] * error[bot]
        spread = np.maximum(squares[bot + 1 :] + squares[bot] - common, _TINY)
        ratio = (drawn[bot + 1 :] - drawn[bot]) ** 2 / spread
        ratio[apart[bot + 1 :, bot]] = 0.0
        largest = np.maximum(largest, ratio.max(0))
        limits[bot] = np.partition(largest, at_limit)[at_limit]
    return np.sqrt(limits)
