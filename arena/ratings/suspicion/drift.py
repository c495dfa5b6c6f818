"""Bots that change: results that rise or fall from block to block.

A bot's score in a fixture is what its games say beyond what the ratings expected. It depends on who
sits there, as styles suit each other more or less, and on who acts right before it. The schedule
decides in which block that is, so the line through the scores is fitted together with an effect of
each opponent and of each neighbour: only how a bot does in the same company, earlier and later,
tells of drift.
"""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

from arena.game.records import Division
from arena.ratings.board.leaderboard import Solution
from arena.ratings.leaderboard_rows import Cases, Suspicion
from arena.ratings.maths.arrays import Bots, Floats, as_floats
from arena.ratings.maths.t_distribution import t_cdf
from arena.ratings.model.posterior import relative_errors
from arena.ratings.variance.block_variance import GameScores

_MIN_BLOCKS = 5
"""Fewer blocks show no trend."""
_MAX_BOTS = 250
"""Drift is not looked for in larger fields: it would take minutes."""
_MIN_DF = 5
"""Fixtures that must be left once all effects are fitted."""
_PRIOR_DF = 6.0
"""Degrees of freedom that a trend's variance borrows from the field's."""
_MIN_BOTS = 5
"""In smaller fields nothing is borrowed."""
_LEAST = 1e-9


class _Trend(NamedTuple):
    """The regression of a bot's scores on the number of the block."""

    bot: int
    df: float
    rise: float
    """By how much the score of a fixture rises from the first block to the last, times fixtures."""
    covariation: float
    """The sum of the products of scores and block numbers, beyond all effects."""
    variation: float
    """The sum of the squares of those block numbers."""
    variance: float
    """Of a fixture's score about the trend."""
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
    prior_df = _PRIOR_DF if len(trends) >= _MIN_BOTS else 0.0
    t = [trend.t(ratio, prior_df) for trend in trends]
    p_values = 2.0 * t_cdf(-np.abs(t), [trend.df + prior_df for trend in trends])
    cases = [
        Suspicion(
            kind="drift",
            variant=division.variant,
            players=division.players,
            bot=games.bots[trend.bot],
            rival=None,
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
        beyond, rank = _without(effects, np.column_stack([block, by_fixture[fixtures, bot]]))
        time, score = beyond.T
        df, variation = len(fixtures) - rank - 1.0, float(time @ time)
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


def _without(effects: Floats, values: Floats) -> tuple[Floats, int]:
    """Return what a fit of the effects leaves of each column of values, and the fit's rank."""
    fitted, _, rank, _ = np.linalg.lstsq(effects, values, rcond=None)
    return as_floats(values - effects @ fitted), int(rank)
