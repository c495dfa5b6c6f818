"""A league's games on disk: rows in one SQLite file, logs in another, fixture by fixture."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.records import FixtureResult, LeagueInfo, PlayedFixture, QuarantinedFixture
from arena.store import schema
from arena.store.database import DamageError, Database, lock_store
from arena.store.logs import Logs, check_rows_exist, logs_path
from arena.store.migrations import MIGRATIONS, Migration, check_version, migrate
from arena.store.rows import (
    FixtureRow,
    PackedFixture,
    PackedGame,
    StoredFixture,
    key_range,
    root_hash,
    row_hash,
    unpack_result,
)
from arena.store.schema import SCHEMA_VERSION

_encode = msgspec.json.Encoder().encode
_leagues = msgspec.json.Decoder(LeagueInfo)
_quarantined = msgspec.json.Decoder(QuarantinedFixture)

_FIXTURES = f"""SELECT {", ".join(FixtureRow._fields)}, hash FROM fixtures
WHERE position BETWEEN ? AND ? ORDER BY position"""  # noqa: S608 - the names are ours
_GAMES = f"""SELECT {", ".join(PackedGame._fields)} FROM games
WHERE key BETWEEN ? AND ? ORDER BY key"""  # noqa: S608 - the names are ours
_FIRST, _LAST = -(1 << 63), (1 << 63) - 1
"""The positions that a damaged store can hold."""


class Store:
    """The games of one league; a context manager. One process plays, any number may read.

    Whatever fails (a file that is read-only, full, damaged, missing or of another version) is
    raised as an ArenaError that names the file.
    """

    def __init__(
        self, path: Path, *, create: bool = False, migrations: Sequence[Migration] = MIGRATIONS
    ) -> None:
        """Open a store to read, or with `create` to play into it, from then on locked.

        Whoever plays into a store of an older version brings it up to date first.
        """
        self.path = path
        self._writes = create
        self._now = steady_clock()
        self._opened_logs: Logs | None = None
        check_rows_exist(path)
        if not create and not path.is_file():
            raise self._not_played()
        # Closed in reverse, the lock last: closing any descriptor drops SQLite's locks on the file.
        self._open = ExitStack()
        try:
            if create:
                self._open.callback(lock_store(path))
            self._rows = Database(path)
            self._open.callback(self._rows.close)
            self._prepare(migrations)
        except ArenaError:
            self._open.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        with self._open:
            for file in self._files() if self._writes and kind is None else ():
                file.check_not_deleted()

    @property
    def league(self) -> LeagueInfo | None:
        """The conditions of the stored games; None in a new store."""
        with self._rows.translate_errors():
            found = next(self._rows.rows("SELECT info FROM league"), None)
            return _leagues.decode(found[0]) if found else None

    def conditions(self) -> LeagueInfo:
        """Return the conditions; raises ArenaError if nothing was played yet."""
        if (info := self.league) is None:
            raise self._not_played()
        return info

    def begin(self, info: LeagueInfo) -> None:
        """Store the conditions, before the first game."""
        new = _encode(info)
        self._rows.execute("INSERT INTO league VALUES (?, ?)", new, row_hash([new]))

    def change(self, info: LeagueInfo) -> None:
        """Replace the conditions by new ones, which hold those before as epochs."""
        new = _encode(info)
        self._rows.execute("UPDATE league SET info = ?, hash = ?", new, row_hash([new]))

    def finished(self) -> set[str]:
        """Return the ids of the stored fixtures."""
        return {id_ for (id_,) in self._rows.rows("SELECT id FROM fixtures")}

    def positions(self) -> list[int]:
        """Return the positions in the schedule that are stored, ascending."""
        found = self._rows.rows("SELECT position FROM fixtures ORDER BY position")
        return [position for (position,) in found]

    def add(self, packed: PackedFixture) -> None:
        """Store a fixture, durably and at most once: its logs first, then its rows."""
        stored = packed.stored(self._now())
        query = "SELECT id FROM fixtures WHERE id = ? OR position = ?"
        present = [id_ for (id_,) in self._rows.rows(query, stored.id, stored.position)]
        if present == [stored.id]:
            return
        if present:
            what = f"another fixture than {stored.id} is stored at position {stored.position}"
            raise ArenaError(what, str(self.path), "arena verify says what else is wrong")
        self._logs().put(stored)
        with self._rows.transaction():
            insert = "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._rows.execute(insert, *stored.row, stored.hash)
            # Rows of a fixture that is not stored are never read: they are overwritten.
            insert = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?)"
            self._rows.connection.executemany(insert, stored.games)
        self._rows.check_not_deleted()

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Store durably that a fixture was quarantined, in place of an earlier time."""
        insert = "INSERT OR REPLACE INTO quarantine VALUES (?, ?)"
        self._rows.execute(insert, fixture.fixture.id, _encode(fixture))

    def quarantined(self) -> list[QuarantinedFixture]:
        """Return the quarantined fixtures that were not played since, in schedule order."""
        query = "SELECT record FROM quarantine WHERE id NOT IN (SELECT id FROM fixtures)"
        with self._rows.translate_errors():
            found = [_quarantined.decode(record) for (record,) in self._rows.rows(query)]
        return sorted(found, key=lambda one: one.fixture.index)

    def played(self, first: int = _FIRST, last: int = _LAST) -> Iterator[PlayedFixture]:
        """Yield the fixtures as they were played; positions as in `stored`."""
        for stored in self.stored(first, last):
            yield self.unpack(stored, self.record(stored))

    def results(self) -> Iterator[FixtureResult]:
        """Yield the result of each fixture, in schedule order; no log is opened."""
        for row, games, _ in self._fixtures(_FIRST, _LAST):
            with self._rows.translate_errors():
                result = unpack_result(row, games)
            yield result

    def hashes(self) -> Iterator[tuple[int, str, bytes]]:
        """Yield position, id and hash (of rows and logs) of each fixture, in schedule order."""
        yield from self._rows.rows("SELECT position, id, hash FROM fixtures ORDER BY position")

    def stored(self, first: int = _FIRST, last: int = _LAST) -> Iterator[StoredFixture]:
        """Yield fixtures as they are stored, in schedule order: all, or between two positions."""
        for row, games, digest in self._fixtures(first, last):
            yield StoredFixture(row, games, *self._logs().of(row.position), digest)

    def record(self, stored: StoredFixture) -> bytes:
        """Return a fixture and its games as JSON; raises ArenaError if it is damaged."""
        with self._logs().file.translate_errors():
            return stored.record()

    def unpack(self, stored: StoredFixture, record: bytes) -> PlayedFixture:
        """Decode a fixture from its record; raises ArenaError if it is damaged."""
        with self._logs().file.translate_errors():
            return stored.played(record)

    def damage(self) -> Iterator[tuple[str, str]]:
        """Yield what is damaged of the files as such and of the conditions: where, and what.

        A damaged fixture is found by its hashes. Raises ArenaError if the logs are missing or
        another store's.
        """
        for file in self._files():
            for (problem,) in file.rows("PRAGMA integrity_check"):
                if problem != "ok":
                    yield "store", f"{file.path}: {problem}"
        for info, digest in self._rows.rows("SELECT info, hash FROM league"):
            if digest != row_hash([info]):
                yield "league", "the stored conditions are not what was written there"

    def check_logs(self) -> None:
        """Raise ArenaError if the logs are missing, unreadable or another store's."""
        self._files()

    def root(self) -> str:
        """Return one hash over the conditions and every fixture, without times and stderr.

        The same league, played again by deterministic bots, has the same root. Raises ArenaError
        if nothing was played yet.
        """
        info = self.conditions()
        found = self._rows.rows("SELECT content_hash FROM fixtures ORDER BY position")
        with self._rows.translate_errors():
            return root_hash(info, (content_hash for (content_hash,) in found))

    def _prepare(self, migrations: Sequence[Migration]) -> None:
        """Check the file of rows; a writer also makes sure that both files can be written."""
        version = self._rows.version()
        if version is None and not self._writes:
            raise self._not_played()
        if version is None:
            schema.create(self._rows, schema.ROWS, secrets.token_bytes(16))
            version = SCHEMA_VERSION
        with self._rows.translate_errors():
            if version == 0:
                raise DamageError("its tables are another program's")
            if [*self._rows.rows("SELECT * FROM sqlite_master WHERE name = 'logs'")]:
                raise DamageError("these are the logs of a store, not its rows")
        check_version(self._rows, version, migrations)
        if self._writes:
            self._rows.make_writable()
            logs = self._logs(oldest=version)
            logs.file.make_writable()
            if version < SCHEMA_VERSION:
                migrate(self._rows, logs.file, migrations)
        elif version < SCHEMA_VERSION:
            what = f"the store has version {version}, this arena reads version {SCHEMA_VERSION}"
            raise ArenaError(what, str(self.path), "arena run brings it up to date")

    def _fixtures(
        self, first: int, last: int
    ) -> Iterator[tuple[FixtureRow, list[PackedGame], bytes]]:
        """Yield rows as they were when the first was read: one query keeps one snapshot open."""
        for position, *columns, digest in self._rows.rows(_FIXTURES, first, last):
            games = self._rows.rows(_GAMES, *key_range(position))
            yield FixtureRow(position, *columns), [PackedGame(*game) for game in games], digest

    def _files(self) -> list[Database]:
        """Return the files that must exist: before the first fixture the logs need not."""
        if self.positions() or logs_path(self.path).exists():
            return [self._rows, self._logs().file]
        return [self._rows]

    def _logs(self, oldest: int = SCHEMA_VERSION) -> Logs:
        """Return the logs, opened when they are first needed; those of a new store are created."""
        if self._opened_logs is None:
            new = self._writes and not self.positions()
            token = next((row[0] for row in self._rows.rows("SELECT token FROM pair")), b"")
            self._opened_logs = Logs(self.path, token, oldest=oldest, new=new)
            self._open.callback(self._opened_logs.file.close)
        return self._opened_logs

    def _not_played(self) -> ArenaError:
        return ArenaError("nothing was played yet", str(self.path), "start with: arena run")


def steady_clock() -> Callable[[], float]:
    """Return a clock in seconds since 1970 that no setting of the time moves; sleep counts."""
    began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return lambda: began + time.clock_gettime(time.CLOCK_BOOTTIME)
