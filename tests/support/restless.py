"""A league that is written to between any two queries of whoever reads it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.game.records import Cause, Fault, Fixture, PlayedFixture, fixture_result
from arena.game.rules.books import Rules
from arena.io.sqlite_file import SqliteFile
from arena.league.keeping.prune import prune, used
from arena.league.play.stored_league import StoredLeague
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.league.table.recorded_game import referee_of
from tests.support import factory, records
from tests.support.played_games import Choose, legal_answer, play_out

START = replace(
    factory.league(("a", "b", "c")),
    players=(2,),
    games=2,
    endless=True,
    blocks=0,
    sandbox="process",
)
_STEPS = 40
"""How often it is written to, at most."""


BROKEN = "broken"
"""A bot of this name crashes at its first decision."""


def answering(seats: Sequence[str], chance: Random) -> Choose:
    """Return players who answer at random."""
    crash = Fault(Cause.CRASH, "exit status 1")
    return lambda seat, asked: crash if seats[seat] == BROKEN else legal_answer(asked, chance)


def really_played(fixture: Fixture, rules: Rules) -> PlayedFixture:
    """Return a fixture with games that replay."""
    games = []
    for number in range(fixture.games):
        referee = referee_of(fixture, rules, number)
        games.append(play_out(referee, answering(fixture.seats, Random(f"{fixture.id}/{number}"))))
    return records.played(fixture, games, clock="cpu")


class RestlessLeague:
    """A league that plays, admits bots, lets them rest, prunes and ends, one step at a time."""

    def __init__(self, store: Store) -> None:
        store.begin(START)
        self._store = store
        self._league = StoredLeague(store)
        self.prunes = True
        self._steps = self._all_steps()

    def go_on(self) -> None:
        """Change something, or do no more once it has changed often."""
        next(self._steps, None)

    def play(self, fixtures: int) -> None:
        """Play so many fixtures."""
        for _ in range(fixtures):
            play_next(self._league)

    def _all_steps(self) -> Iterator[None]:
        for number in range(_STEPS):
            match number % 5:
                case 1:
                    self._league.change(joined=[factory.bot(f"new{number // 5 + 1}")])
                case 3 if number > 5:
                    self._league.change(rested=[f"new{number // 5}"])
                case 4 if self.prunes and number == 9:
                    prune(self._store, used(self._store) // 2)
                case _:
                    play_next(self._league)
            yield
        self._league.change(endless=False)
        yield


def play_next(league: StoredLeague, **texts: Any) -> bool:
    """Play the first fixture that is due and store it; False if none is.

    `texts` are fields of a `PlayedFixture`.
    """
    if not (due := league.due()):
        return False
    played = really_played(due[0], league.schedule.drawn[due[0].id][1])
    league.keep([pack(replace(played, **texts))], [fixture_result(played)])
    return True


@contextmanager
def restless(monkeypatch: pytest.MonkeyPatch, go_on: Callable[[], None]) -> Iterator[None]:
    """Call `go_on` before each query of a file, but for those that it makes itself."""
    rows, value = SqliteFile.rows, SqliteFile.value
    writing = False

    def write() -> None:
        nonlocal writing
        if not writing:
            writing = True
            try:
                go_on()
            finally:
                writing = False

    def rows_later(self: SqliteFile, sql: str, *values: object) -> Iterator[Any]:
        write()
        yield from rows(self, sql, *values)

    def value_later(self: SqliteFile, sql: str, *values: object) -> Any:
        write()
        return value(self, sql, *values)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteFile, "rows", rows_later)
        patch.setattr(SqliteFile, "value", value_later)
        yield
