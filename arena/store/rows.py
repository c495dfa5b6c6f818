"""A fixture as it is stored: a row of its own, a packed row a game, and a log a game.

Whoever played it packs it; whoever writes it adds the time and the hash over all.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Any, NamedTuple

import msgspec

from arena.records import (
    Cause,
    Fixture,
    FixtureResult,
    GameRecord,
    GameResult,
    PlayedFixture,
    game_result,
)
from arena.store.file import DamageError
from arena.store.hashes import content_hash, row_hash

GAMES = 1 << 20
"""A game's key is its fixture's position times this, plus its number: more than a fixture holds."""
_CAUSES = (None, *Cause)
"""A cause is stored as its place here: new ones go to the end."""
_LEVEL = 4
"""Of zlib: logs are 12 % smaller than with 1 for 20 µs a game, and 7 % larger than with 6, which
takes 50 µs more."""
_SEAT = 16
"""A seat is packed as its place plus this times its cause."""

_encode = msgspec.json.Encoder().encode
_fixtures = msgspec.json.Decoder(Fixture)
_texts = msgspec.json.Decoder(tuple[str, ...])


class Record(msgspec.Struct, frozen=True):
    """What must come out the same when it is played again: a fixture and its games."""

    fixture: Fixture
    games: list[GameRecord]


_records = msgspec.json.Decoder(Record)


class FixtureRow(NamedTuple):
    """The row of a fixture, column by column; a damaged store may hold any types."""

    position: int
    id: str
    fixture: bytes
    """A Fixture as JSON."""
    sandbox: str
    clock: Any
    decisions: int
    seconds: float
    stored_at: float | None
    """Seconds since 1970; None where it is not stored yet, or was before version 3."""
    pin: bytes


_Moment = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
"""Seconds that a calendar can hold, whatever a damaged store says."""


class PackedGame(NamedTuple):
    """The row of a game: all but its events."""

    key: int
    id: bytes
    seats: bytes
    """A byte a seat: its place, and why it is out."""
    rounds: int
    bids: int
    events: int


class Log(NamedTuple):
    """The log of a game: its record as JSON, compressed."""

    key: int
    log: bytes
    hash: bytes


class Stored(NamedTuple):
    """All that is stored of a fixture."""

    row: FixtureRow
    games: Sequence[PackedGame]
    logs: Sequence[Log]
    stderr: bytes
    """A list of texts as JSON, compressed."""
    hash: bytes

    @property
    def position(self) -> int:
        """The fixture's place in the schedule."""
        return self.row.position

    @property
    def id(self) -> str:
        """The fixture's name in the schedule."""
        return self.row.id

    def changes(self) -> Iterator[tuple[int | None, str]]:
        """Yield what is not as it was written: the number of the game or None, and what."""
        for log in self.logs:
            if log.hash != log_hash(self.id, log.key % GAMES, log.log):
                yield log.key % GAMES, "its log is not what was written there"
        if self.hash != fixture_hash(self):
            yield None, f"what is stored at position {self.position} is not what was written there"

    def differences(self, played: PlayedFixture, pinned: bytes) -> Iterator[tuple[int | None, str]]:
        """Yield where the rows do not say what the logs say, in the same way."""
        for game, record in zip(self.games, played.games, strict=False):
            if game != pack_game(played.fixture.id, self.position, record):
                yield record.game, "its row does not say what its log says"
        if self.row.pin != pinned:
            yield None, "its part in the root is not that of its games"

    def record(self) -> bytes:
        """Return the fixture and its games as one Record; raises DamageError where it cannot."""
        logs = {log.key: log.log for log in self.logs}
        for game in self.games:
            if game.key not in logs:
                raise DamageError(f"fixture {self.id}, game {game.key % GAMES}: its log is missing")
        return _record(self.row.fixture, (zlib.decompress(logs[one.key]) for one in self.games))

    def pinned(self, record: bytes) -> bytes:
        """Return the fixture's part in the root, by what its logs say."""
        row = self.row
        return content_hash(row.id, record, row.sandbox, row.clock, row.decisions)

    def played(self, record: bytes) -> PlayedFixture:
        """Return the fixture of its record; raises zlib or msgspec errors where it cannot."""
        return played(record, self.row[3:7], self.stderr, self.row.stored_at)


class Packed(NamedTuple):
    """A fixture, packed where it was played: all that will be stored but the time and the hash."""

    row: FixtureRow
    games: Sequence[PackedGame]
    logs: Sequence[Log]
    stderr: bytes

    def result(self) -> FixtureResult:
        """Return what came of the fixture, which is not stored yet."""
        return unpack_results(self.row, self.games)

    def stored(self, at: float | None) -> Stored:
        """Return what to store at a time in seconds since 1970."""
        whole = Stored(self.row._replace(stored_at=at), *self[1:], b"")
        return whole._replace(hash=fixture_hash(whole))


def played(
    record: bytes, how: tuple[str, Any, int, float], stderr: bytes, stored_at: float | None
) -> PlayedFixture:
    """Return a fixture from its record, the four columns of `how`, and its standard error."""
    read = _records.decode(record)
    sandbox, clock, decisions, seconds = how
    return PlayedFixture(
        fixture=read.fixture,
        games=read.games,
        sandbox=sandbox,
        clock=clock,
        decisions=decisions,
        seconds=msgspec.convert(seconds, _Moment),
        stderr=_texts.decode(zlib.decompress(stderr)),
        stored_at=msgspec.convert(stored_at, _Moment | None),
    )


def keys(first: int, last: int) -> tuple[int, int]:
    """Return the first and the last key of the games from one position to another."""
    return first * GAMES, last * GAMES + GAMES - 1


def game_id(fixture: str, game: int) -> bytes:
    """Return a game's id: a hash of its place in the schedule, which the fixture's id is, too."""
    return sha256(f"{fixture}/{game}".encode("utf-8", "surrogateescape")).digest()[:8]


def log_hash(fixture: str, game: int, log: bytes) -> bytes:
    """Return the SHA-256 of a log and of whose it is."""
    return row_hash((fixture, game, log))


def fixture_hash(stored: Stored) -> bytes:
    """Return the SHA-256 over all that is stored of a fixture, in both files."""
    games = (value for game in stored.games for value in game)
    logs = (log.hash for log in stored.logs)
    return row_hash((*stored.row, len(stored.games), *games, *logs, stored.stderr))


def pack(played: PlayedFixture) -> Packed:
    """Return what to store of a fixture."""
    logs = [_encode(game) for game in played.games]
    stderr = zlib.compress(_encode(played.stderr), 1)
    return packed(played, _encode(played.fixture), logs, stderr)


def packed(played: PlayedFixture, fixture: bytes, logs: Sequence[bytes], stderr: bytes) -> Packed:
    """Return what to store of a fixture whose JSON is there already, to the last byte."""
    one = played.fixture
    record = _record(fixture, logs)
    row = FixtureRow(
        position=one.index,
        id=one.id,
        fixture=fixture,
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        seconds=played.seconds,
        stored_at=None,
        pin=content_hash(one.id, record, played.sandbox, played.clock, played.decisions),
    )
    games = [pack_game(one.id, one.index, game) for game in played.games]
    kept = [_log(one, game, log) for game, log in zip(played.games, logs, strict=True)]
    return Packed(row, games, kept, stderr)


def _record(fixture: bytes, games: Iterable[bytes]) -> bytes:
    return b'{"fixture":' + fixture + b',"games":[' + b",".join(games) + b"]}"


def _log(fixture: Fixture, game: GameRecord, record: bytes) -> Log:
    log = zlib.compress(record, _LEVEL)
    return Log(fixture.index * GAMES + game.game, log, log_hash(fixture.id, game.game, log))


def pack_game(fixture: str, position: int, record: GameRecord) -> PackedGame:
    """Return the row of a game."""
    result = game_result(record)
    seats = zip(result.places, result.faults, strict=True)
    return PackedGame(
        key=position * GAMES + record.game,
        id=game_id(fixture, record.game),
        seats=bytes(place + _SEAT * _CAUSES.index(cause) for place, cause in seats),
        rounds=result.rounds,
        bids=result.bids,
        events=result.events,
    )


def unpack_results(row: FixtureRow, games: Sequence[PackedGame]) -> FixtureResult:
    """Return what came of a fixture, by its rows alone; raises DamageError where it cannot."""
    fixture = _fixtures.decode(row.fixture)
    players = len(fixture.seats)
    return FixtureResult(
        fixture=fixture,
        games=[_result(game, players) for game in games],
        sandbox=row.sandbox,
        clock=row.clock,
        decisions=row.decisions,
        seconds=msgspec.convert(row.seconds, _Moment),
        stored_at=msgspec.convert(row.stored_at, _Moment | None),
    )


def _result(game: PackedGame, players: int) -> GameResult:
    places, faults = _unpack_seats(game.seats, players)
    return GameResult(game.key % GAMES, places, faults, game.rounds, game.bids, game.events)


@lru_cache(maxsize=8192)
def _unpack_seats(seats: bytes, players: int) -> tuple[tuple[int, ...], tuple[Cause | None, ...]]:
    places = tuple(seat % _SEAT for seat in seats)
    if sorted(places) != list(range(1, players + 1)):
        raise DamageError(f"the places {places} are not those of {players} players")
    return places, tuple(_CAUSES[seat // _SEAT] for seat in seats)
