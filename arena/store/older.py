"""Stores of versions 1 to 3: a row a fixture, with all its games in it."""

import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from arena.errors import ArenaError
from arena.records import FixtureResult, PlayedFixture, fixture_result
from arena.store.file import DamageError, File
from arena.store.hashes import content_hash, row_hash
from arena.store.logs import Logs
from arena.store.rows import Stored, packed, played
from arena.store.schema import TABLES, make_token, token, upgraded
from arena.store.tables import write

_TOGETHER = 50
"""Fixtures whose logs are written in one transaction."""


class _Raw(msgspec.Struct):
    """A Record whose parts are as they lie there."""

    fixture: msgspec.Raw
    games: list[msgspec.Raw]


_raw = msgspec.json.Decoder(_Raw)


class OldRow(NamedTuple):
    """What was stored of a fixture, column by column."""

    position: int
    id: str
    record: bytes
    """A Record as JSON, compressed."""
    sandbox: str
    clock: Any
    decisions: int
    seconds: float
    stderr: bytes
    stored_at: float | None
    """None before version 3."""


class OldStored(NamedTuple):
    """All that is stored of a fixture; its hash is None before version 3."""

    row: OldRow
    hash: bytes | None
    hashed: bool

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
        if self.hashed and self.hash != row_hash(self.row):
            yield None, f"what is stored at position {self.position} is not what was written there"

    def differences(self, _: PlayedFixture, __: bytes) -> Iterator[tuple[int | None, str]]:
        """Yield nothing: there are no other rows to differ."""
        yield from ()

    def record(self) -> bytes:
        """Return the fixture and its games as one Record."""
        return zlib.decompress(self.row.record)

    def pinned(self, record: bytes) -> bytes:
        """Return the fixture's part in the root, by its record."""
        row = self.row
        return content_hash(row.id, record, row.sandbox, row.clock, row.decisions)

    def played(self, record: bytes) -> PlayedFixture:
        """Return the fixture of its record; raises zlib or msgspec errors where it cannot."""
        return played(record, self.row[3:7], self.row.stderr, self.row.stored_at)

    def today(self) -> Stored:
        """Return what to store of the fixture today; raises DamageError where it is not itself."""
        record = self.record()
        raw = _raw.decode(record)
        logs = [bytes(game) for game in raw.games]
        whole = packed(self.played(record), bytes(raw.fixture), logs, self.row.stderr)
        new = whole.stored(self.row.stored_at)
        same = (new.position, new.id, new.record()) == (self.position, self.id, record)
        if [*self.changes()] or not same:
            raise DamageError(f"fixture {self.id}, number {self.position}, is not what was written")
        return new


class OldTables:
    """What is read of the one file."""

    def __init__(self, file: File, table: str = "fixtures") -> None:
        self._file = file
        names = [*file.rows("SELECT name FROM pragma_table_info(?)", table)]
        self.hashed = ("hash",) in names
        columns = ", ".join(OldRow._fields)
        if not self.hashed:
            columns = columns.replace("stored_at", "NULL")
        hash_ = "hash" if self.hashed else "NULL"
        self._select = f"SELECT {columns}, {hash_} FROM {table}"  # noqa: S608 - names of ours
        self._hashes = f"SELECT position, id, {hash_} FROM {table} ORDER BY position"  # noqa: S608

    def stored(self, first: int | None, last: int | None) -> Iterator[OldStored]:
        """Yield all that is stored, from one position to another or all."""
        where = "" if first is None else "WHERE position BETWEEN ? AND ?"
        values = () if first is None else (first, last)
        for *row, digest in self._file.rows(f"{self._select} {where} ORDER BY position", *values):
            yield OldStored(OldRow(*row), digest, self.hashed)

    def results(self) -> Iterator[FixtureResult]:
        """Yield what came of each fixture."""
        for stored in self.stored(None, None):
            with self._file.translate_errors():
                result = fixture_result(stored.played(stored.record()), stored.row.stored_at)
            yield result

    def hashes(self) -> Iterator[tuple[int, str, bytes | None]]:
        """Yield position, id and hash of each fixture."""
        yield from self._file.rows(self._hashes)

    def pins(self) -> Iterator[bytes]:
        """Yield each fixture's part in the root."""
        for stored in self.stored(None, None):
            with self._file.translate_errors():
                part = stored.pinned(stored.record())
            yield part


def is_old(file: File) -> bool:
    """Tell whether the tables are those of an older version.

    It is told by the tables themselves: the number of the version is one bit from another.
    """
    return "games" not in file.tables()


def migrate(file: File, version: int) -> None:
    """Bring an older store up to date, at once or not at all.

    The logs are written first. Where that was cut short the store is as it was but for the token
    by which the logs are known, and they are written over the next time. Raises ArenaError where
    a fixture is damaged: its hash would be made anew over what nobody wrote.
    """
    with file.transaction():
        make_token(file)
    logs = Logs(file.path, token(file), new=True)
    try:
        with file.transaction():
            file.db.execute("ALTER TABLE fixtures RENAME TO older")
            for statement in TABLES:
                file.db.execute(statement)
            _move(file, logs)
            file.db.execute("DROP TABLE older")
            _upgrade_league(file, version)
        with file.translate_errors():
            file.db.execute("VACUUM")
    finally:
        logs.close()


def _move(file: File, logs: Logs) -> None:
    every = OldTables(file, "older").stored(None, None)
    while some := [_today(file, old) for old in islice(every, _TOGETHER)]:
        with logs.file.transaction():
            for one in some:
                logs.write(one)
        for one in some:
            write(file, one)


def _today(file: File, old: OldStored) -> Stored:
    try:
        with file.translate_errors():
            return old.today()
    except ArenaError as error:
        what = f"an older store that is damaged is not brought up to date: {error.what}"
        hint = "arena verify names all that is wrong; choose another with --store to start anew"
        raise ArenaError(what, str(file.path), hint) from None


def _upgrade_league(file: File, version: int) -> None:
    with_hash = "SELECT count(*) FROM pragma_table_info('league') WHERE name = 'hash'"
    if [*file.rows(with_hash)] == [(0,)]:
        file.db.execute("ALTER TABLE league ADD COLUMN hash BLOB")
    for (info,) in [*file.rows("SELECT info FROM league")]:
        new = upgraded(info, version)
        file.db.execute("UPDATE league SET info = ?, hash = ?", (new, row_hash([new])))
