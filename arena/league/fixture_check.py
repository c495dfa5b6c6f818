"""The proof of one stored fixture: its bytes, its place in the schedule, its games."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.schedule import Schedule
from arena.match.replay import ReplayError, replay
from arena.records import Fixture, PlayedFixture
from arena.store.store import AnyStored, Store

_encode = msgspec.json.Encoder().encode


class Finding(msgspec.Struct, frozen=True):
    """Something in a store that is not as it must be."""

    where: str
    what: str


class Checked(msgspec.Struct, frozen=True):
    """What was found of one stored fixture."""

    findings: tuple[Finding, ...]
    played: PlayedFixture | None = None
    """What it holds, without the games' events; None where it cannot be read."""
    pin: bytes = b""
    """Its part in the root of the store; empty where it cannot be read."""


class Judge:
    """Checks stored rows against the conditions of their league."""

    def __init__(self, schedule: Schedule) -> None:
        self._expected = schedule.drawn

    def check(self, store: Store, first: int, last: int) -> Iterator[Checked]:
        """Check what is stored from one position to another."""
        try:
            for stored in store.stored(first, last):
                yield self._check_stored(store, stored)
        except ArenaError as error:
            where = f"positions {first} to {last}"
            yield Checked((Finding(where, error.what),))

    def _check_stored(self, store: Store, stored: AnyStored) -> Checked:
        found = [_finding(stored, *one) for one in stored.changes()]
        try:
            record = store.record(stored)
            played = store.unpack(stored, record)
        except ArenaError as error:
            found.append(Finding(f"fixture {stored.id}", f"it cannot be read: {error.what}"))
            return Checked(tuple(found))
        found += _check_place(stored, played.fixture)
        found += self._check_fixture(played)
        pin = stored.pinned(record)
        if not found:
            found += [_finding(stored, *one) for one in stored.differences(played, pin)]
        short = replace(played, games=[replace(game, events=()) for game in played.games])
        return Checked(tuple(found), short, pin)

    def _check_fixture(self, played: PlayedFixture) -> Iterator[Finding]:
        fixture = played.fixture
        expected, rules = self._expected.get(fixture.id, (None, None))
        if expected != fixture or rules is None:
            yield Finding(f"fixture {fixture.id}", "it is not in the schedule as it stands there")
            return
        if [record.game for record in played.games] != list(range(fixture.games)):
            yield Finding(f"fixture {fixture.id}", "it does not hold each of its games once")
        for record in played.games:
            where = f"fixture {fixture.id}, game {record.game}"
            try:
                again = replay(fixture, rules, record)
            except (ReplayError, LookupError, ValueError, TypeError) as error:
                yield Finding(where, f"does not replay: {error}")
                continue
            if _encode(again) != _encode(record):
                yield Finding(where, "the replay differs from the record")


def check_in_worker(path: Path, first: int, last: int) -> list[Checked]:
    """Check what a store holds from one position to another, in a worker."""
    with Store(path) as store:
        judge = _judge(path)
        return list(judge.check(store, first, last)) if judge else []


@lru_cache(maxsize=1)
def _judge(path: Path) -> Judge | None:
    """Return the judge of this worker, which lives for one store."""
    with Store(path) as store:
        info = store.league
    return Judge(Schedule(info)) if info else None


def _finding(stored: AnyStored, game: int | None, what: str) -> Finding:
    where = f"fixture {stored.id}"
    return Finding(where if game is None else f"{where}, game {game}", what)


def _check_place(stored: AnyStored, fixture: Fixture) -> Iterator[Finding]:
    if (stored.position, stored.id) != (fixture.index, fixture.id):
        what = f"it is stored in the place of fixture {stored.id}, number {stored.position}"
        yield Finding(f"fixture {fixture.id}", what)
