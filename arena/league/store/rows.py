"""A fixture as it is stored: one row, a packed row and a log per game, the bots' texts, and hashes.

The worker that played a fixture packs it; the writer adds the time and the hash over everything.
The logs may be pruned later: hashes of what went stay, and prove the rows.
"""

import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import msgspec

from arena.game.records import (
    Cause,
    Decision,
    Exchange,
    Fixture,
    FixtureResult,
    GameRecord,
    GameResult,
    PlayedFixture,
    game_result,
    without_words,
)
from arena.io.files import inflate
from arena.io.sqlite_file import DamageError
from arena.league.store.failures import DAMAGE

_encode = msgspec.json.Encoder().encode


def row_hash(row: Iterable[object]) -> bytes:
    """Return the SHA-256 of stored values and their types."""
    digest = sha256()
    for value in row:
        data = _bytes(value)
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()


def root_hash(encoded: Sequence[bytes], content_hashes: Iterable[bytes]) -> str:
    """Return one SHA-256 over the conditions, their changes and all fixtures in order, as hex.

    `encoded` is that of a `History`: bytes as they are stored, so that what later versions of the
    arena add to conditions changes no root.
    """
    start, *changes = encoded
    last = reduce(link_hash, changes, row_hash([start]))
    return sha256(last + b"".join(content_hashes)).hexdigest()


def link_hash(before: bytes, change: bytes) -> bytes:
    """Return the SHA-256 of a change and of the hash before it: that of a link of the chain."""
    return row_hash([before, change])


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return repr(value).encode()


def log_hash(fixture: str, game: int, log: bytes) -> bytes:
    """Return the SHA-256 of a log and of the game that it belongs to."""
    return row_hash((fixture, game, log))


GAMES = 1 << 20
"""A game's key is its fixture's position times this, plus its number in the fixture."""
_CAUSES = (None, *Cause)
"""A cause is stored as its index: new ones go to the end."""
_CAUSE_UNIT = 16
"""A seat is packed as its place plus this times its cause."""


class PackedGame(NamedTuple):
    """The row of a game: everything but its events."""

    key: int
    id: bytes
    """A hash of the fixture's id and the game's number."""
    seats: bytes
    """One byte per seat: its place and its fault, if any."""
    rounds: int
    bids: int
    events: int


def pack_game(fixture: str, position: int, record: GameRecord) -> PackedGame:
    """Return the row of a game."""
    result = game_result(record)
    seats = zip(result.places, result.faults, strict=True)
    name = f"{fixture}/{record.game}".encode("utf-8", "surrogateescape")
    return PackedGame(
        key=position * GAMES + record.game,
        id=sha256(name).digest()[:8],
        seats=bytes(place + _CAUSE_UNIT * _CAUSES.index(cause) for place, cause in seats),
        rounds=result.rounds,
        bids=result.bids,
        events=result.events,
    )


def unpack_game(game: PackedGame, players: int) -> GameResult:
    """Return the result of a game by its row; raises DamageError if that is damaged."""
    places, faults = _unpack_seats(game.seats, players)
    if not type(game.rounds) is type(game.bids) is type(game.events) is int:
        raise DamageError(f"game {game.key % GAMES} has a count that is not an integer")
    return GameResult(game.key % GAMES, places, faults, game.rounds, game.bids, game.events)


@lru_cache(maxsize=8192)
def _unpack_seats(seats: bytes, players: int) -> tuple[tuple[int, ...], tuple[Cause | None, ...]]:
    places = tuple(seat % _CAUSE_UNIT for seat in seats)
    if sorted(places) != list(range(1, players + 1)):
        raise DamageError(f"the places {places} are not those of {players} players")
    return places, tuple(_CAUSES[seat // _CAUSE_UNIT] for seat in seats)


_pack_luck = msgspec.msgpack.Encoder().encode
_unpack_luck = msgspec.msgpack.Decoder(tuple[int, ...]).decode


class Pruned(NamedTuple):
    """Hashes that prove the rows, and what the ratings need of the logs."""

    stderr: bytes
    """The SHA-256 of the standard error."""
    logs: bytes | None = None
    """The SHA-256 of the hashes of the logs; None, as the next two, while there are logs."""
    records: bytes | None = None
    """The SHA-256 of the games, from which the content hash follows."""
    packed_luck: bytes | None = None
    """The luck of each game as it is rated, as MessagePack."""

    @property
    def luck(self) -> tuple[int, ...]:
        """The luck of each game as it is rated; raises msgspec's error if it is damaged."""
        return _unpack_luck(self.packed_luck) if self.packed_luck else ()

    def with_luck(self, luck: Sequence[int]) -> "Pruned":
        """Return the same with the luck of the games."""
        return self._replace(packed_luck=_pack_luck(luck))

    def hash(self) -> bytes:
        """Return the SHA-256 of all this."""
        return row_hash(self)


_MOST_TEXTS = 1 << 25
"""Bytes of the texts of a fixture: standard error takes 2.4 MB at most, escaped; a line 48 KB."""
_Line = tuple[int, int, str]
_encode_texts = msgspec.json.Encoder().encode
_decode_texts = msgspec.json.Decoder(tuple[str | tuple[int | str, ...] | Exchange, ...]).decode


class Texts(TypedDict):
    """Fields of a `PlayedFixture`."""

    stderr: tuple[str, ...]
    answered: tuple[_Line, ...]
    exchanges: tuple[Exchange, ...]
    decisions_by: tuple[Decision, ...]


def pack_texts(played: PlayedFixture) -> bytes:
    """Return what is stored of them."""
    exchanges, by = played.exchanges, played.decisions_by
    texts = _encode_texts([*played.stderr, *played.answered, *exchanges, *by])
    if len(texts) > _MOST_TEXTS:  # thousands of faults, each with a long line, or of long requests
        texts = _encode_texts([*played.stderr, *map(without_words, exchanges), *by])
    return zlib.compress(texts, 1)


def unpack_texts(packed: bytes) -> Texts:
    """Return them again; raises a zlib or msgspec error if they are damaged."""
    texts = _decode_texts(inflate(packed, _MOST_TEXTS)) if packed else ()
    arrays = [text for text in texts if isinstance(text, tuple)]
    decisions = [array for array in arrays if len(array) == len(Decision._fields)]
    lines = [array for array in arrays if len(array) != len(Decision._fields)]
    return {
        "stderr": tuple(text for text in texts if isinstance(text, str)),
        "answered": msgspec.convert(lines, tuple[_Line, ...]),
        "exchanges": tuple(text for text in texts if isinstance(text, Exchange)),
        "decisions_by": msgspec.convert(decisions, tuple[Decision, ...]),
    }


_LEVEL = 4
"""The level of zlib: logs are 12 % smaller than with 1 for 20 µs per game, and 7 % larger than with
6, which takes 50 µs more."""
_MOST_GAME = 1 << 25
"""Bytes of a game as JSON. The longest that the rules allow, six bots with ten dice each that bid
all they can in 3,000 rounds, has half of that."""
_AT_ONCE, _RATIO = 1 << 27, 64
"""Bytes of the games of a fixture that is decoded whole: so many, and more if that is not more than
64 times the bytes of its logs. Real games unpack to four times theirs."""

_pack = msgspec.msgpack.Encoder().encode
_fixtures = msgspec.json.Decoder(Fixture)

_Timestamp = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
"""Seconds that a calendar can hold, whatever a damaged store says."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
"""A number that can be added up."""


class Record(msgspec.Struct, frozen=True):
    """What must be the same when it is played again: a fixture and its games."""

    fixture: Fixture
    games: list[GameRecord]


_records = msgspec.json.Decoder(Record)
_game_records = msgspec.json.Decoder(GameRecord)


class _How(NamedTuple):
    """How a fixture was played: fields of a result, in this order."""

    sandbox: str
    clock: Literal["wall", "cpu"]
    decisions: _Count
    seconds: _Timestamp
    stored_at: _Timestamp | None


class FixtureRow(NamedTuple):
    """The row of a fixture, column by column; a damaged store may hold any types."""

    position: int
    """The fixture's index in the schedule."""
    id: str
    fixture: bytes
    """A Fixture as JSON."""
    sandbox: str
    clock: Any
    decisions: int
    seconds: float
    stored_at: float | None
    """Seconds since 1970; None if it is not stored yet."""
    content_hash: bytes

    def played_how(self) -> "_How":
        """Return the columns that say how it was played; raises msgspec's error if one cannot."""
        how = self.sandbox, self.clock, self.decisions, self.seconds, self.stored_at
        return msgspec.convert(how, _How)


class FixtureHashes(NamedTuple):
    """What changes whenever a fixture does."""

    position: int
    id: str
    hash: bytes
    """The hash of everything that is stored of it."""
    content_hash: bytes
    """Its part of the root."""


class GameLog(NamedTuple):
    """The log of a game: its record as JSON, compressed."""

    key: int
    log: bytes
    hash: bytes


class StoredFixture(NamedTuple):
    """Everything that is stored of a fixture."""

    row: FixtureRow
    games: Sequence[PackedGame]
    logs: Sequence[GameLog]
    stderr: bytes
    """What `texts` packed; empty if it was removed."""
    hash: bytes
    """The hash of everything."""
    rows_hash: bytes
    """The hash of what the file of rows holds."""
    pruned: Pruned | None = None

    @property
    def position(self) -> int:
        """The fixture's index in the schedule."""
        return self.row.position

    @property
    def id(self) -> str:
        """The fixture's name in the schedule."""
        return self.row.id

    @property
    def has_logs(self) -> bool:
        """Whether its logs were not pruned."""
        return self.pruned is None or self.pruned.logs is None

    def hash_mismatches(self) -> Iterator[tuple[int | None, str]]:
        """Yield what was changed after it was written: the game or None, and a message."""
        for log in self.logs:
            if log.hash != log_hash(self.id, log.key % GAMES, log.log):
                yield log.key % GAMES, "its log is not what was written there"
        expected = fixture_hash(self), rows_hash(self.row, self.games, self.hash)
        if (self.hash, self.rows_hash) != expected:
            yield None, f"what is stored at position {self.position} is not what was written there"

    def with_hashes(self) -> "StoredFixture":
        """Return the same with the hashes of what it holds."""
        digest = fixture_hash(self)
        return self._replace(hash=digest, rows_hash=rows_hash(self.row, self.games, digest))

    def records(self) -> Iterator[bytes]:
        """Yield the games as JSON; raises DamageError, or a zlib error, if it cannot."""
        logs = {log.key: log.log for log in self.logs}
        for game in self.games:
            if game.key not in logs:
                raise DamageError(f"fixture {self.id}, game {game.key % GAMES}: its log is missing")
        for game in self.games:
            yield inflate(logs[game.key], _MOST_GAME)

    def only(self, numbers: Container[int]) -> "StoredFixture":
        """Return it with some of its games alone; its hashes are those of the whole."""
        return self._replace(
            games=[game for game in self.games if game.key % GAMES in numbers],
            logs=[log for log in self.logs if log.key % GAMES in numbers],
        )

    def record(self) -> bytes:
        """Return the fixture and its games as a Record in JSON; raises as `records` does."""
        return self._record(self._whole_games())

    def _whole_games(self) -> list[bytes]:
        """Return the games as JSON; raises DamageError, too, if they are far too large."""
        games, size = list[bytes](), 0
        most = max(_AT_ONCE, _RATIO * sum(len(log.log) for log in self.logs))
        for game in self.records():
            games.append(game)
            size += len(game)
            if size > most:
                raise DamageError(f"fixture {self.id}: its logs unpack to more than {most:,} bytes")
        return games

    def without_games(self) -> PlayedFixture:
        """Decode all but the games; raises as `played` does."""
        return self._played(self._record([]))

    def decoded_games(self) -> Iterator[GameRecord]:
        """Yield the games one by one, so that one is in memory; raises as `played` does."""
        return map(_game_records.decode, self.records())

    def _record(self, games: Sequence[bytes]) -> bytes:
        return b'{"fixture":' + self.row.fixture + b',"games":[' + b",".join(games) + b"]}"

    def hash_content(self) -> bytes:
        """Return the content hash that rows and logs lead to; raises as `records` does."""
        kept = self.pruned.records if self.pruned else None
        return content_hash(self.row, self.games, kept or row_hash(self.records()))

    def played_and_hash(self) -> tuple[PlayedFixture, bytes]:
        """Decode a fixture that has logs, and return the content hash that they lead to, too."""
        games = self._whole_games()
        digest = content_hash(self.row, self.games, row_hash(games))
        return self._played(self._record(games)), digest

    def played(self) -> PlayedFixture:
        """Decode the fixture whole; raises DamageError, zlib's or msgspec's error if it cannot."""
        return self._played(self.record())

    def luck(self) -> tuple[int, ...]:
        """Return the luck of the games that was kept when their logs were pruned."""
        return self.pruned.luck if self.pruned else ()

    def _played(self, record: bytes) -> PlayedFixture:
        content = _records.decode(record)
        how, texts = self.row.played_how()._asdict(), unpack_texts(self.stderr)
        return PlayedFixture(content.fixture, content.games, **how, **texts)


FIXTURES = f"""SELECT {", ".join(FixtureRow._fields)}, hash, rows_hash FROM fixtures
WHERE position BETWEEN ? AND ? ORDER BY position"""  # noqa: S608 - the names are ours
GAMES_OF = f"""SELECT {", ".join(PackedGame._fields)} FROM games
WHERE key BETWEEN ? AND ? ORDER BY key"""  # noqa: S608 - the names are ours
FIRST, LAST = -(1 << 63), (1 << 63) - 1
"""The positions that a damaged store can hold."""


class PackedFixture(NamedTuple):
    """A fixture packed by the worker that played it: all that is stored but the time and hash."""

    row: FixtureRow
    games: Sequence[PackedGame]
    logs: Sequence[GameLog]
    stderr: bytes

    def result(self) -> FixtureResult:
        """Return the result of the fixture, which is not stored yet."""
        return unpack_result(self.row, self.games)

    def stored(self, at: float | None) -> StoredFixture:
        """Return what to store at a time in seconds since 1970."""
        row = self.row._replace(stored_at=at)
        unhashed = StoredFixture(row, self.games, self.logs, self.stderr, hash=b"", rows_hash=b"")
        return unhashed.with_hashes()


def key_range(position: int) -> tuple[int, int]:
    """Return the first and the last key that games of the fixture at a position can have."""
    return position * GAMES, position * GAMES + GAMES - 1


def fixture_hash(stored: StoredFixture) -> bytes:
    """Return the SHA-256 over everything that is stored of a fixture, in both files."""
    games = (value for game in stored.games for value in game)
    left = stored.pruned
    logs = (left and left.logs) or row_hash(log.hash for log in stored.logs)
    stderr = left.stderr if left else row_hash([stored.stderr])
    return row_hash((*stored.row, len(stored.games), *games, logs, stderr))


def content_hash(row: FixtureRow, games: Sequence[PackedGame], records: bytes) -> bytes:
    """Return the SHA-256 of what is the same whenever a fixture is played again.

    `records` is that of its games. Rows are proved by it even after their logs were pruned.
    """
    values = (value for game in games for value in game)
    played = row.id, row.fixture, row.sandbox, row.clock, row.decisions
    return row_hash((*played, len(games), *values, records))


def rows_hash(row: FixtureRow, games: Sequence[PackedGame], digest: bytes) -> bytes:
    """Return the SHA-256 over the rows of a fixture, so that they can be checked without its logs.

    `digest` is the hash over everything; the result is empty if damage left what cannot be encoded.
    """
    try:
        return sha256(_pack((row, games, digest))).digest()
    except (UnicodeError, OverflowError):
        return b""


def pack(played: PlayedFixture) -> PackedFixture:
    """Return what to store of a fixture."""
    fixture = played.fixture
    games = [pack_game(fixture.id, fixture.index, game) for game in played.games]
    records = [_encode(game) for game in played.games]
    row = FixtureRow(
        position=fixture.index,
        id=fixture.id,
        fixture=_encode(fixture),
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        seconds=played.seconds,
        stored_at=None,
        content_hash=b"",
    )
    row = row._replace(content_hash=content_hash(row, games, row_hash(records)))
    logs = []
    for game, record in zip(played.games, records, strict=True):
        log = zlib.compress(record, _LEVEL)
        key = fixture.index * GAMES + game.game
        logs.append(GameLog(key, log, log_hash(fixture.id, game.game, log)))
    return PackedFixture(row, games, logs, pack_texts(played))


def unpack_result(row: FixtureRow, games: Sequence[PackedGame]) -> FixtureResult:
    """Return a fixture's result by its rows alone; raises DamageError if they are damaged."""
    fixture = _fixtures.decode(row.fixture)
    players = len(fixture.seats)
    return FixtureResult(fixture, [unpack_game(game, players) for game in games], *row.played_how())


def sound_result(
    row: FixtureRow, games: Sequence[PackedGame], digest: bytes, rows_digest: bytes
) -> FixtureResult | None:
    """Return a fixture's result by its rows, or None if they are not what was written there."""
    if rows_digest != rows_hash(row, games, digest):
        return None
    try:
        return unpack_result(row, games)
    except DAMAGE:
        return None
