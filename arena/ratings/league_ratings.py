"""The ratings of a league from its results, and the chances that they give in a game."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from math import erfc, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.game.records import Division, Fixture, FixtureResult, RatingsInfo
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, Overall, Suspicion
from arena.ratings.model.trueskill import BETA

if TYPE_CHECKING:
    from arena.io.job import Beside
    from arena.ratings.board.memory import Begin, Remember

UPSET = 0.1
"""A game is an upset if its winner was less likely than this to beat the best-rated rival."""


class Ratings(Struct, frozen=True):
    """The leaderboards of a league, and what goes across them."""

    boards: Sequence[Leaderboard] = ()
    """One for each division that was played, in the order of the schedule."""
    overall: Overall | None = None
    """None for a single division, unless the league asks for it, and if no bot played in all."""
    suspicions: Sequence[Suspicion] = ()
    """The strongest first."""
    options: RatingsInfo = RatingsInfo()


def by_division(played: Iterable[FixtureResult]) -> dict[Division, list[FixtureResult]]:
    """Group fixtures by division, in the order of their first ones; leave out those not played."""
    first: dict[Division, int] = {}
    divisions: dict[Division, list[FixtureResult]] = {}
    for result in played:
        division = result.fixture.division
        if result.games:
            divisions.setdefault(division, []).append(result)
        first[division] = min(first.get(division, result.fixture.index), result.fixture.index)
    order = sorted(divisions, key=lambda division: (first[division], division))
    return {division: divisions[division] for division in order}


def rate_results(
    divisions: Mapping[Division, Sequence[FixtureResult]],
    options: RatingsInfo | None = None,
    remember: "Remember | None" = None,
    begin: "Begin | None" = None,
    beside: "Beside" = nullcontext,
    *,
    brief: bool = False,
) -> Ratings:
    """Rate the games of each division, as far as their ratings are not remembered.

    `begin` rates the past in other processes; it is for games of which nothing is remembered.
    `beside` runs a part of the work in a copy of this process: the search for suspicions, say.
    Brief ratings have neither a history, nor suspicions, nor those of TrueSkill's usual pass.
    """
    # numpy is slow to import, and this module is read at every start
    from arena.ratings.board.memory import Work
    from arena.ratings.board.overall import overall
    from arena.ratings.division import rate_division
    from arena.ratings.model.games import as_arrays
    from arena.ratings.suspicion import suspicions

    options = options or RatingsInfo()
    work = Work(remember, begin, beside, brief)
    rated = [
        rate_division(division, as_arrays(played), options, work)
        for division, played in divisions.items()
    ]
    tables = [(division.board, division.places) for division in rated]
    several = len(rated) > 1 if options.overall is None else options.overall
    whole = overall(tables) if several and rated else None
    all_findings = [division.findings for division in rated if division.findings]
    return Ratings(
        boards=[division.board for division in rated],
        overall=whole if whole and whole.rows else None,
        suspicions=suspicions(all_findings, options.alpha),
        options=options,
    )


def win_probability(row: LeaderboardRow, rival: LeaderboardRow) -> float:
    """Return the probability that a bot finishes a game ahead of a rival, by their ratings."""
    deviation = sqrt(2 * BETA**2 + row.sigma**2 + rival.sigma**2)
    return 0.5 * erfc((rival.mu - row.mu) / deviation / sqrt(2))


class Favourites:
    """Who was expected to win at the tables of a league, by its leaderboards."""

    def __init__(self, boards: Iterable[Leaderboard]) -> None:
        self._rows = {board.division: {row.bot: row for row in board.rows} for board in boards}
        self._known: dict[tuple[str, tuple[str, ...]], list[tuple[str, float]]] = {}

    def at(self, fixture: Fixture) -> list[tuple[str, float]]:
        """Return what `favourites` does for the seats of a fixture; each table is rated once."""
        table = fixture.variant, fixture.seats
        if table not in self._known:
            rows = self._rows.get(fixture.division, {})
            self._known[table] = favourites(fixture.seats, rows)
        return self._known[table]

    def upsets(self, fixture: Fixture) -> list[bool]:
        """Return, for each seat, whether its win would be an upset; not if a bot is not rated."""
        return [chance < UPSET for _, chance in self.at(fixture)]


def favourites(seats: Sequence[str], rows: Mapping[str, LeaderboardRow]) -> list[tuple[str, float]]:
    """Return, for each seat, its best-rated rival, and how likely it is to finish ahead of it.

    If a bot is not rated, nobody is named, and every chance is 1.
    """
    if not all(bot in rows for bot in seats):
        return [("", 1.0)] * len(seats)
    table = [rows[bot] for bot in seats]
    best, second, *_ = sorted(table, key=lambda row: -row.mu)
    rivals = [second if row is best else best for row in table]
    return [
        (rival.bot, win_probability(row, rival)) for row, rival in zip(table, rivals, strict=True)
    ]
