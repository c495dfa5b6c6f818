"""Two tests for the operator: bots that let another win, and bots that change over time.

Collusion: in the games that two bots played together, did one finish ahead of the other less often
than the skills from all games predict? Drift: do a bot's results, beyond what was expected of each
block, rise or fall from block to block? Both are corrected for the number of pairs or bots tested
(Holm, 1979). Measured by `tests/bench/suspicion.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf, sqrt
from statistics import median
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.ratings.arrays import Floats, Ints, as_floats
from arena.ratings.block_variance import GameScores
from arena.ratings.leaderboard import RatedDivision
from arena.ratings.t_distribution import t_cdf
from arena.ratings.table import Suspicion

MIN_BOTS = 5
"""Among fewer bots one odd pair changes what is expected of all the others."""
MIN_BLOCKS = 5
"""Fewer blocks show no trend."""
_PRIOR_DF = 6.0
"""Degrees of freedom that a trend's variance borrows from the field's."""
_MIN_RESIDUAL = 0.3
"""A pair is not tested if its own games decided more of its expectation than this leaves."""
_QUARTILE = 0.6745
"""The median of the absolute value of a standard normal variable."""
_MEDIAN_EFFICIENCY = 0.37
"""Of the standard deviation estimated by that median."""


def suspicions(rated: Sequence[RatedDivision], alpha: float) -> list[Suspicion]:
    """Return what is suspicious, the clearest first.

    In a league of fair bots the probability of any case is at most alpha for either kind.
    """
    collusion = holm([case for one in rated for case in _collusion(one)])
    drift = holm([case for one in rated for case in _drift(one)])
    significant = [case for case in (*collusion, *drift) if case.p <= alpha]
    return sorted(significant, key=lambda case: (case.p, case.kind, case.bot, case.rival or ""))


def holm(cases: Iterable[Suspicion]) -> list[Suspicion]:
    """Correct the p of each case for the number of cases, which are all that were tested."""
    ordered = sorted(cases, key=lambda case: case.p)
    corrected, p = [], 0.0
    for at, case in enumerate(ordered):
        p = max(p, min(1.0, case.p * (len(ordered) - at)))
        corrected.append(replace(case, p=p))
    return corrected


def _collusion(rated: RatedDivision) -> Iterator[Suspicion]:
    """Yield a case for each ordered pair that met: the first loses to the second."""
    i, j, z = _deviance_residuals(rated)
    bots, met = rated.games.bots, rated.pairs
    if len(bots) < MIN_BOTS or not len(z):
        return
    # Styles suit each other more or less in any field: only what exceeds that counts.
    dispersion = max(1.0, median(np.abs(z).tolist()) / _QUARTILE)
    df = inf if dispersion <= 1.0 else max(1.0, _MEDIAN_EFFICIENCY * (len(z) - len(bots) + 1))
    one, other = np.concatenate((i, j)), np.concatenate((j, i))
    games = met.met[one, other]
    expected, observed = met.probability[one, other], met.ahead[one, other] / games
    p_values = t_cdf(np.concatenate((z, -z)) / dispersion, df)
    columns = (one, other, games, expected, observed, p_values)
    for bot, rival, together, share, actual, p in zip(*columns, strict=True):
        yield Suspicion(
            kind="collusion",
            variant=rated.board.variant,
            players=rated.board.players,
            bot=bots[bot],
            rival=bots[rival],
            games=round(together),
            expected=float(share),
            observed=float(actual),
            p=float(p),
        )


def _deviance_residuals(rated: RatedDivision) -> tuple[Ints, Ints, Floats]:
    """Return pairs, and how many standard deviations more often than expected i was ahead of j.

    It is the signed root of the deviance, with tails nearer to normal than a share's, corrected
    for the leverage of these very games. Pairs with too much leverage are left out.
    """
    pairs, covariance = rated.pairs, rated.skills.covariance
    i, j = np.triu_indices(rated.games.size, 1)
    ahead, behind, variance = pairs.ahead[i, j], pairs.ahead[j, i], covariance.diagonal()
    met = ahead + behind
    difference = variance[i] + variance[j] - 2 * covariance[i, j]
    residual = 1.0 - met * pairs.score[i, j] * pairs.score[j, i] * difference
    expected = met * pairs.probability[i, j]
    deviance = _deviance_term(ahead, expected) + _deviance_term(behind, met - expected)
    tested = (met > 0) & (residual >= _MIN_RESIDUAL)
    root = np.sqrt(np.maximum(2.0 * deviance[tested], 0.0) / residual[tested])
    return i[tested], j[tested], np.where(ahead > expected, 1.0, -1.0)[tested] * root


def _deviance_term(count: Floats, expected: Floats) -> Floats:
    positive = (count > 0.0) & (expected > 0.0)
    ratio = np.divide(count, expected, out=np.ones(count.shape), where=positive)
    return as_floats(count * np.log(ratio))


class _Trend(NamedTuple):
    """The regression of a bot's block scores on the number of the block."""

    bot: int
    df: float
    rise: float
    """How much the score of a block rises from the first to the last, times their number."""
    covariation: float
    """The sum of the products of scores and centred block numbers."""
    variation: float
    """The sum of the squares of the centred block numbers."""
    variance: float
    """Of a block's score about the trend."""
    game_variance: float
    """The same if games were independent."""

    def t(self, ratio: float, prior_df: float) -> float:
        """Return the trend in its standard errors; zero if nothing varies.

        `ratio` is the whole field's of the two variances; it counts for so many degrees of freedom.
        """
        weighted = self.df * self.variance + prior_df * ratio * self.game_variance
        if weighted <= 0.0:
            return 0.0
        return self.covariation / sqrt(weighted / (self.df + prior_df) * self.variation)


def _drift(rated: RatedDivision) -> Iterator[Suspicion]:
    """Yield a case for each bot that played in enough blocks."""
    games = rated.games
    trends = list(_trends(rated))
    played = np.bincount(games.order.ravel(), minlength=games.size).tolist()
    centre = np.eye(games.size) - 1.0 / games.size
    moves = np.diag(centre @ rated.skills.covariance @ centre).tolist()
    ratio = sum(one.variance / one.game_variance for one in trends) / max(len(trends), 1)
    prior_df = _PRIOR_DF if len(trends) >= MIN_BOTS else 0.0
    t = [trend.t(ratio, prior_df) for trend in trends]
    p_values = 2.0 * t_cdf(-np.abs(t), [trend.df + prior_df for trend in trends])
    for trend, p in zip(trends, p_values.tolist(), strict=True):
        yield Suspicion(
            kind="drift",
            variant=rated.board.variant,
            players=rated.board.players,
            bot=games.bots[trend.bot],
            rival=None,
            games=played[trend.bot],
            expected=0.0,
            observed=trend.rise * moves[trend.bot],
            p=p,
        )


def _trends(rated: RatedDivision) -> Iterator[_Trend]:
    games, scores = rated.games, GameScores(rated.games, rated.skills.scores())
    by_block = scores.sums(games.block)
    squares = np.bincount(games.order.ravel(), (scores.by_game**2).ravel(), minlength=games.size)
    for bot, played in enumerate(games.by_block().T):
        blocks = np.flatnonzero(played)
        if len(blocks) < MIN_BLOCKS:
            continue
        number, score, df = blocks - blocks.mean(), by_block[blocks, bot], len(blocks) - 2.0
        covariation, variation = float(number @ score), float(number @ number)
        residual = score - score.mean() - number * covariation / variation
        yield _Trend(
            bot=bot,
            df=df,
            rise=covariation / variation * float(number[-1] - number[0]) * len(blocks),
            covariation=covariation,
            variation=variation,
            variance=float((residual**2).sum()) / df,
            game_variance=max(float(squares[bot]) / len(blocks), 1e-300),
        )
