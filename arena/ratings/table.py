"""Leaderboards: TrueSkill ratings and plain counts for one variant and one table size."""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

import trueskill
from msgspec import Struct

from arena.records import Faulted, PlayedFixture

Z95 = 1.96
"""Standard deviations either side of the mean that hold 95 % of a normal distribution."""


class Result(NamedTuple):
    """One finished game."""

    bots: tuple[str, ...]
    """Bot names, seat 0 first."""
    places: tuple[int, ...]
    """The finishing place of each seat, 1 is the winner."""
    faulted: tuple[bool, ...]
    """Whether each seat faulted."""


class Row(Struct, frozen=True):
    """One bot's line on a leaderboard."""

    bot: str
    mu: float
    """TrueSkill mean, relative to the mean of the field."""
    sigma: float
    games: int
    wins: int
    mean_place: float
    faults: int
    """Games in which the bot faulted."""

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval of mu."""
        return self.mu - Z95 * self.sigma

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval of mu."""
        return self.mu + Z95 * self.sigma

    @property
    def conservative(self) -> float:
        """The customary cautious figure: mu - 3 sigma."""
        return self.mu - 3 * self.sigma


class Duel(NamedTuple):
    """Of the `games` two bots sat at one table, in how many the first finished ahead."""

    ahead: int
    games: int


class Leaderboard(Struct, frozen=True):
    """Everything counted about one variant at one table size."""

    variant: str
    players: int
    rows: Sequence[Row]
    """Best mu first."""
    duels: dict[tuple[str, str], Duel]
    """Head to head, for each ordered pair of bots that met."""


def leaderboards(played: Iterable[PlayedFixture]) -> list[Leaderboard]:
    """Rate fixtures, given in any order: one leaderboard a variant and table size.

    They are folded in schedule order, so the ratings depend on nothing but what was played.
    """
    games = [(one.fixture.index, one.fixture.variant, list(_results(one))) for one in played]
    kinds: dict[tuple[str, int], list[Result]] = {}
    for _, variant, results in sorted(games, key=itemgetter(0)):
        if results:
            kinds.setdefault((variant, len(results[0].bots)), []).extend(results)
    return [rate(variant, players, results) for (variant, players), results in kinds.items()]


def _results(played: PlayedFixture) -> Iterator[Result]:
    seats = played.fixture.seats
    for record in played.games:
        out = {event.seat for event in record.events if isinstance(event, Faulted)}
        yield Result(seats, record.places, tuple(seat in out for seat in range(len(seats))))


def rate(variant: str, players: int, results: Iterable[Result]) -> Leaderboard:
    """Fold results, in the order given, into a leaderboard.

    The order must be canonical (schedule order): then ratings depend only on the set of games.
    tau is 0 because the bots do not change while they play, and there are no draws.
    """
    tally = _Tally()
    for result in results:
        tally.add(result)
    return Leaderboard(variant, players, tally.rows(), tally.duels)


class _Tally:
    """The running state of the fold."""

    def __init__(self) -> None:
        self.env = trueskill.TrueSkill(tau=0.0, draw_probability=0.0)
        self.skill: dict[str, trueskill.Rating] = {}
        self.games: dict[str, int] = {}
        self.wins: dict[str, int] = {}
        self.places: dict[str, int] = {}
        self.faults: dict[str, int] = {}
        self.duels: dict[tuple[str, str], Duel] = {}

    def add(self, result: Result) -> None:
        for bot, place, faulted in zip(*result, strict=True):
            self.games[bot] = self.games.get(bot, 0) + 1
            self.wins[bot] = self.wins.get(bot, 0) + (place == 1)
            self.places[bot] = self.places.get(bot, 0) + place
            self.faults[bot] = self.faults.get(bot, 0) + faulted
        self._add_duels(result)
        self._add_ratings(result)

    def _add_duels(self, result: Result) -> None:
        for i, bot in enumerate(result.bots):
            for j, rival in enumerate(result.bots):
                if i != j:
                    ahead, games = self.duels.get((bot, rival), (0, 0))
                    won = result.places[i] < result.places[j]
                    self.duels[bot, rival] = Duel(ahead + won, games + 1)

    def _add_ratings(self, result: Result) -> None:
        new = self.env.create_rating
        groups = [(self.skill.get(bot) or new(),) for bot in result.bots]
        rated = self.env.rate(groups, ranks=result.places)
        for bot, (rating,) in zip(result.bots, rated, strict=True):
            self.skill[bot] = rating

    def rows(self) -> list[Row]:
        if not self.skill:
            return []
        mean = sum(rating.mu for rating in self.skill.values()) / len(self.skill)
        rows = [
            Row(
                bot=bot,
                mu=rating.mu - mean,
                sigma=rating.sigma,
                games=self.games[bot],
                wins=self.wins[bot],
                mean_place=self.places[bot] / self.games[bot],
                faults=self.faults[bot],
            )
            for bot, rating in self.skill.items()
        ]
        return sorted(rows, key=lambda row: (-row.mu, row.bot))
