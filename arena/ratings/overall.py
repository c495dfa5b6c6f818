"""One table over all variants and table sizes: only where the league asks for it.

Its score is the share of rivals that a bot finishes ahead of, (players - place) / (players - 1),
averaged over its games at each table, and then over the tables with equal weight.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

from msgspec import Struct

from arena.ratings.ranks import Estimate, chances, rank_ranges
from arena.ratings.student import t_quantile
from arena.ratings.table import CONFIDENT, Rated


class OverallRow(Struct, frozen=True):
    """One bot's line over all tables."""

    bot: str
    score: float
    """The mean share of rivals that the bot finished ahead of, 0 to 1; chance is 1/2."""
    low: float
    """The ends of its 95 % interval."""
    high: float
    best: int
    """The ends of the 95 % interval of the bot's rank."""
    worst: int
    games: int


class Overall(Struct, frozen=True):
    """The overall table."""

    rows: Sequence[OverallRow]
    """Best score first."""
    tables: tuple[tuple[str, int], ...]
    """The variants and table sizes that it is made of."""
    absent: tuple[str, ...] = ()
    """Bots that are left out, because they did not play at all of these tables."""


class _Score(NamedTuple):
    """A bot's score and its variance's degrees of freedom."""

    bot: str
    value: float
    freedom: float
    variance: float


def overall(rated: Sequence[Rated]) -> Overall:
    """Return the table over at least one leaderboard; the tables are taken as independent."""
    everyone = sorted({bot for one in rated for bot in one.games.bots})
    bots = [bot for bot in everyone if all(bot in one.games.bots for one in rated)]
    covariance = _covariance(rated, bots)
    scores = [_score(rated, bot, covariance[at][at]) for at, bot in enumerate(bots)]
    better = chances([Estimate(*score[:3]) for score in scores], covariance)
    ranges = rank_ranges(bots, better)
    rows = [_row(rated, score, ranges[score.bot]) for score in scores]
    return Overall(
        rows=sorted(rows, key=lambda row: (-row.score, row.bot)),
        tables=tuple((one.board.variant, one.board.players) for one in rated),
        absent=tuple(bot for bot in everyone if bot not in bots),
    )


def _covariance(rated: Sequence[Rated], bots: Sequence[str]) -> list[list[float]]:
    """Return the covariance of the scores: of the mean places, on the scale of a share."""
    found = [[0.0] * len(bots) for _ in bots]
    for one in rated:
        at = [one.games.bots.index(bot) for bot in bots]
        scale = ((one.board.players - 1) * len(rated)) ** 2
        for i, row in enumerate(at):
            for j, column in enumerate(at):
                found[i][j] += float(one.spread.place[row, column]) / scale
    return found


def _score(rated: Sequence[Rated], bot: str, variance: float) -> _Score:
    """Return a bot's score; degrees of freedom are Satterthwaite's."""
    shares, squares = [], 0.0
    for one in rated:
        at, players = one.games.bots.index(bot), one.board.players
        place = next(row.mean_place for row in one.board.rows if row.bot == bot)
        shares.append((players - place) / (players - 1))
        part = float(one.spread.place[at, at]) / ((players - 1) * len(rated)) ** 2
        squares += part * part / float(one.spread.freedom[at])
    freedom = variance * variance / squares if squares > 0.0 else inf
    return _Score(bot, sum(shares) / len(shares), freedom, variance)


def _row(rated: Sequence[Rated], score: _Score, ranks: tuple[int, int]) -> OverallRow:
    half = t_quantile(CONFIDENT, score.freedom) * sqrt(max(score.variance, 0.0))
    rows = [row for one in rated for row in one.board.rows if row.bot == score.bot]
    return OverallRow(
        bot=score.bot,
        score=score.value,
        low=max(0.0, score.value - half),
        high=min(1.0, score.value + half),
        best=ranks[0],
        worst=ranks[1],
        games=sum(row.games for row in rows),
    )
