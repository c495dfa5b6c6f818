"""Two tests for the operator: bots that let another win, and bots that do not stay the same.

Collusion: of the games that two bots sat at one table, did one finish ahead of the other less often
than the skills that all games show would have it? Drift: do a bot's results, beyond what was
expected of each block, rise or fall from block to block? Both are corrected for how many pairs or
bots were looked at (Holm, 1979). Measured by `tests/bench/suspicion.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf, sqrt
from statistics import median

import numpy as np
from msgspec.structs import replace

from arena.ratings.arrays import Floats, Ints, as_floats
from arena.ratings.block_variance import Scores
from arena.ratings.findings import Suspicion
from arena.ratings.leaderboard import Rated
from arena.ratings.t_distribution import t_cdf

MIN_BOTS = 5
"""Among fewer bots one odd pair changes what is expected of all the others."""
MIN_BLOCKS = 5
"""Fewer blocks show no trend."""
_BORROWED = 6.0
_LEAST_LEFT = 0.3
"""A pair whose own games made more of what is expected of it than this leaves is not judged."""
_QUARTILE = 0.6745
"""The median of the absolute value of a standard normal variable."""
_EFFICIENCY = 0.37
"""What a spread taken from that median is worth, against one from all values."""


def suspicions(rated: Sequence[Rated], alpha: float) -> list[Suspicion]:
    """Return what is suspicious, the clearest first.

    In a league of fair bots the chance of anything at all is at most alpha for either kind.
    """
    collusion = holm([case for one in rated for case in _collusion(one)])
    drift = holm([case for one in rated for case in _drift(one)])
    found = [case for case in (*collusion, *drift) if case.p <= alpha]
    return sorted(found, key=lambda case: (case.p, case.kind, case.bot, case.rival or ""))


def holm(cases: Iterable[Suspicion]) -> list[Suspicion]:
    """Correct the p of each case for the number of cases, which are all that were looked at."""
    ordered = sorted(cases, key=lambda case: case.p)
    corrected, least = [], 0.0
    for at, case in enumerate(ordered):
        least = max(least, min(1.0, case.p * (len(ordered) - at)))
        corrected.append(replace(case, p=least))
    return corrected


def _collusion(rated: Rated) -> Iterator[Suspicion]:
    """Yield a case for each ordered pair that met: the first loses to the second."""
    i, j, z = _surprises(rated)
    bots, fit = rated.games.bots, rated.fit
    if len(bots) < MIN_BOTS or not len(z):
        return
    # Styles suit each other more or less in any field: only what stands out from that counts.
    usual = max(1.0, median(np.abs(z).tolist()) / _QUARTILE)
    freedom = inf if usual <= 1.0 else max(1.0, _EFFICIENCY * (len(z) - len(bots) + 1))
    one, other = np.concatenate((i, j)), np.concatenate((j, i))
    p = t_cdf(np.concatenate((z, -z)) / usual, freedom)
    met = (fit.ahead + fit.ahead.T)[one, other]
    told = zip(one, other, met, fit.chance[one, other], fit.ahead[one, other] / met, p, strict=True)
    for bot, rival, games, expected, observed, chance in told:
        yield Suspicion(
            kind="collusion",
            variant=rated.board.variant,
            players=rated.board.players,
            bot=bots[bot],
            rival=bots[rival],
            games=round(games),
            expected=float(expected),
            observed=float(observed),
            p=float(chance),
        )


def _surprises(rated: Rated) -> tuple[Ints, Ints, Floats]:
    """Return pairs, and how many standard deviations more often than expected i was ahead of j.

    It is the signed root of the deviance, whose tails are nearer to normal than those of a share,
    set right for what these very games did to the expectation. Pairs where little else did are
    left out.
    """
    fit = rated.fit
    i, j = np.triu_indices(rated.games.size, 1)
    ahead, behind, own = fit.ahead[i, j], fit.ahead[j, i], fit.inverse.diagonal()
    met, apart = ahead + behind, own[i] + own[j] - 2 * fit.inverse[i, j]
    left = 1.0 - met * fit.pull[i, j] * fit.pull[j, i] * apart
    expected = met * fit.chance[i, j]
    deviance = _part(ahead, expected) + _part(behind, met - expected)
    told = (met > 0) & (left >= _LEAST_LEFT)
    root = np.sqrt(np.maximum(2.0 * deviance[told], 0.0) / left[told])
    return i[told], j[told], np.where(ahead > expected, 1.0, -1.0)[told] * root


def _part(count: Floats, expected: Floats) -> Floats:
    told = (count > 0.0) & (expected > 0.0)
    ratio = np.divide(count, expected, out=np.ones(count.shape), where=told)
    return as_floats(count * np.log(ratio))


def _drift(rated: Rated) -> Iterator[Suspicion]:
    """Yield a case for each bot that played in enough blocks."""
    games = rated.games
    scores = Scores(games, rated.fit.pull)
    by_block = scores.sums(games.block)
    seated = np.bincount((games.block[:, None] * games.size + games.order).ravel())
    seated = np.pad(seated, (0, by_block.size - len(seated))).reshape(by_block.shape)
    noise = np.bincount(games.order.ravel(), (scores.by_game**2).ravel(), minlength=games.size)
    enough = np.flatnonzero((seated > 0).sum(0) >= MIN_BLOCKS).tolist()
    trends = [_Trend(by_block[:, i], seated[:, i] > 0, float(noise[i])) for i in enough]
    centre = np.eye(games.size) - 1.0 / games.size
    moves = np.diag(centre @ rated.fit.inverse @ centre)
    usual = sum(trend.ratio for trend in trends) / max(len(trends), 1)
    borrowed = _BORROWED if len(trends) >= MIN_BOTS else 0.0
    for i, trend, p in zip(enough, trends, _p_of(trends, usual, borrowed), strict=True):
        yield Suspicion(
            kind="drift",
            variant=rated.board.variant,
            players=rated.board.players,
            bot=games.bots[i],
            rival=None,
            games=int(seated[:, i].sum()),
            expected=0.0,
            observed=trend.rise * trend.blocks * float(moves[i]),
            p=p,
        )


def _p_of(trends: Sequence["_Trend"], usual: float, borrowed: float) -> list[float]:
    """Return how often chance alone shows trends at least as clear.

    `usual` is the ratio of the whole field, which counts for so many degrees of freedom.
    """
    t = [trend.t(usual, borrowed) for trend in trends]
    freedom = [trend.freedom + borrowed for trend in trends]
    return list((2.0 * t_cdf(-np.abs(t), freedom)).tolist())


class _Trend:
    """How a bot's scores go with the number of the block."""

    def __init__(self, scores: Floats, played: np.ndarray, noise: float) -> None:
        at = np.flatnonzero(played).astype(np.float64)
        self.blocks = len(at)
        mine, at = scores[played], at - at.mean()
        self._spread = float(at @ at)
        self._pull = float(at @ mine)
        self.rise = self._pull / self._spread * float(at[-1] - at[0])
        """How much the score of a block rises from the first to the last."""
        self.freedom = self.blocks - 2.0
        left = float(((mine - mine.mean() - at * self._pull / self._spread) ** 2).sum())
        self._variance = left / self.freedom
        self._by_game = max(noise / self.blocks, 1e-300)
        self.ratio = self._variance / self._by_game
        """The variance between blocks, over what independent games would make it."""

    def t(self, usual: float, borrowed: float) -> float:
        """Return the trend in its standard errors; nought where nothing varies."""
        total = self.freedom + borrowed
        variance = self.freedom * self._variance + borrowed * usual * self._by_game
        return self._pull / sqrt(variance / total * self._spread) if variance > 0.0 else 0.0
