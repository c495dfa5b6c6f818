"""The sensitivity of ratings: how they would move without one of the other bots.

If a bot is taken out with its results, the order of the others in its games stays; at tables of two
nothing of these games is left. Nothing is rated again: the results of each pair of bots say how
much they pull the two towards what they expect of each other, and one Newton step for each bot
taken out says how far the others move without its pull.
"""

import numpy as np

from arena.ratings.maths.arrays import Floats, as_floats, square
from arena.ratings.model.head_to_head import Pairs
from arena.ratings.model.trueskill import BETA, SIGMA

_TOLERANCE = 1e-3
"""Steps are refined until none changes by more than this, in mu."""
_MAX_ROUNDS = 50


def shifts(mu: Floats, met: Pairs) -> Floats:
    """Return [bot, bot taken out]: by how much mu moves, relative to the mean of those that remain.

    Needs three bots. A bot taken out has 0 for itself.
    """
    # By how much the games with another bot pull a bot up.
    pull = met.ahead * met.score
    pull = pull - pull.T
    information = _information(mu, met)
    precision = np.diag(information.sum(1) + 1.0 / SIGMA**2)
    precision -= information
    covariance = np.linalg.inv(precision)
    moved = np.zeros_like(pull)
    for _ in range(_MAX_ROUNDS):
        before, moved = moved, information * moved
        moved -= pull
        moved = _step(covariance, moved)
        before -= moved
        if float(np.abs(before, out=before).max()) <= _TOLERANCE:
            break
    return moved


def _step(covariance: Floats, pull: Floats) -> Floats:
    """Return how far bots move by these pulls, with the one taken out held where it is.

    The pulls are overwritten.
    """
    moved = covariance @ pull
    moved -= np.multiply(covariance, moved.diagonal() / covariance.diagonal(), out=pull)
    moved -= moved.sum(0) / (len(moved) - 1)
    np.fill_diagonal(moved, 0.0)
    return as_floats(moved)


def _information(mu: Floats, met: Pairs) -> Floats:
    """Return how fast the pull between two bots changes with the difference of their mu."""

    def rows(chunk: slice) -> Floats:
        ahead, score = met.ahead[chunk], met.score[chunk]
        return ahead * score * (score + (mu[chunk, None] - mu[None, :]) / (2.0 * BETA**2))

    ahead = square(len(mu), rows)
    return as_floats(ahead + ahead.T)
