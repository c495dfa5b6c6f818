"""An order-free fit of TrueSkill's model: all games at once.

Each bot plays as well as its skill plus normal noise of standard deviation beta, and who plays
better finishes ahead (Thurstone, 1927): so one bot is ahead of another with probability
Phi((skill - skill) / (sqrt(2) beta)), at a table of any size. The fit maximises the sum of the
logarithms of these probabilities over all pairs at all tables (a composite likelihood: Varin, Reid
and Firth, 2011), with TrueSkill's prior. It needs nothing but counts, and has one maximum.
"""

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from arena.ratings.arrays import Floats, as_floats
from arena.ratings.games import Games
from arena.ratings.t_distribution import normal_cdf
from arena.ratings.trueskill import BETA, SIGMA

_SCALE = sqrt(2.0) * BETA
"""The standard deviation of the difference of two performances."""
_PRIOR = 1.0 / SIGMA**2
"""The precision of the prior of each skill."""
_MAX_STEP = BETA
_TOLERANCE = 1e-10
_MAX_STEPS = 500


@dataclass(frozen=True)
class Fit:
    """The most likely skills, and what they say about every pair."""

    mu: Floats
    """Skills in TrueSkill's units; their mean is 0."""
    ahead: Floats
    """[i, j]: the games in which i finished ahead of j."""
    probability: Floats
    """[i, j]: the probability that i finishes ahead of j."""
    score: Floats
    """[i, j]: i's score (the derivative of the log-likelihood) for a game ahead of j."""
    inverse_information: Floats
    """How far the skills move for a score."""


def count_ahead(games: Games) -> Floats:
    """Return, for each ordered pair, the games in which the first finished ahead."""
    n = games.size
    counts = np.zeros(n * n)
    for i, j in games.place_pairs():
        counts += np.bincount(games.order[:, i] * n + games.order[:, j], minlength=n * n)
    return counts.reshape(n, n)


def fit(ahead: Floats) -> Fit:
    """Find the most likely skills for these counts, by Fisher scoring."""
    mu = np.zeros(len(ahead))
    for _ in range(_MAX_STEPS):
        score = _inverse_mills_ratio((mu[:, None] - mu[None, :]) / _SCALE) / _SCALE
        weight = (ahead + ahead.T) * score * score.T
        inverse = as_floats(np.linalg.inv(np.diag(weight.sum(1) + _PRIOR) - weight))
        step = inverse @ ((ahead * score).sum(1) - (ahead * score).sum(0) - _PRIOR * mu)
        longest = float(np.abs(step).max())
        mu = mu + step * min(1.0, _MAX_STEP / max(longest, _MAX_STEP))
        if longest < _TOLERANCE:
            break
    difference = (mu[:, None] - mu[None, :]) / _SCALE
    return Fit(mu, ahead, normal_cdf(difference), score, inverse)


def _inverse_mills_ratio(z: Floats) -> Floats:
    """Return the normal density over the probability below z; it tends to -z far down."""
    below = normal_cdf(z)
    density = np.exp(-0.5 * z * z) / sqrt(2.0 * pi)
    return np.divide(density, below, out=-z, where=below > 0.0)
