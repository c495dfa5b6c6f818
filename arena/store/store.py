"""A league's games on disk: rows in one SQLite file, logs in another, a fixture at a time."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.records import FixtureResult, LeagueInfo, PlayedFixture, QuarantinedFixture
from arena.store import quarantine as aside
from arena.store import schema
from arena.store.clock import steady_clock
from arena.store.file import DamageError, File
from arena.store.hashes import root_hash, row_hash
from arena.store.lock import lock_store
from arena.store.logs import Logs, check_not_widowed, logs_path
from arena.store.older import OldStored, OldTables, is_old, migrate
from arena.store.rows import Packed, Stored
from arena.store.schema import SCHEMA_VERSION, WITH_HASHES, upgraded
from arena.store.tables import Tables
from arena.store.wal import unreadable

AnyStored = Stored | OldStored
"""All that is stored of a fixture, by this arena or an older one."""

_encode = msgspec.json.Encoder().encode
_leagues = msgspec.json.Decoder(LeagueInfo)


class Store:
    """The games of one league; a context manager. One process plays, any number may read.

    Everything that goes wrong with its files (not writable, full, damaged, missing, from a newer
    version) is raised as an ArenaError that names the file.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._writes = create
        self._now = steady_clock()
        check_not_widowed(path)
        if not create and not path.is_file():
            raise ArenaError("nothing was played yet", str(path), "start with: arena run")
        # Closed in turn, the claim last: closing any descriptor drops SQLite's locks on the file.
        self._open = ExitStack()
        self._kept_logs: Logs | None = None
        try:
            if create:
                self._open.callback(lock_store(path))
            self._file = File(path)
            self._open.callback(self._file.close)
            self._prepare(create=create)
        except ArenaError:
            self._open.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        with self._open:
            for file in self._files() if self._writes and kind is None else ():
                file.check_there()

    @property
    def league(self) -> LeagueInfo | None:
        """The conditions of the stored games; None in a new store."""
        query = "SELECT info, user_version FROM league, pragma_user_version"
        with self._file.translate_errors():
            found = next(self._file.rows(query), None)
            return _leagues.decode(upgraded(*found)) if found else None

    @property
    def hashed(self) -> bool:
        """Whether each fixture has a hash: those of older arenas have not."""
        return self._tables.hashed

    def begin(self, info: LeagueInfo) -> None:
        """Write down the conditions, before the first game."""
        new = _encode(info)
        with self._file.translate_errors():
            insert = "INSERT INTO league (info, hash) VALUES (?, ?)"
            self._file.db.execute(insert, (new, row_hash([new])))

    def change(self, info: LeagueInfo) -> None:
        """Write down new conditions in the place of those before, which they hold as stages."""
        new = _encode(info)
        with self._file.translate_errors():
            self._file.db.execute("UPDATE league SET info = ?, hash = ?", (new, row_hash([new])))

    def finished(self) -> set[str]:
        """Return the ids of the stored fixtures."""
        return {id_ for (id_,) in self._file.rows("SELECT id FROM fixtures")}

    def positions(self) -> list[int]:
        """Return the positions in the schedule that are stored, ascending."""
        found = self._file.rows("SELECT position FROM fixtures ORDER BY position")
        return [position for (position,) in found]

    def add(self, packed: Packed) -> None:
        """Store a fixture, durably and at most once: its logs first, then its rows."""
        self._today().add(packed.stored(self._now()))

    def quarantine(self, one: QuarantinedFixture) -> None:
        """Store durably that a fixture was set aside."""
        with self._file.translate_errors():
            aside.put(self._file.db, one)

    def aside(self) -> list[QuarantinedFixture]:
        """Return the fixtures that were set aside and not played since, in schedule order."""
        with self._file.translate_errors():
            return aside.left(self._file.db)

    def played(self, first: int | None = None, last: int | None = None) -> Iterator[PlayedFixture]:
        """Yield the stored fixtures in schedule order, all or from one position to another."""
        for stored in self.stored(first, last):
            yield self.unpack(stored, self.record(stored))

    def results(self) -> Iterator[FixtureResult]:
        """Yield what came of each stored fixture, in schedule order; no log is opened."""
        yield from self._tables.results()

    def hashes(self) -> Iterator[tuple[int, str, bytes | None]]:
        """Yield position, id and hash of each stored fixture, in schedule order.

        What has the same hash is the same, to the last bit of its rows and logs. Hashes are None in
        stores of a version before 3.
        """
        yield from self._tables.hashes()

    def records(self) -> Iterator[tuple[str, bytes]]:
        """Yield the id and the record of each fixture as bytes, in schedule order."""
        for stored in self.stored():
            yield stored.id, self.record(stored)

    def stored(self, first: int | None = None, last: int | None = None) -> Iterator[AnyStored]:
        """Yield fixtures as they are stored, from one position to another.

        Without positions these are all, in schedule order.
        """
        yield from self._tables.stored(first, last)

    def record(self, stored: AnyStored) -> bytes:
        """Return a fixture and its games as JSON; raises ArenaError where it is damaged."""
        with self._words_of_logs():
            return stored.record()

    def unpack(self, stored: AnyStored, record: bytes) -> PlayedFixture:
        """Return a fixture as it was played, from its record; raises ArenaError where it cannot."""
        with self._words_of_logs():
            return stored.played(record)

    def damage(self, *, playing: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the files as such and with the conditions: where, and what.

        What is wrong with a fixture is told by its hash. `playing` says that somebody may be
        writing, so that the ends of SQLite's logs beside the files are not looked at. Raises
        ArenaError where the logs are missing or another store's.
        """
        if not playing:
            yield from self._unreadable()
        for file in self._files():
            for (said,) in file.rows("PRAGMA integrity_check"):
                if said != "ok":
                    yield "store", f"{file.path}: {said}"
        if self.hashed:
            found = self._file.rows("SELECT info, hash FROM league")
            if any(digest != row_hash([info]) for info, digest in found):
                yield "league", "the stored conditions are not what was written there"
        if not self._is_its_version():
            yield "store", f"{self.path}: its version is not {self._version}, as it says"

    def check_logs(self) -> None:
        """Raise ArenaError where the logs are missing, not readable or another store's."""
        self._files()

    def root(self) -> str:
        """Return one hash over the conditions and all that is stored, but for times and stderr.

        The same league, played again by deterministic bots, has the same. Raises ArenaError where
        nothing was played yet.
        """
        info = self.league
        if info is None:
            raise ArenaError("nothing was played yet", str(self.path), "start with: arena run")
        with self._file.translate_errors():
            return root_hash(info, self._tables.pins())

    def _prepare(self, *, create: bool) -> None:
        version, tables = self._file.state()
        if version > SCHEMA_VERSION:
            raise ArenaError(
                f"the store is of version {version}, this arena reads up to {SCHEMA_VERSION}",
                str(self.path),
                "use a newer arena, or --store with a new file",
            )
        with self._file.translate_errors():
            if version == 0 and tables:
                raise DamageError("its tables are another program's")
            if version and "logs" in self._file.tables():
                raise DamageError("these are the logs of a store, not its rows")
        if version == 0 and not create:
            raise ArenaError("nothing was played yet", str(self.path), "start with: arena run")
        if version == 0:
            schema.create(self._file)
        self._look()
        if create:
            self._make_ready()

    def _look(self) -> None:
        """Find out which tables there are."""
        self._version, _ = self._file.state()
        self._old = is_old(self._file)
        self._tables = OldTables(self._file) if self._old else Tables(self._file, self._logs)

    def _make_ready(self) -> None:
        """Make sure that fixtures can be added, before any is played."""
        with self._file.translate_errors():
            if not self._is_its_version():
                raise DamageError(f"its version is not {self._version}, as it says")
        self._file.make_writable()
        if self._old:
            migrate(self._file, self._version)
            self._look()
        self._logs().file.make_writable()

    def _is_its_version(self) -> bool:
        if self._old:
            return self._version < SCHEMA_VERSION and self.hashed == (self._version >= WITH_HASHES)
        return self._version == SCHEMA_VERSION

    def _today(self) -> Tables:
        if isinstance(self._tables, OldTables):
            raise ArenaError("an older store is only read", str(self.path), "arena run goes on")
        return self._tables

    def _unreadable(self) -> Iterator[tuple[str, str]]:
        for path in (self.path, logs_path(self.path)):
            if at := unreadable(path):
                what = f"cannot be read from byte {at} on: what was stored last may be lost"
                yield "store", f"{path}-wal: {what}"

    def _files(self) -> list[File]:
        """Return the files that there must be: before the first fixture the logs may be missing."""
        with_logs = not self._old and (self.positions() or logs_path(self.path).exists())
        return [self._file, self._logs().file] if with_logs else [self._file]

    def _words_of_logs(self) -> AbstractContextManager[None]:
        """Say of what fails inside that the file does in which events are kept."""
        return (self._file if self._old else self._logs().file).translate_errors()

    def _logs(self) -> Logs:
        """Return the logs, opened when they are first asked for; a new store's are made then."""
        if self._kept_logs is None:
            new = self._writes and not self.positions()
            self._kept_logs = Logs(self.path, schema.token(self._file), new=new)
            self._open.callback(self._kept_logs.close)
        return self._kept_logs
