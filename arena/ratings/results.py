"""Finished games as the ratings take them: of each fixture, by variant and table size."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from arena.records import Division, Fixture, FixtureResult, GameResult, PlayedFixture, game_result


class Results(NamedTuple):
    """What came of a fixture's games; the sequences have an entry a game."""

    bots: tuple[str, ...]
    """Bot names, seat 0 first."""
    games: Sequence[int]
    """The number of each game within the fixture."""
    places: Sequence[tuple[int, ...]]
    """The finishing place of each seat, 1 is the winner."""
    faulted: Sequence[Collection[int]]
    """The seats that faulted."""
    block: int = 0
    """The fixture's block: what shares dice, and is resampled together."""
    fixture: int = 0
    """The fixture's place in the schedule."""


def by_table(played: Iterable[PlayedFixture | FixtureResult]) -> dict[Division, list[Results]]:
    """Return the results of each variant and table size, in the order of their first fixtures."""
    return grouped((one.fixture, _results(one)) for one in played)


def grouped(fixtures: Iterable[tuple[Fixture, Results]]) -> dict[Division, list[Results]]:
    """Return the same of fixtures whose results are known already."""
    first: dict[Division, int] = {}
    kinds: dict[Division, list[Results]] = {}
    for fixture, results in fixtures:
        kind = fixture.division
        if results.games:
            kinds.setdefault(kind, []).append(results)
        first[kind] = min(first.get(kind, fixture.index), fixture.index)
    return {kind: kinds[kind] for kind in sorted(kinds, key=lambda k: (first[k], k))}


def _results(played: PlayedFixture | FixtureResult) -> Results:
    fixture = played.fixture
    games = [one if isinstance(one, GameResult) else game_result(one) for one in played.games]
    return Results(
        bots=fixture.seats,
        games=[one.game for one in games],
        places=[one.places for one in games],
        faulted=[[seat for seat, cause in enumerate(one.faults) if cause] for one in games],
        block=fixture.block,
        fixture=fixture.index,
    )
