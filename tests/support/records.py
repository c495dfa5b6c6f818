"""Fixtures, what was played of them and their results, for tests to which a part of it matters."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from arena.game.records import (
    Cause,
    Conditions,
    Fixture,
    FixtureResult,
    GameRecord,
    GameResult,
    PlayedFixture,
)
from arena.league.store.rows import pack
from arena.league.store.store import Store


def fixture(seats: Iterable[str], games: int = 1, **fields: Any) -> Fixture:
    """Return a fixture, by default of the variant bga."""
    defaults = {"id": "f", "index": 0, "variant": "bga", "seed": "a seed"}
    return Fixture(**{**defaults, **fields}, seats=tuple(seats), games=games)


def played(of: Fixture, games: Sequence[GameRecord] = (), **fields: Any) -> PlayedFixture:
    """Return a fixture that took no time, by default without games."""
    return PlayedFixture(of, games, **{**_UNTIMED, **fields})


def result(
    of: Fixture, places: Iterable[Sequence[int]], faulted: Collection[int] = (), first: int = 0
) -> FixtureResult:
    """Return a result with a game for each entry of `places`; the `faulted` seats crashed in all.

    `first` is the number of the first game.
    """
    faults = tuple(Cause.CRASH if seat in faulted else None for seat in range(len(of.seats)))
    games = [GameResult(first + n, tuple(row), faults, 1, 1, 3) for n, row in enumerate(places)]
    return FixtureResult(of, games, **_UNTIMED)


def stored(path: Path, conditions: Conditions, fixtures: Iterable[PlayedFixture] = ()) -> Path:
    """Make the store of a league, with these fixtures; returns its path."""
    with Store(path, create=True) as store:
        store.begin(conditions)
        for one in fixtures:
            store.add(pack(one))
    return path


_UNTIMED: dict[str, Any] = {"sandbox": "process", "clock": "cpu", "decisions": 0, "seconds": 0.0}
