"""Who is better than whom, how surely, and which ranks a bot may hold."""

import numpy as np

from arena.ratings.arrays import Floats, Ints
from arena.ratings.t_distribution import t_cdf
from arena.ratings.table import undecided

_FARTHEST = 1e6
"""No difference counts as more standard errors than this."""


def chances(values: Floats, freedom: Floats, covariance: Floats) -> Floats:
    """Return, for each ordered pair, the probability that the first is the better one.

    Better is a higher value. A difference is taken to spread like Student's t with the fewer
    degrees of freedom of the two; infinite ones are a variance that is known.
    """
    n = len(values)
    i, j = np.triu_indices(n, 1)
    gap, own = np.abs(values[i] - values[j]), np.diag(covariance)
    error = np.sqrt(np.maximum(own[i] + own[j] - 2 * covariance[i, j], 0.0))
    sure = np.where(gap > 0.0, _FARTHEST, 0.0)
    t = np.minimum(np.divide(gap, error, out=sure, where=error > 0.0), _FARTHEST)
    # The smaller chance of the two is exact, also where it is tiny.
    small = t_cdf(-t, np.minimum(freedom[i], freedom[j]))
    found, ahead = np.full((n, n), 0.5), values[i] > values[j]
    found[i, j] = np.where(ahead, 1.0 - small, small)
    found[j, i] = np.where(ahead, small, 1.0 - small)
    return found


def rank_ranges(better: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each bot may hold, with 95 % confidence a bot.

    A bot is told apart from another when the chance that it is the better one is outside
    `undecided`, which allows for the number of rivals (Bonferroni): so the true rank is in the
    range in at least 95 of 100 leagues (Mogstad, Romano, Shaikh and Wilhelm, 2024).
    """
    low, high = undecided(len(better))
    rivals = ~np.eye(len(better), dtype=np.bool_)
    ahead = ((better < low) & rivals).sum(1)
    behind = ((better > high) & rivals).sum(1)
    return 1 + ahead, len(better) - behind
