"""Two tests for the operator: bots that let another win, and bots that do not stay the same.

Collusion: of the games that two bots sat at one table, did one finish ahead of the other less often
than the skills that all games show would have it? Drift: do a bot's results, beyond what was
expected of each block, rise or fall from block to block? Both are corrected for how many pairs or
bots were looked at (Holm, 1979). Measured by `tests/bench/suspicion.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf, log, sqrt
from statistics import median

import numpy as np
from msgspec.structs import replace

from arena.ratings.blocks import Scores
from arena.ratings.findings import Suspicion
from arena.ratings.student import t_cdf
from arena.ratings.table import Rated
from arena.ratings.thurstone import Floats

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
    bots = rated.games.bots
    pairs = {pair: z for pair in _pairs(rated) if (z := _surprise(rated, *pair)) is not None}
    if len(bots) < MIN_BOTS or not pairs:
        return
    # Styles suit each other more or less in any field: only what stands out from that counts.
    usual = max(1.0, median(map(abs, pairs.values())) / _QUARTILE)
    freedom = inf if usual <= 1.0 else max(1.0, _EFFICIENCY * (len(pairs) - len(bots) + 1))
    for (i, j), z in pairs.items():
        for one, other, t in ((i, j, z), (j, i, -z)):
            yield _case(rated, one, other, t_cdf(t / usual, freedom))


def _pairs(rated: Rated) -> Iterator[tuple[int, int]]:
    n = rated.games.size
    return ((i, j) for i in range(n) for j in range(i + 1, n))


def _surprise(rated: Rated, one: int, other: int) -> float | None:
    """Return how many standard deviations more often than expected one bot was ahead of another.

    It is the signed root of the deviance, whose tails are nearer to normal than those of a share,
    set right for what these very games did to the expectation. None where little else did.
    """
    fit = rated.fit
    ahead, behind = float(fit.ahead[one, other]), float(fit.ahead[other, one])
    inverse, met = fit.inverse, ahead + behind
    apart = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
    left = 1.0 - met * float(fit.pull[one, other] * fit.pull[other, one] * apart)
    if not met or left < _LEAST_LEFT:
        return None
    expected = met * float(fit.chance[one, other])
    deviance = _part(ahead, expected) + _part(behind, met - expected)
    root = sqrt(max(0.0, 2.0 * deviance) / left)
    return root if ahead > expected else -root


def _part(count: float, expected: float) -> float:
    return count * log(count / expected) if count and expected > 0.0 else 0.0


def _case(rated: Rated, one: int, other: int, p: float) -> Suspicion:
    fit, bots = rated.fit, rated.games.bots
    met = float(fit.ahead[one, other] + fit.ahead[other, one])
    return Suspicion(
        kind="collusion",
        variant=rated.board.variant,
        players=rated.board.players,
        bot=bots[one],
        rival=bots[other],
        games=round(met),
        expected=float(fit.chance[one, other]),
        observed=float(fit.ahead[one, other]) / met,
        p=p,
    )


def _drift(rated: Rated) -> Iterator[Suspicion]:
    """Yield a case for each bot that played in enough blocks."""
    games = rated.games
    scores = Scores(games, rated.fit.pull)
    by_block = scores.sums(games.block)
    seated = np.bincount((games.block[:, None] * games.size + games.order).ravel())
    seated = np.pad(seated, (0, by_block.size - len(seated))).reshape(by_block.shape)
    noise = np.bincount(games.order.ravel(), (scores.by_game**2).ravel(), minlength=games.size)
    trends = [_Trend(by_block[:, i], seated[:, i] > 0, float(noise[i])) for i in range(games.size)]
    centre = np.eye(games.size) - 1.0 / games.size
    moves = np.diag(centre @ rated.fit.inverse @ centre)
    told = [trend for trend in trends if trend.blocks >= MIN_BLOCKS]
    usual = sum(trend.ratio for trend in told) / max(len(told), 1)
    borrowed = _BORROWED if len(told) >= MIN_BOTS else 0.0
    for i, trend in enumerate(trends):
        if trend.blocks >= MIN_BLOCKS:
            yield Suspicion(
                kind="drift",
                variant=rated.board.variant,
                players=rated.board.players,
                bot=games.bots[i],
                rival=None,
                games=int(seated[:, i].sum()),
                expected=0.0,
                observed=trend.rise * trend.blocks * float(moves[i]),
                p=trend.p(usual, borrowed),
            )


class _Trend:
    """How a bot's scores go with the number of the block."""

    def __init__(self, scores: Floats, played: np.ndarray, noise: float) -> None:
        at = np.flatnonzero(played).astype(np.float64)
        self.blocks = len(at)
        if self.blocks < MIN_BLOCKS:
            return
        mine, at = scores[played], at - at.mean()
        self._spread = float(at @ at)
        self._pull = float(at @ mine)
        self.rise = self._pull / self._spread * float(at[-1] - at[0])
        """How much the score of a block rises from the first to the last."""
        self._freedom = self.blocks - 2.0
        left = float(((mine - mine.mean() - at * self._pull / self._spread) ** 2).sum())
        self._variance = left / self._freedom
        self._by_game = max(noise / self.blocks, 1e-300)
        self.ratio = self._variance / self._by_game
        """The variance between blocks, over what independent games would make it."""

    def p(self, usual: float, borrowed: float) -> float:
        """Return how often chance alone shows a trend at least as clear.

        `usual` is the ratio of the whole field, which counts for so many degrees of freedom.
        """
        total = self._freedom + borrowed
        variance = self._freedom * self._variance + borrowed * usual * self._by_game
        if variance <= 0.0:
            return 1.0
        t = self._pull / sqrt(variance / total * self._spread)
        return 2.0 * t_cdf(-abs(t), total)
