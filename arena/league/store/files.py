"""The two files of a store, opened, checked, marked and closed together."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from arena.io.errors import ArenaError
from arena.io.sqlite.file import DamageError
from arena.io.sqlite.guarded import refuse_foreign_files
from arena.league.store.failures import endless, lost_fixtures, lost_logs
from arena.league.store.format.games import PackedGame
from arena.league.store.format.rows import FIXTURES, GAMES_OF, FixtureRow, StoredFixture, key_range
from arena.league.store.format.schema import ROWS, SCHEMA_VERSION
from arena.league.store.logs import Logs, check_rows_exist, logs_path
from arena.league.store.store_file import StoreFile, lock_store

Stored = tuple[FixtureRow, list[PackedGame], bytes, bytes]
"""Rows with the hash of all that is stored of a fixture, and that of its rows."""


_INTERVAL = 10.0
"""Seconds after which what was stored is moved from the write-ahead logs into the files."""


class StoreFiles:
    """The rows and the logs of a store, and what both must agree on.

    Raises ArenaError for whatever makes the store unfit to be read, or to be played into.
    """

    def __init__(
        self,
        path: Path,
        new_token: bytes,
        *,
        writes: bool,
        incomplete: bool,
    ) -> None:
        self.path = path
        self._writes, self._incomplete = writes, incomplete
        self._new_token = new_token
        self._opened_logs: Logs | None = None
        self._count = 0
        """Fixtures that have rows, as far as a writer knows."""
        self._checkpointed = time.monotonic()
        check_rows_exist(path)
        refuse_foreign_files(path)
        if not writes and not path.is_file():
            raise not_played(path)
        # Closed in reverse, the lock last: closing any descriptor drops SQLite's locks on the file.
        self._open = ExitStack()
        try:
            if writes:
                self._open.callback(lock_store(path))
            self.rows = StoreFile(path, writes=writes, incomplete=incomplete)
            self._open.callback(self.rows.close)
            self._prepare()
        except BaseException:
            self._open.close()
            raise

    def close(self, *, quietly: bool) -> None:
        """Close both files; `quietly` if something failed already, else what is wrong is raised."""
        with self._open:
            if self._writes:
                self._check_not_deleted(quietly=quietly)

    def all(self) -> list[StoreFile]:
        """Return the files that must exist: before the first fixture the logs need not."""
        if self.positions() or logs_path(self.path).exists():
            return [self.rows, self.logs().file]
        return [self.rows]

    def logs(self) -> Logs:
        """Return the logs, opened when they are first needed; those of a new store are created."""
        if self._opened_logs is None:
            new = self._writes and not self.positions()
            how = {"writes": self._writes, "new": new, "incomplete": self._incomplete}
            self._opened_logs = Logs(self.path, self.token(), **how)
            self._open.callback(self._opened_logs.file.close)
        return self._opened_logs

    def token(self) -> bytes:
        """Return what both files share."""
        return next((row[0] for row in self.rows.rows("SELECT token FROM pair")), b"")

    def positions(self) -> list[int]:
        """Return the indexes in the schedule that have rows, ascending."""
        query = "SELECT position FROM fixtures ORDER BY position"
        positions = [position for (position,) in self.rows.rows(query)]
        if len({*positions}) < len(positions):
            raise endless(self.path)
        return positions

    def has(self, stored: StoredFixture) -> bool:
        """Tell whether a fixture is stored; raises ArenaError if another one has its place."""
        query = "SELECT id FROM fixtures WHERE id = ? OR position = ?"
        present = [id_ for (id_,) in self.rows.rows(query, stored.id, stored.position)]
        if present and present != [stored.id]:
            what = f"another fixture than {stored.id} is stored at position {stored.position}"
            raise ArenaError(what, str(self.path), "arena verify says what else is wrong")
        return bool(present)

    def put(self, stored: Sequence[StoredFixture]) -> None:
        """Write fixtures durably: their logs first, then their rows, then that they are stored."""
        self.logs().put(stored)
        with self.rows.transaction():
            for fixture in stored:
                self._put_rows(fixture)
        self.rows.check_not_deleted()
        self._count += len(stored)
        self.logs().note_stored(self._count)
        if time.monotonic() > self._checkpointed + _INTERVAL or self.rows.has_large_log():
            self.checkpoint()
        else:
            self.logs().file.checkpoint_large_log()

    def _put_rows(self, fixture: StoredFixture) -> None:
        insert = "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self.rows.execute(insert, *fixture.row, fixture.hash, fixture.rows_hash)
        # Rows of a fixture that is not stored are never read: they are overwritten.
        insert = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?)"
        self.rows.connection.executemany(insert, fixture.games)

    def checkpoint(self) -> None:
        """Move what was stored into the files: if a write-ahead log is lost, little is lost."""
        for file in (self.logs().file, self.rows):
            file.checkpoint()
        self._checkpointed = time.monotonic()

    def noted(self) -> int:
        """Return how many fixtures are known to have been stored; ask before counting them."""
        return self.logs().stored() if logs_path(self.path).exists() else 0

    def lost(self, noted: int) -> int:
        """Return how many fixtures are gone, of so many that were known to be stored before."""
        return max(0, noted - len(self.positions()))

    def check_complete(self, noted: int) -> None:
        """Raise FindingError if fixtures are gone, or logs of those that are there.

        If the ends of both files are gone, there may be rows without logs, and then more than were
        noted. That is also so for a moment while an arena plays, and after a power failure.
        """
        positions = self.positions()
        if len(positions) < noted:
            raise lost_fixtures(noted - len(positions), self.path)
        if len(positions) > self.noted() and logs_path(self.path).exists():
            kept = {*self.logs().positions()}
            if lost := sum(position not in kept for position in positions):
                raise lost_logs(lost, self.logs().path)

    def _prepare(self) -> None:
        """Check the file of rows; a writer also makes sure that both files can be written."""
        version = self.rows.version()
        if version is None and not self._writes:
            raise not_played(self.path)
        if version is None:
            self.rows.create_with_token(ROWS, self._new_token)
            version = SCHEMA_VERSION
        with self.rows.translate_errors():
            if version == 0:
                raise DamageError("its tables are another program's")
            if [*self.rows.rows("SELECT * FROM sqlite_master WHERE name = 'logs'")]:
                raise DamageError("these are the logs of a store, not its rows")
        self._check_version(version)
        self.rows.check_tables(ROWS)
        if self._writes:
            self._prepare_to_write()

    def _check_version(self, version: int) -> None:
        """Raise ArenaError if another version of the arena made the store."""
        if version != SCHEMA_VERSION:
            what = f"the store has version {version}, this arena reads version {SCHEMA_VERSION}"
            hint = "use the arena that made it, or --store with a new file"
            raise ArenaError(what, str(self.path), hint)

    def _prepare_to_write(self) -> None:
        """Make both files writable: from then on they need their write-ahead logs."""
        logs = self.logs()
        for file in (self.rows, logs.file):
            file.make_writable()
        self.check_complete(logs.stored())
        self._count = len(self.positions())
        logs.note_stored(self._count)
        self.checkpoint()

    def _check_not_deleted(self, *, quietly: bool) -> None:
        """Put back the files that were deleted, and only then say so."""
        problems = list[ArenaError]()
        logs = [self._opened_logs.file] if self._opened_logs else []
        for file in (*logs, self.rows):
            try:
                file.check_not_deleted()
            except ArenaError as error:
                problems.append(error)
        if problems and not quietly:
            raise problems[0]


def not_played(path: Path) -> ArenaError:
    """Return what to raise when a store is new, or there is none."""
    return ArenaError("nothing was played yet", str(path), "start with: arena run")


def fixtures_at(rows: StoreFile, positions: Iterable[int]) -> Iterator[Stored]:
    """Yield the fixtures at some positions, as far as they are stored."""
    for position in positions:
        yield from fixtures_between(rows, position, position)


def fixtures_between(rows: StoreFile, first: int, last: int) -> Iterator[Stored]:
    """Yield rows as they were when the first was read: one query keeps one snapshot open."""
    before = first - 1
    for position, *columns, digest, rows_digest in rows.rows(FIXTURES, first, last):
        if position <= before:
            raise endless(rows.path)
        before = position
        games = [PackedGame(*game) for game in rows.rows(GAMES_OF, *key_range(position))]
        yield FixtureRow(position, *columns), games, digest, rows_digest
