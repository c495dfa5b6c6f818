"""Leaderboards: ratings, how sure they are, and plain counts, for one variant and table size."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from arena.ratings.findings import Gain
from arena.ratings.history import History, relative, snapshots
from arena.ratings.ranks import Estimate, chances, rank_ranges
from arena.ratings.results import Result, canonical
from arena.ratings.student import t_quantile
from arena.records import RatingsInfo

if TYPE_CHECKING:  # numpy is slow to import, and these are read at every start
    from arena.ratings.blocks import Spread
    from arena.ratings.thurstone import Fit, Floats, Games

CONFIDENT = 0.975
"""An interval of 95 % leaves out as much at either end."""


class Row(Struct, frozen=True):
    """One bot's line on a leaderboard."""

    bot: str
    mu: float
    """TrueSkill mean, relative to the mean of the field or to the anchor."""
    sigma: float
    """TrueSkill's own standard deviation: it takes all games as independent."""
    low: float
    """The ends of the 95 % interval of mu, by block."""
    high: float
    best: int
    """The ends of the 95 % interval of the bot's rank."""
    worst: int
    games: int
    wins: int
    mean_place: float
    place_low: float
    """The ends of the 95 % interval of the mean place, by block."""
    place_high: float
    faults: int
    """Games in which the bot faulted."""
    batch_mu: float
    """The order-free fit's figure for mu, relative to the same."""
    provisional: bool = False
    """Fewer games than the league asks of a rating."""

    @property
    def conservative(self) -> float:
        """The customary cautious figure: mu - 3 sigma."""
        return self.mu - 3 * self.sigma

    @property
    def win_share(self) -> float:
        """The share of games won; chance is 1 / players."""
        return self.wins / self.games


class Duel(NamedTuple):
    """Of the `games` two bots sat at one table, in how many the first finished ahead."""

    ahead: int
    games: int


class Leaderboard(Struct, frozen=True):
    """Everything that is said about one variant at one table size."""

    variant: str
    players: int
    rows: Sequence[Row]
    """Best mu first."""
    duels: dict[tuple[str, str], Duel]
    """Head to head, for each ordered pair of bots that met."""
    better: dict[tuple[str, str], float]
    """For each ordered pair of bots, the probability that the first is the better one."""
    blocks: int
    """How many blocks were played, or begun."""
    method: Literal["blocks", "games"]
    """What the intervals take to vary independently: `games` where there are too few blocks."""
    dice_gain: Gain | None
    """None where there are too few games to tell."""
    anchor: str | None = None
    """The bot whose mu is 0; None where it is the mean of the field, or the anchor did not play."""
    history: History = ()
    """How mu and sigma came to be what they are."""


class Rated(NamedTuple):
    """A leaderboard with what it was made from."""

    board: Leaderboard
    games: "Games"
    fit: "Fit"
    spread: "Spread"


def rate(
    variant: str, players: int, results: Iterable[Result], options: RatingsInfo | None = None
) -> Rated:
    """Rate at least one game of one variant and table size, given in any order."""
    from arena.ratings import blocks, thurstone

    ordered = canonical(results)
    options = options or RatingsInfo()
    games = thurstone.as_arrays(ordered)
    course = snapshots(games.orders())
    skill = course[-1].skill
    found = thurstone.fit(thurstone.count_ahead(games))
    mean = sum(rating.mu for rating in skill.values()) / len(skill)
    mu = [skill[bot].mu - mean for bot in games.bots]
    spread = blocks.spread(games, found, mu, [skill[bot].sigma for bot in games.bots])
    tally = count(ordered, games, found.ahead)
    lines = _Lines(games.bots, mu, found.mu.tolist(), spread, options)
    sigma = {bot: rating.sigma for bot, rating in skill.items()}
    board = Leaderboard(
        variant=variant,
        players=players,
        rows=lines.rows(tally, sigma),
        duels=tally.duels,
        better=lines.better,
        blocks=spread.blocks,
        method=spread.method,
        dice_gain=blocks.dice_gain(games, found),
        anchor=options.anchor if options.anchor in games.bots else None,
        history=relative(course, options.anchor),
    )
    return Rated(board, games, found, spread)


class _Lines:
    """The lines of a leaderboard in the making."""

    def __init__(
        self,
        bots: Sequence[str],
        mu: Sequence[float],
        batch: Sequence[float],
        spread: "Spread",
        options: RatingsInfo,
    ) -> None:
        self._bots, self._mu, self._batch, self._options = bots, mu, batch, options
        self._freedom: list[float] = spread.freedom.tolist()
        self._covariance: list[list[float]] = spread.mu.tolist()
        self._place_variance: list[float] = spread.place.diagonal().tolist()
        self.better = chances(
            [Estimate(*one) for one in zip(bots, mu, self._freedom, strict=True)],
            spread.gaps.tolist(),
        )
        self._ranges = rank_ranges(bots, self.better)

    def rows(self, tally: "Tally", sigma: Mapping[str, float]) -> list[Row]:
        """Return the lines, best mu first."""
        rows = [self._row(at, tally, sigma[bot]) for at, bot in enumerate(self._bots)]
        return sorted(rows, key=lambda row: (-row.mu, row.bot))

    def _row(self, at: int, tally: "Tally", sigma: float) -> Row:
        bot = self._bots[at]
        zero, batch_zero, variance = self._relative(at)
        t = t_quantile(CONFIDENT, self._freedom[at])
        mu, half = self._mu[at] - zero, t * sqrt(max(variance, 0.0))
        place, place_half = tally.mean_place(bot), t * sqrt(max(self._place_variance[at], 0.0))
        return Row(
            bot=bot,
            mu=mu,
            sigma=sigma,
            low=mu - half,
            high=mu + half,
            best=self._ranges[bot][0],
            worst=self._ranges[bot][1],
            games=tally.games[bot],
            wins=tally.wins[bot],
            mean_place=place,
            place_low=max(1.0, place - place_half),
            place_high=min(float(tally.players), place + place_half),
            faults=tally.faults[bot],
            batch_mu=self._batch[at] - batch_zero,
            provisional=tally.games[bot] < self._options.provisional,
        )

    def _relative(self, at: int) -> tuple[float, float, float]:
        """Return what stands for 0, in both fits, and the variance of a bot's mu against it."""
        v, anchor = self._covariance, self._options.anchor
        if anchor not in self._bots:
            return 0.0, 0.0, v[at][at]
        other = self._bots.index(anchor)
        return self._mu[other], self._batch[other], v[at][at] + v[other][other] - 2 * v[at][other]


class Tally(NamedTuple):
    """Plain counts of games, for each bot."""

    players: int
    games: dict[str, int]
    wins: dict[str, int]
    places: dict[str, int]
    """The sum of its finishing places."""
    faults: dict[str, int]
    duels: dict[tuple[str, str], Duel]

    def mean_place(self, bot: str) -> float:
        """Return the mean finishing place of a bot that played."""
        return self.places[bot] / self.games[bot]


def count(results: Iterable[Result], games: "Games", ahead: "Floats") -> Tally:
    """Count games; `games` are the same as arrays, `ahead` who finished ahead of whom in them."""
    import numpy as np

    size, players = games.size, games.order.shape[1]
    by_place = np.array([np.bincount(row, minlength=size) for row in games.order.T])
    faults = dict.fromkeys(games.bots, 0)
    for result in results:
        if any(result.faulted):
            for bot, faulted in zip(result.bots, result.faulted, strict=True):
                faults[bot] += faulted
    return Tally(
        players=players,
        games=dict(zip(games.bots, by_place.sum(0).tolist(), strict=True)),
        wins=dict(zip(games.bots, by_place[0].tolist(), strict=True)),
        places=dict(zip(games.bots, (np.arange(1, players + 1) @ by_place).tolist(), strict=True)),
        faults=faults,
        duels=_duels(games.bots, ahead),
    )


def _duels(bots: Sequence[str], ahead: "Floats") -> dict[tuple[str, str], Duel]:
    won, met = ahead.astype(int).tolist(), (ahead + ahead.T).astype(int).tolist()
    return {
        (bot, rival): Duel(won[i][j], met[i][j])
        for i, bot in enumerate(bots)
        for j, rival in enumerate(bots)
        if met[i][j]
    }
