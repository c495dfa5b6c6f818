"""The normal distribution and Student's t, for arrays.

A league of 200 bots asks for twenty thousand values at a time. `df` are degrees of freedom, above
0; infinite ones make t the normal distribution.
"""

from collections.abc import Callable
from math import erfc, inf, lgamma, log, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from arena.ratings.maths.arrays import Floats, as_floats

_TINY = 1e-300
_FRACTION_TOLERANCE = 1e-14
_QUANTILE_TOLERANCE = 1e-10
_MAX_TERMS = 300


def normal_cdf(z: ArrayLike) -> Floats:
    """Return the probabilities that a standard normal variable is below each z."""
    probability = _each(erfc, as_floats(z) / -sqrt(2.0))
    probability *= 0.5
    return probability


def t_cdf(t: ArrayLike, df: ArrayLike) -> Floats:
    """Return the probabilities that Student's t is below each t; the arguments are broadcast."""
    t, df = np.broadcast_arrays(as_floats(t), as_floats(df))
    probability, finite = normal_cdf(t), df < inf
    t, df = t[finite], df[finite]
    tail = 0.5 * _incomplete_beta(df / 2, 0.5, df / (df + t * t))
    probability[finite] = np.where(t < 0, tail, 1.0 - tail)
    return probability


def t_quantile(probability: float, df: ArrayLike) -> Floats:
    """Return the t below which that probability lies, for probabilities above 0.5."""
    df = as_floats(df)
    # Few differ: most bots play in as many blocks.
    distinct, inverse = np.unique(df, return_inverse=True)
    # The normal quantile is the smallest, and above 0 the CDF is concave: Newton's steps only rise.
    t = np.full(distinct.shape, NormalDist().inv_cdf(probability))
    rises = np.ones(t.shape, np.bool_)
    while rises.any():
        step = (probability - t_cdf(t, distinct)) / _density(t, distinct)
        rises = step > _QUANTILE_TOLERANCE * t
        t = t + np.where(rises, step, 0.0)
    return as_floats(t[inverse].reshape(df.shape))


def _density(t: Floats, df: Floats) -> Floats:
    """Return the density of Student's t."""
    v = np.where(df < inf, df, 1.0)
    scale = _each(lgamma, (v + 1) / 2) - _each(lgamma, v / 2) - np.log(v * pi) / 2
    log_student = scale - (v + 1) / 2 * np.log1p(t * t / v)
    log_normal = -(t * t + log(2 * pi)) / 2
    return as_floats(np.exp(np.where(df < inf, log_student, log_normal)))


def _incomplete_beta(a: Floats, b: float, x: Floats) -> Floats:
    """Return the regularised incomplete beta function I_x(a, b)."""
    # Beyond the mean its mirror image converges faster.
    mirrored = x > (a + 1.0) / (a + b + 2.0)
    p, q = np.where(mirrored, b, a), np.where(mirrored, a, b)
    y = np.where(mirrored, 1.0 - x, x)
    with np.errstate(divide="ignore"):
        log_front = (
            _each(lgamma, a + b) - _each(lgamma, a) - lgamma(b) + p * np.log(y) + q * np.log1p(-y)
        )
    value = np.exp(log_front) * _continued_fraction(p, q, y) / p
    return as_floats(np.where(mirrored, 1.0 - value, value))


def _continued_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """Evaluate the continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = np.ones(x.shape), 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1.0))
    value, active = d.copy(), np.ones(x.shape, np.bool_)
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 / _nonzero(1.0 + term * d)
            c = _nonzero(1.0 + term / c)
            # What has converged is left alone, so that no value depends on its neighbours.
            value[active] *= (c * d)[active]
        active &= np.abs(c * d - 1.0) >= _FRACTION_TOLERANCE
        if not active.any():
            break
    return value


def _each(function: Callable[[float], float], values: Floats) -> Floats:
    """Return the function of each value."""
    flat = values.ravel()
    # A view's numbers become objects one at a time: a list of them would take longer, and memory.
    return np.fromiter(map(function, flat.data), np.float64, len(flat)).reshape(values.shape)


def _nonzero(divisor: Floats) -> Floats:
    return np.where(np.abs(divisor) > _TINY, divisor, _TINY)
