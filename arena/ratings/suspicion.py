"""Two tests for the operator: bots that let another win, and bots that change over time.

Both are corrected for the number of pairs or bots tested (Holm, 1979). Games in which a bot faulted
do not count: a fault is no result of play. Measured by `benchmarks/suspicion.py`.

Collusion: in the games that two bots played together, did one finish ahead of the other less often
than the skills from all games predict?

Drift: results that rise or fall from block to block. A bot's score in a fixture is what its games
say beyond what the ratings expected. It depends on who sits there, as styles suit each other more
or less, and on who acts right before it. The schedule decides in which block that is, so the line
through the scores is fitted together with an effect of each opponent and of each neighbour: only
how a bot does in the same company, earlier and later, tells of drift.
"""

from collections.abc import Iterator, Sequence
from math import ceil, inf, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.game.records import Division
from arena.ratings.board.leaderboard import Solution
from arena.ratings.leaderboard_rows import Cases, Suspicion
from arena.ratings.maths.arrays import Bots, Floats, Ints, as_floats
from arena.ratings.maths.t_distribution import t_cdf
from arena.ratings.model.posterior import relative_errors
from arena.ratings.variance.block_variance import GameScores

_MIN_BOTS = 5
"""Among fewer bots one odd pair changes what is expected of all the others."""
_MIN_RESIDUAL = 0.3
"""A pair is not tested if its own games decided more of its expectation than this leaves."""
_KEPT = 0.8
"""The part of all pairs, those that deviate least, that says how large deviations are."""
_KEPT_DEVIATION = 0.6616
"""The root mean square of that part of a standard normal variable."""
_EFFICIENCY = 0.65
"""How efficient the standard deviation by that part is, relative to that by all pairs."""
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
            opponent=bots[rival],
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
    ahead, behind = pairs.ahead[i, j], pairs.ahead[j, i]
    variance = covariance.diagonal()
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


_MIN_BLOCKS = 5
"""Fewer blocks show no trend."""
_MAX_BOTS = 250
"""Drift is not looked for in larger fields: it would take minutes."""
_MIN_DF = 5
"""Fixtures that must be left once all effects are fitted."""
_PRIOR_DF = 6.0
"""Degrees of freedom that a trend's variance borrows from the field's."""
_MIN_LENDERS = 5
"""The smallest field in which a bot borrows from the variance of others."""
_LEAST = 1e-9


class _Trend(NamedTuple):
    """The regression of a bot's scores on the number of the block."""

    bot: int
    df: float
    rise: float
    """How much the score of a fixture rises from the first block to the last, times fixtures."""
    covariation: float
    """The sum of the products of scores and block numbers, beyond all effects."""
    variation: float
    """The sum of the squares of those block numbers."""
    variance: float
    """How much a fixture's score varies about the trend."""
    game_variance: float
    """The variance if games were independent."""

    def t(self, ratio: float, prior_df: float) -> float:
        """Return the trend in its standard errors; zero if nothing varies.

        `ratio` is the whole field's of the two variances; it counts for so many degrees of freedom.
        """
        weighted = self.df * self.variance + prior_df * ratio * self.game_variance
        if weighted <= 0.0:
            return 0.0
        return self.covariation / sqrt(weighted / (self.df + prior_df) * self.variation)


def drift(division: Division, solution: Solution, alpha: float) -> Cases:
    """Test each bot that met the same bots often enough, earlier and later."""
    games = solution.games
    trends = list(_trends(solution)) if games.size <= _MAX_BOTS else []
    played = games.played().tolist()
    moves = (relative_errors(solution.skills.covariance) ** 2).tolist()
    ratio = sum(trend.variance / trend.game_variance for trend in trends) / max(len(trends), 1)
    prior_df = _PRIOR_DF if len(trends) >= _MIN_LENDERS else 0.0
    t = [trend.t(ratio, prior_df) for trend in trends]
    p_values = 2.0 * t_cdf(-np.abs(t), [trend.df + prior_df for trend in trends])
    cases = [
        Suspicion(
            kind="drift",
            variant=division.variant,
            players=division.players,
            bot=games.bots[trend.bot],
            opponent=None,
            games=played[trend.bot],
            expected=0.0,
            observed=trend.rise * moves[trend.bot],
            p=p,
        )
        for trend, p in zip(trends, p_values.tolist(), strict=True)
        if p <= alpha
    ]
    return Cases(len(trends), cases)


def _trends(solution: Solution) -> Iterator[_Trend]:
    games = solution.games
    scores = GameScores(games, solution.skills.scores())
    by_fixture = scores.sums(games.fixture)
    [squares] = GameScores(games, scores.by_game**2).sums(np.zeros_like(games.block))
    blocks = games.block[np.unique(games.fixture, return_index=True)[1]]
    for bot in range(games.size):
        fixtures = np.flatnonzero((games.seats == bot).any(1))
        block = as_floats(blocks[fixtures])
        if len(np.unique(block)) < _MIN_BLOCKS:
            continue
        effects = _company(games.seats[fixtures], bot)
        if len(fixtures) < effects.shape[1] + _MIN_DF:
            continue
        values = np.column_stack([block, by_fixture[fixtures, bot]])
        fitted, _, rank, _ = np.linalg.lstsq(effects, values, rcond=None)
        time, score = as_floats(values - effects @ fitted).T
        df = len(fixtures) - int(rank) - 1.0
        variation = float(time @ time)
        if df < _MIN_DF or variation < _LEAST * float(block @ block):
            continue
        covariation = float(time @ score)
        residual = score - time * covariation / variation
        yield _Trend(
            bot=bot,
            df=df,
            rise=covariation / variation * float(block.max() - block.min()) * len(fixtures),
            covariation=covariation,
            variation=variation,
            variance=float((residual**2).sum()) / df,
            game_variance=max(float(squares[bot]) / len(fixtures), 1e-300),
        )


def _company(seats: Bots, bot: int) -> Floats:
    """Return, for each table of a bot, who sat there, itself too, and who acted before it."""
    players, row = seats.shape[1], np.arange(len(seats))
    present, before = np.zeros((2, len(seats), int(seats.max()) + 1))
    present[row[:, None], seats] = 1.0
    if players > 2:
        own = (seats == bot).argmax(1)
        before[row, seats[row, own - 1]] = 1.0
    effects = np.concatenate([present, before], 1)
    return as_floats(effects[:, effects.any(0)])


class Findings(NamedTuple):
    """The tested cases of a division: pairs that met, and bots."""

    pairs: Cases = Cases()
    bots: Cases = Cases()


def findings(division: Division, solution: Solution, alpha: float) -> Findings:
    """Test the pairs and the bots of a division, by its games without faults."""
    return Findings(collusion(division, solution, alpha), drift(division, solution, alpha))


def suspicions(all_findings: Sequence[Findings], alpha: float) -> list[Suspicion]:
    """Return what is suspicious, the clearest first.

    In a league of fair bots the probability of any case is at most alpha for either kind.
    """
    of_pairs = holm([division.pairs for division in all_findings])
    cases = of_pairs + holm([division.bots for division in all_findings])
    significant = [case for case in cases if case.p <= alpha]
    return sorted(significant, key=lambda case: (case.p, case.kind, case.bot, case.opponent or ""))


def holm(tests: Sequence[Cases]) -> list[Suspicion]:
    """Correct the p of the clearest cases for the number of all that were tested."""
    ordered = sorted((case for test in tests for case in test.cases), key=lambda case: case.p)
    number = sum(test.number for test in tests)
    corrected, p = [], 0.0
    for at, case in enumerate(ordered):
        p = max(p, min(1.0, case.p * (number - at)))
        corrected.append(replace(case, p=p))
    return corrected
