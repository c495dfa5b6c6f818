"""An order-free fit of the same model as TrueSkill's: all games at once.

Each bot plays as well as its skill plus normal noise of spread beta, and who plays better finishes
ahead (Thurstone, 1927): so one bot is ahead of another with probability
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
"""The spread of the difference of two performances."""
_PRIOR = 1.0 / SIGMA**2
_LONGEST = BETA
"""No step of the search moves a skill further."""
_ENOUGH = 1e-10
_STEPS = 500


@dataclass(frozen=True)
class Fit:
    """The most likely skills, and what they say of every pair."""

    mu: Floats
    """Skills in TrueSkill's units; their mean is 0."""
    ahead: Floats
    """[i, j]: the games in which i finished ahead of j."""
    chance: Floats
    """[i, j]: the probability that i finishes ahead of j."""
    pull: Floats
    """[i, j]: how much one game in which i finished ahead of j pulls i up (the score)."""
    inverse: Floats
    """The inverse of the information: how far the skills move for a pull."""


def count_ahead(games: Games) -> Floats:
    """Return, for each ordered pair, the games in which the first finished ahead."""
    n, (_, players) = games.size, games.order.shape
    found = np.zeros(n * n)
    for i in range(players):
        for j in range(i + 1, players):
            found += np.bincount(games.order[:, i] * n + games.order[:, j], minlength=n * n)
    return found.reshape(n, n)


def fit(ahead: Floats) -> Fit:
    """Find the most likely skills for these counts, by Fisher scoring."""
    mu = np.zeros(len(ahead))
    for _ in range(_STEPS):
        pull = _pulls(mu)
        inverse = as_floats(np.linalg.inv(_information(ahead, pull)))
        step = inverse @ ((ahead * pull).sum(1) - (ahead * pull).sum(0) - _PRIOR * mu)
        longest = float(np.abs(step).max())
        mu = mu + step * min(1.0, _LONGEST / max(longest, _LONGEST))
        if longest < _ENOUGH:
            break
    gap = (mu[:, None] - mu[None, :]) / _SCALE
    return Fit(mu, ahead, normal_cdf(gap), pull, inverse)


def _pulls(mu: Floats) -> Floats:
    return _mills((mu[:, None] - mu[None, :]) / _SCALE) / _SCALE


def _information(ahead: Floats, pull: Floats) -> Floats:
    weight = (ahead + ahead.T) * pull * pull.T
    return as_floats(np.diag(weight.sum(1) + _PRIOR) - weight)


def _mills(z: Floats) -> Floats:
    """Return the normal density over the probability below z; it tends to -z far down."""
    below = normal_cdf(z)
    density = np.exp(-0.5 * z * z) / sqrt(2.0 * pi)
    return np.divide(density, below, out=-z, where=below > 0.0)
