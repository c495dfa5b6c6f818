"""A newcomer and its predecessor: the same tables, the same seats, the same dice.

The newcomer's joining tables are played twice, once with each (`Change.twins`). All of them are
fixtures of the league like any other.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import Struct

from arena.game.records import Fixture
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.ratings.stopping.paired import Paired, pooled
from arena.ratings.stopping.sequential import TableMeans

_PAIRS = 2
"""How many pairs of tables of a kind say how much they vary, at least."""


class TwinResult(Struct, frozen=True):
    """How a newcomer did beside its predecessor."""

    games: int
    """Of each."""
    rivals_beaten: Paired
    """The share of its rivals at a table that each finished ahead of: the mean of all divisions."""


def are_over(schedule: Schedule, progress: LeagueProgress, newcomer: str) -> bool:
    """Tell whether all joining tables of a newcomer are played, and their twins."""
    divisions = schedule.blocks
    if any(schedule.joining_left(division, newcomer) for division in divisions):
        return False
    pairs = (pair for division in divisions for pair in schedule.twin_tables(division, newcomer))
    return all(fixture.id in progress.played for pair in pairs for fixture in pair)


def compare_twins(schedule: Schedule, progress: LeagueProgress, newcomer: str) -> TwinResult | None:
    """Compare a newcomer with its predecessor by all twins that were played; None if too few were.

    Divisions have the same weight; one with a single pair of tables has none.
    """
    games, divisions = 0, []
    for division in schedule.blocks:
        tables = schedule.twin_tables(division, newcomer)
        beaten = list(_beaten(tables, progress.tables))
        if len(beaten) >= _PAIRS:
            games += sum(table.games for table, _ in tables)
            new, old = np.array(beaten).T
            divisions.append((old, new))
    return TwinResult(games, pooled(divisions)) if divisions else None


def _beaten(
    pairs: list[tuple[Fixture, Fixture]], tables: Mapping[str, TableMeans]
) -> Iterator[tuple[float, float]]:
    """Yield the shares of rivals beaten by the newcomer and by its predecessor."""
    for table, twin in pairs:
        seat = next(at for at, bot in enumerate(table.seats) if bot != twin.seats[at])
        players = len(table.seats)
        new, old = (tables[fixture.id].places[seat] for fixture in (table, twin))
        yield (players - new) / (players - 1), (players - old) / (players - 1)
