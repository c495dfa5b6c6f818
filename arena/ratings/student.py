"""The normal and Student's t distribution: how sure a difference of a given size is."""

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, sqrt

_ROOT_2 = sqrt(2.0)
_TINY = 1e-300


def normal_cdf(z: float) -> float:
    """Return the probability that a standard normal variable is below z."""
    return 0.5 * erfc(-z / _ROOT_2)


def t_cdf(t: float, freedom: float) -> float:
    """Return the probability that Student's t with so many degrees of freedom is below t.

    Infinite freedom is the normal distribution.
    """
    if freedom == inf:
        return normal_cdf(t)
    tail = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    return tail if t < 0 else 1.0 - tail


@lru_cache(maxsize=256)
def t_quantile(share: float, freedom: float) -> float:
    """Return the t below which that share of the distribution lies, for shares of 0.5 and more."""
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < share:
        low, high = high, 2.0 * high
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if t_cdf(middle, freedom) < share else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b)."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
    return exp(front) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    found = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 / _away(1.0 + term * d)
            c = _away(1.0 + term / c)
            found *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return found


def _away(value: float) -> float:
    """Keep a divisor away from nought."""
    return value if abs(value) > _TINY else _TINY
