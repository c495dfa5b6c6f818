"""The normal and Student's t distribution: how sure differences of given sizes are.

All of it is for arrays: a league of 200 bots asks for twenty thousand values at a time.
"""

from math import erfc, inf, lgamma, log, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from arena.ratings.arrays import Floats, as_floats

_TINY = 1e-300
_EXACT = 1e-14
_NEAR = 1e-10
_TERMS = 300

_erfc = np.vectorize(erfc, otypes=[np.float64])
_lgamma = np.vectorize(lgamma, otypes=[np.float64])


def normal_cdf(z: ArrayLike) -> Floats:
    """Return the probabilities that a standard normal variable is below each z."""
    return as_floats(0.5 * _erfc(as_floats(z) / -sqrt(2.0)))


def t_cdf(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """Return the probabilities that Student's t with so many degrees of freedom is below each t.

    Both are broadcast. Infinite freedom is the normal distribution.
    """
    t, freedom = np.broadcast_arrays(as_floats(t), as_floats(freedom))
    found, known = normal_cdf(t), freedom < inf
    t, freedom = t[known], freedom[known]
    tail = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    found[known] = np.where(t < 0, tail, 1.0 - tail)
    return found


def t_quantile(share: float, freedom: ArrayLike) -> Floats:
    """Return the t below which that share of each distribution lies, for shares above 0.5."""
    freedom = as_floats(freedom)
    # Few differ: most bots play in as many blocks.
    known, at = np.unique(freedom, return_inverse=True)
    # The normal distribution's is less, and above 0 all are concave: so Newton's steps only rise.
    found = np.full(known.shape, NormalDist().inv_cdf(share))
    while (step := _step(share, found, known)).any():
        found = found + step
    return as_floats(found[at].reshape(freedom.shape))


def _step(share: float, t: Floats, freedom: Floats) -> Floats:
    """Return how much farther the quantiles are; nought where that is next to nothing."""
    step = (share - t_cdf(t, freedom)) / _density(t, freedom)
    return np.where(step > _NEAR * t, step, 0.0)


def _density(t: Floats, freedom: Floats) -> Floats:
    v = np.where(freedom < inf, freedom, 1.0)
    scale = _lgamma((v + 1) / 2) - _lgamma(v / 2) - np.log(v * pi) / 2
    student = scale - (v + 1) / 2 * np.log1p(t * t / v)
    normal = -(t * t + log(2 * pi)) / 2
    return as_floats(np.exp(np.where(freedom < inf, student, normal)))


def _incomplete_beta(a: Floats, b: float, x: Floats) -> Floats:
    """Return the regularised incomplete beta function I_x(a, b)."""
    # Beyond the mean its mirror image converges faster.
    beyond = x > (a + 1.0) / (a + b + 2.0)
    p, q = np.where(beyond, b, a), np.where(beyond, a, b)
    y = np.where(beyond, 1.0 - x, x)
    with np.errstate(divide="ignore"):
        front = _lgamma(a + b) - _lgamma(a) - lgamma(b) + p * np.log(y) + q * np.log1p(-y)
    found = np.exp(front) * _fraction(p, q, y) / p
    return as_floats(np.where(beyond, 1.0 - found, found))


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """Evaluate the continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = np.ones(x.shape), 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    found, going = d.copy(), np.ones(x.shape, np.bool_)
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 / _away(1.0 + term * d)
            c = _away(1.0 + term / c)
            # What has converged stands still, so that no value depends on those beside it.
            found[going] *= (c * d)[going]
        going &= np.abs(c * d - 1.0) >= _EXACT
        if not going.any():
            break
    return found


def _away(value: Floats) -> Floats:
    """Keep divisors away from nought."""
    return np.where(np.abs(value) > _TINY, value, _TINY)
