"""Pairs of bots: how often one finished ahead of the other, and how often that was expected."""

from dataclasses import dataclass
from math import log10, sqrt

import numpy as np

from arena.ratings.maths.arrays import Bots, Floats, as_floats, square
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.posterior import inverse_mills_ratio
from arena.ratings.model.trueskill import BETA

_SCALE = sqrt(2.0) * BETA
"""The standard deviation of the difference of two performances."""
_UNLIKELY = 1e-6
_ALL = slice(None)


@dataclass(frozen=True)
class Pairs:
    """Matrices over ordered pairs of bots [i, j]."""

    ahead: Floats
    """The games in which i finished ahead of j."""
    probability: Floats
    """The probability that i finishes ahead of j."""
    score: Floats
    """The derivative of the logarithm of that probability by i's skill."""

    @property
    def expected_share(self) -> Floats:
        """The share of its rivals that each bot was expected to finish ahead of."""
        met = self.met
        return as_floats((met * self.probability).sum(1) / met.sum(1))

    @property
    def met(self) -> Floats:
        """The games that both played."""
        return self.ahead + self.ahead.T


def pairs(games: Games, mu: Floats) -> Pairs:
    """Count the pairs of a division whose bots have these skills."""
    return Pairs(count_ahead(games), probabilities(mu), scores(mu))


def gaps(mu: Floats, rows: slice = _ALL) -> Floats:
    """Return by how many standard deviations each bot's performances exceed each other's.

    All, or some rows of the matrix.
    """
    return as_floats((mu[rows, None] - mu[None, :]) / _SCALE)


def gap(mu: Floats, one: Bots, other: Bots) -> Floats:
    """Return by how many standard deviations the performances of one bot exceed another's."""
    return as_floats((mu[one] - mu[other]) / _SCALE)


def score(apart: Floats) -> Floats:
    """Return the derivative, by a bot's skill, of the log-probability that it beats another."""
    return as_floats(inverse_mills_ratio(apart) / _SCALE)


def probabilities(mu: Floats) -> Floats:
    """Return the probability that each bot finishes ahead of each other."""
    return square(len(mu), lambda rows: normal_cdf(gaps(mu, rows)))


def scores(mu: Floats) -> Floats:
    """Return the derivative, by each bot's skill, of the log-probability that it beats another."""
    return square(len(mu), lambda rows: inverse_mills_ratio(gaps(mu, rows)) / _SCALE)


def beats(difference: Floats) -> Floats:
    """Return the probability of finishing ahead of a bot that is worse by so much, in mu.

    It is never quite 0 or 1, so that odds can be taken.
    """
    return as_floats(np.clip(normal_cdf(difference / _SCALE), _UNLIKELY, 1.0 - _UNLIKELY))


def elo(beats_average: float) -> float:
    """Return the chance to beat an average bot of the field as an Elo rating; that bot has 1500.

    The odds are 10 ** ((elo - 1500) / 400) (Elo, "The Rating of Chessplayers", 1978).
    """
    return 1500.0 + 400.0 * log10(beats_average / (1.0 - beats_average))


def count_ahead(games: Games) -> Floats:
    """Return, for each ordered pair of bots, in how many games the first finished ahead."""
    n = games.size
    counts = np.zeros(n * n)
    for i, j in games.place_pairs():
        counts += np.bincount(games.order[:, i] * n + games.order[:, j], minlength=n * n)
    return counts.reshape(n, n)
