"""Bots that let another win: a pair whose results the skills do not explain.

In the games that two bots played together, did one finish ahead of the other less often than the
skills from all games predict?
"""

from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np

from arena.game.records import Division
from arena.ratings.board.leaderboard import Solution
from arena.ratings.leaderboard_rows import Cases, Suspicion
from arena.ratings.maths.arrays import Floats, Ints, as_floats
from arena.ratings.maths.t_distribution import t_cdf

_MIN_BOTS = 5
"""Among fewer bots one odd pair changes what is expected of all the others."""
_MIN_RESIDUAL = 0.3
"""A pair is not tested if its own games decided more of its expectation than this leaves."""
_KEPT = 0.8
"""The part of all pairs, those that deviate least, that says how large deviations are."""
_KEPT_DEVIATION = 0.6616
"""The root mean square of that part of a standard normal variable."""
_EFFICIENCY = 0.65
"""Of the standard deviation estimated by it, relative to that by all pairs."""
_TINY = 1e-9


def collusion(division: Division, solution: Solution, alpha: float) -> Cases:
    """Test each ordered pair that met: the first loses to the second."""
    i, j, z = _deviance_residuals(solution)
    bots, met = solution.games.bots, solution.pairs
    if len(bots) < _MIN_BOTS or not len(z):
        return Cases()
    # Styles suit each other more or less in any field: only what exceeds that counts.
    dispersion = max(1.0, _typical(z))
    df = inf if dispersion <= 1.0 else max(1.0, _EFFICIENCY * (len(z) - len(bots) + 1))
    one, other = np.concatenate((i, j)), np.concatenate((j, i))
    t = np.concatenate((z, -z)) / dispersion
    # Only these may be clear: no tail of Student's t is shorter than a normal one.
    few = np.flatnonzero(t < NormalDist().inv_cdf(alpha) + _TINY)
    p_values = t_cdf(t[few], df)
    clear = p_values <= alpha
    one, other = one[few[clear]], other[few[clear]]
    games = met.met[one, other]
    expected, observed = met.probability[one, other], met.ahead[one, other] / games
    columns = (one, other, games, expected, observed, p_values[clear])
    cases = [
        Suspicion(
            kind="collusion",
            variant=division.variant,
            players=division.players,
            bot=bots[bot],
            rival=bots[rival],
            games=round(together),
            expected=float(share),
            observed=float(actual),
            p=float(p),
        )
        for bot, rival, together, share, actual, p in zip(*columns, strict=True)
    ]
    return Cases(len(t), cases)


def _typical(z: Floats) -> float:
    """Return the standard deviation, whatever the largest fifth says: it may be collusion."""
    kept = np.sort(np.abs(z))[: ceil(_KEPT * len(z))]
    return sqrt(float((kept**2).mean())) / _KEPT_DEVIATION


def _deviance_residuals(solution: Solution) -> tuple[Ints, Ints, Floats]:
    """Return pairs, and how many standard deviations more often than expected i was ahead of j.

    It is the signed root of the deviance, with tails nearer to normal than a share's, corrected
    for the leverage of these very games. Pairs with too much leverage are left out.
    """
    pairs, covariance = solution.pairs, solution.skills.covariance
    i, j = np.triu(pairs.met, 1).nonzero()
    ahead, behind, variance = pairs.ahead[i, j], pairs.ahead[j, i], covariance.diagonal()
    met = ahead + behind
    difference = variance[i] + variance[j] - 2 * covariance[i, j]
    residual = 1.0 - met * pairs.score[i, j] * pairs.score[j, i] * difference
    expected = met * pairs.probability[i, j]
    deviance = _deviance_term(ahead, expected) + _deviance_term(behind, met - expected)
    tested = residual >= _MIN_RESIDUAL
    root = np.sqrt(np.maximum(2.0 * deviance[tested], 0.0) / residual[tested])
    return i[tested], j[tested], np.where(ahead > expected, 1.0, -1.0)[tested] * root


def _deviance_term(count: Floats, expected: Floats) -> Floats:
    positive = (count > 0.0) & (expected > 0.0)
    ratio = np.divide(count, expected, out=np.ones(count.shape), where=positive)
    return as_floats(count * np.log(ratio))
