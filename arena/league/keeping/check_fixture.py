"""One stored fixture, verified: its hashes, its place in the schedule, every game."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from arena.game.records import Fixture, FixtureResult, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.league.store.rows import StoredFixture
from arena.league.store.store import Store
from arena.league.table.replay import ReplayError, replay
from arena.playstats.luck import rated_luck

_encode = msgspec.json.Encoder().encode
Expected = Mapping[str, tuple[Fixture, Rules]]
"""Fixtures of the schedule and their rules, by id."""


class StoreFinding(msgspec.Struct, frozen=True):
    """A defect of a store."""

    where: str
    """The fixture, the game or the part of the store."""
    what: str


class CheckedFixture(msgspec.Struct, frozen=True):
    """The result of checking one stored fixture."""

    findings: tuple[StoreFinding, ...]
    played: PlayedFixture | FixtureResult | None = None
    """Without the games' events; None if it cannot be read."""
    pruned: int = 0
    """Games whose logs were pruned."""
    content_hash: bytes = b""
    """Computed from its games; empty if it cannot be read."""
    luck: tuple[int, ...] = ()
    """Of each game, as it is rated; empty if anything was found."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return len(self.played.games) if self.played else 0


def check_stored(store: Store, expected: Expected, stored: StoredFixture) -> CheckedFixture:
    """Check a fixture's hashes, its place in the schedule, and its games by playing them again.

    If its logs were pruned, the rows of its games are checked by their hash in the root.
    """
    findings = [_finding(stored, *pair) for pair in stored.hash_mismatches()]
    try:
        played = _read(store, stored)
        content_hash = store.content_hash(stored)
        luck = store.luck(stored)
    except ArenaError as error:
        findings.append(_finding(stored, None, f"it cannot be read: {error.what}"))
        return CheckedFixture(tuple(findings))
    fixture = played.fixture
    moved = (stored.position, stored.id) != (fixture.index, fixture.id)
    if moved:
        what = f"it is stored in the place of fixture {stored.id}, number {stored.position}"
        findings.append(StoreFinding(f"fixture {fixture.id}", what))
    if not moved or fixture.id in expected:
        findings += _check_games(played, expected)
    if not findings and isinstance(played, PlayedFixture):
        findings += [_finding(stored, *pair) for pair in stored.row_mismatches(played)]
    if not findings and content_hash != stored.row.content_hash:
        findings.append(_finding(stored, None, "its content hash does not match its games"))
    if isinstance(played, FixtureResult):
        return CheckedFixture(tuple(findings), played, len(played.games), content_hash, luck)
    _, rules = expected[fixture.id] if not findings else (fixture, None)
    luck = rated_luck(played, rules) if rules else ()
    without_events = replace(played, games=[replace(game, events=()) for game in played.games])
    return CheckedFixture(tuple(findings), without_events, 0, content_hash, luck)


def _read(store: Store, stored: StoredFixture) -> PlayedFixture | FixtureResult:
    """Return a fixture as it was played, or its result if its logs were pruned."""
    if stored.has_logs:
        return store.unpack(stored, store.record(stored))
    return store.result(stored)


def _check_games(
    played: PlayedFixture | FixtureResult, expected: Expected
) -> Iterator[StoreFinding]:
    fixture = played.fixture
    scheduled, rules = expected.get(fixture.id, (None, None))
    if scheduled != fixture or rules is None:
        yield StoreFinding(f"fixture {fixture.id}", "the schedule has no such fixture")
        return
    if [record.game for record in played.games] != list(range(fixture.games)):
        yield StoreFinding(f"fixture {fixture.id}", "it does not hold each of its games once")
    if isinstance(played, FixtureResult):
        return
    for record in played.games:
        where = f"fixture {fixture.id}, game {record.game}"
        try:
            replayed = replay(fixture, rules, record)
        except (ReplayError, LookupError, ValueError, TypeError) as error:
            yield StoreFinding(where, f"does not replay: {error}")
            continue
        if _encode(replayed) != _encode(record):
            yield StoreFinding(where, "the replay differs from the record")


def _finding(stored: StoredFixture, game: int | None, what: str) -> StoreFinding:
    where = f"fixture {stored.id}"
    return StoreFinding(where if game is None else f"{where}, game {game}", what)
