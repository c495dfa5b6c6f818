"""One stored fixture, verified: its hashes, its index in the schedule, every game."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from arena.game.records import Fixture, FixtureResult, GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.league.store.format.games import PackedGame, pack_game
from arena.league.store.format.rows import StoredFixture
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
    """Check a fixture's hashes, its index in the schedule, and its games by playing them again.

    If its logs were pruned, the rows of its games are checked by their hash in the root.
    Of games with logs one is in memory at a time, however much the logs of a store unpack to.
    """
    findings = [_finding(stored, *pair) for pair in stored.hash_mismatches()]
    try:
        played, games = _read(store, expected, stored)
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
        findings += _check_place(played, expected)
        findings += [finding for game in games for finding in game.replay]
    if not findings:
        findings += [finding for game in games for finding in game.row]
    if not findings and content_hash != stored.row.content_hash:
        findings.append(_finding(stored, None, "its content hash does not match its games"))
    if isinstance(played, FixtureResult):
        return CheckedFixture(tuple(findings), played, len(played.games), content_hash, luck)
    luck = () if findings else tuple(luck for game in games for luck in game.luck)
    return CheckedFixture(tuple(findings), played, 0, content_hash, luck)


class _CheckedGame(NamedTuple):
    """The result of checking one game, without its events."""

    record: GameRecord
    replay: tuple[StoreFinding, ...] = ()
    row: tuple[StoreFinding, ...] = ()
    """Of a game that replays."""
    luck: tuple[int, ...] = ()
    """As it is rated, of a game that replays."""


def _read(
    store: Store, expected: Expected, stored: StoredFixture
) -> tuple[PlayedFixture | FixtureResult, Sequence[_CheckedGame]]:
    """Return a fixture without events, and its games; its result if its logs were pruned."""
    if not stored.has_logs:
        return store.result(stored), ()
    played = store.without_games(stored)
    scheduled, rules = expected.get(played.fixture.id, (None, None))
    if scheduled != played.fixture:  # and so its games are not played again
        rules = None
    games = [
        _check_game(replace(played, games=[record]), rules, stored, row)
        for record, row in zip(store.games(stored), stored.games, strict=True)
    ]
    return replace(played, games=[game.record for game in games]), games


def _check_game(
    played: PlayedFixture, rules: Rules | None, stored: StoredFixture, row: PackedGame
) -> _CheckedGame:
    """Play the one game of a fixture again, and compare it with its record and its row."""
    [record], fixture = played.games, played.fixture
    kept = replace(record, events=())
    if rules is None:
        return _CheckedGame(kept)
    where = f"fixture {fixture.id}, game {record.game}"
    try:
        replayed = replay(fixture, rules, record)
    except (ReplayError, LookupError, ValueError, TypeError) as error:
        return _CheckedGame(kept, (StoreFinding(where, f"does not replay: {error}"),))
    if _encode(replayed) != _encode(record):
        return _CheckedGame(kept, (StoreFinding(where, "the replay differs from the record"),))
    differs = row != pack_game(fixture.id, stored.position, record)
    findings = (_finding(stored, record.game, "its row does not match its log"),) if differs else ()
    return _CheckedGame(kept, (), findings, rated_luck(played, rules))


def _check_place(played: PlayedFixture | FixtureResult, expected: Expected) -> list[StoreFinding]:
    """Find a fixture that the schedule does not have, or that lacks games."""
    fixture, where = played.fixture, f"fixture {played.fixture.id}"
    scheduled, _ = expected.get(fixture.id, (None, None))
    if scheduled != fixture:
        return [StoreFinding(where, "the schedule has no such fixture")]
    numbers = [record.game for record in played.games]
    if len(numbers) != fixture.games or numbers != list(range(fixture.games)):
        return [StoreFinding(where, "it does not hold each of its games once")]
    return []


def _finding(stored: StoredFixture, game: int | None, what: str) -> StoreFinding:
    where = f"fixture {stored.id}"
    return StoreFinding(where if game is None else f"{where}, game {game}", what)
