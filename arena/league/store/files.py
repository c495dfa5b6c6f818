"""The two files of a store, rows and logs: opened, checked, written, marked and closed together."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from arena.io.errors import ArenaError
from arena.io.sqlite_file import (
    DamageError,
    connect,
    file_size,
    has_no_tables,
    refuse_foreign_files,
)
from arena.league.store.failures import endless, lost_fixtures, lost_logs
from arena.league.store.rows import (
    FIRST,
    FIXTURES,
    GAMES_OF,
    LAST,
    FixtureRow,
    GameLog,
    PackedGame,
    Pruned,
    StoredFixture,
    key_range,
)
from arena.league.store.schema import LOGS, LOGS_APPLICATION, ROWS, SCHEMA_VERSION
from arena.league.store.store_file import StoreFile, lock_store

_NONE_STORED = "INSERT INTO stored VALUES (0)"


def logs_path(store: Path) -> Path:
    """Return where the logs of a store are: beside league.sqlite that is league.logs.sqlite."""
    return store.with_name(f"{store.stem}.logs{store.suffix}")


def check_rows_exist(store: Path) -> None:
    """Raise ArenaError if the file of logs exists without the file of rows."""
    if store.is_dir():  # refused when it is opened, and it may have no name
        return
    path = logs_path(store)
    # In this order: a store that another process is creating has its rows first.
    if path.exists() and not store.exists():
        hint = (
            f"put {store.name} back: logs alone are no store;"
            " or, to start over, move them away or choose another --store"
        )
        raise ArenaError(f"{store.name} is missing, but its logs exist", str(path), hint)


class FixtureLogs(NamedTuple):
    """What the file of logs holds of a fixture."""

    logs: list[GameLog]
    stderr: bytes
    """What bots wrote, as `pack_texts` packed it; empty if there is nothing."""
    pruned: Pruned | None


class Logs:
    """The logs of one store, written before the rows of a fixture.

    A log without a row was left by an arena that was killed, and is overwritten.
    """

    def __init__(
        self,
        store: Path,
        token: bytes,
        *,
        writes: bool,
        new: bool,
        incomplete: bool,
    ) -> None:
        """Open them; `new` creates the file if it does not exist, `incomplete` is as in StoreFile.

        Raises ArenaError if they are missing, of another store or of another version, or have
        tables that the arena did not make.
        """
        self.path = logs_path(store)
        refuse_foreign_files(self.path)
        if not new and not self.path.is_file():
            hint = f"put the file back: {store.name} is useless without it"
            raise ArenaError(f"the logs of {store.name} are missing", str(self.path), hint)
        self.file = StoreFile(self.path, writes=writes, incomplete=incomplete)
        try:
            if new and self.file.version() is None:
                # So that pruning can make the file smaller without a second one.
                self.file.execute("PRAGMA auto_vacuum = INCREMENTAL")
                application = f"PRAGMA application_id = {LOGS_APPLICATION}"
                self.file.create_with_token((*LOGS, _NONE_STORED, application), token)
            self._check(store, token)
        except ArenaError:
            self.file.close()
            raise

    def put(self, stored: Sequence[StoredFixture]) -> None:
        """Write the logs of fixtures, over those that a killed arena left."""
        with self.file.transaction(sum(len(log.log) for one in stored for log in one.logs)):
            for fixture in stored:
                self._forget(fixture.position)
                self.file.connection.executemany("INSERT INTO logs VALUES (?, ?, ?)", fixture.logs)
                if fixture.stderr:
                    insert = "INSERT INTO stderr VALUES (?, ?)"
                    self.file.execute(insert, fixture.position, fixture.stderr)
                if fixture.pruned:
                    self._keep(fixture.position, fixture.pruned)
        self.file.check_not_deleted()

    def prune(self, fixtures: Mapping[int, Pruned]) -> None:
        """Remove standard error, and logs whose hashes are kept, of fixtures by position."""
        with self.file.transaction():
            for position, kept in fixtures.items():
                if kept.logs:
                    self._forget(position)
                self.file.execute("DELETE FROM stderr WHERE position = ?", position)
                self._keep(position, kept)

    def _forget(self, position: int) -> None:
        self.file.execute("DELETE FROM logs WHERE key BETWEEN ? AND ?", *key_range(position))
        for table in ("stderr", "pruned"):
            self.file.execute(f"DELETE FROM {table} WHERE position = ?", position)  # noqa: S608

    def _keep(self, position: int, kept: Pruned) -> None:
        insert = "INSERT OR REPLACE INTO pruned VALUES (?, ?, ?, ?, ?, ?)"
        self.file.execute(insert, position, *kept, kept.hash())

    def stored(self) -> int:
        """Return how many fixtures were reported as stored: all of them must have rows."""
        fixtures = self.file.value("SELECT fixtures FROM stored")
        with self.file.translate_errors():
            return int(fixtures)

    def note_stored(self, fixtures: int) -> None:
        """Write down how many fixtures have rows.

        Only a power failure may undo it, and then it is less than there are.
        """
        self.file.execute("PRAGMA synchronous = OFF")
        self.file.execute("UPDATE stored SET fixtures = ?", fixtures)
        self.file.execute("PRAGMA synchronous = EXTRA")

    def positions(self) -> list[int]:
        """Return the positions of the fixtures that there is anything of, ascending."""
        union = "SELECT position FROM stderr UNION SELECT position FROM pruned ORDER BY position"
        return [position for (position,) in self.file.rows(union)]

    def without_logs(self) -> set[int]:
        """Return the positions of the fixtures whose logs were pruned."""
        rows = self.file.rows("SELECT position FROM pruned WHERE logs IS NOT NULL")
        return {position for (position,) in rows}

    def of(self, position: int) -> FixtureLogs:
        """Return what there is of the fixture at a position, as it was at one moment.

        Raises ArenaError if it is damaged.
        """
        pruned = None
        with self.file.translate_errors(), self.file.snapshot():
            query = "SELECT key, log, hash FROM logs WHERE key BETWEEN ? AND ? ORDER BY key"
            rows = self.file.rows(query, *key_range(position))
            logs = list(self._within_file(map(GameLog._make, rows)))
            texts = "SELECT texts FROM stderr WHERE position = ?"
            stderr = next((row[0] for row in self.file.rows(texts, position)), b"")
            kept = "SELECT stderr, logs, records, luck, hash FROM pruned WHERE position = ?"
            if row := next(self.file.rows(kept, position), None):
                *columns, digest = row
                pruned = Pruned(*columns)
                if digest != pruned.hash():
                    raise DamageError("what was kept of pruned logs is not what was written there")
        return FixtureLogs(logs, stderr, pruned)

    def _within_file(self, logs: Iterable[GameLog]) -> Iterator[GameLog]:
        """Yield logs; raises DamageError if they would take more memory than the file has bytes."""
        size, total = file_size(self.path), 0
        for log in logs:
            total += len(log.log) if isinstance(log.log, bytes | str) else 0
            if size is not None and total > size:
                raise DamageError("its logs overlap")
            yield log

    def _check(self, store: Path, token: bytes) -> None:
        """Raise ArenaError unless these are the logs of a store, of this version and this store."""
        application = self.file.value("PRAGMA application_id")
        version = self.file.version() or 0
        with self.file.translate_errors():
            if application != LOGS_APPLICATION or version != SCHEMA_VERSION:
                raise DamageError("it does not hold the logs of a store")
        self.file.check_tables(LOGS)
        if [*self.file.rows("SELECT token FROM pair")] != [(token,)]:
            raise ArenaError(
                f"these are not the logs of {store.name}, but of another store",
                str(self.path),
                "move them away and put the right ones back; or choose another --store",
            )


class StoredRows(NamedTuple):
    """What the file of rows holds of a fixture."""

    row: FixtureRow
    games: list[PackedGame]
    hash: bytes
    """The hash of everything that is stored of it, in both files."""
    rows_hash: bytes
    """The hash of these rows."""


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
            logs = [self._opened_logs.file] if self._opened_logs else []
            problems = list[ArenaError]()
            for file in (*logs, self.rows) if self._writes else ():
                try:
                    # It puts back a file that was deleted. Only then is it said.
                    file.check_not_deleted()
                except ArenaError as error:
                    problems.append(error)
            if problems and not quietly:
                raise problems[0]

    def all(self) -> list[StoreFile]:
        """Return the files that must exist: before the first fixture the logs need not."""
        if self.has_fixtures() or self._has_logs():
            return [self.rows, self.logs().file]
        return [self.rows]

    def logs(self) -> Logs:
        """Return the logs, opened when they are first needed; those of a new store are created."""
        if self._opened_logs is None:
            new = self._writes and not self.has_fixtures()
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

    def has_fixtures(self) -> bool:
        """Tell whether any fixture has rows."""
        return next(self.rows.rows("SELECT 1 FROM fixtures LIMIT 1"), None) is not None

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
                insert = "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                self.rows.execute(insert, *fixture.row, fixture.hash, fixture.rows_hash)
                # Rows of a fixture that is not stored are never read: they are overwritten.
                insert = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?)"
                self.rows.connection.executemany(insert, fixture.games)
        self.rows.check_not_deleted()
        self._count += len(stored)
        self.logs().note_stored(self._count)
        if time.monotonic() > self._checkpointed + _INTERVAL or self.rows.has_large_log():
            self.checkpoint()
        else:
            self.logs().file.checkpoint_large_log()

    def checkpoint(self) -> None:
        """Move what was stored into the files: if a write-ahead log is lost, little is lost."""
        for file in (self.logs().file, self.rows):
            file.checkpoint()
        self._checkpointed = time.monotonic()

    def noted(self) -> int:
        """Return how many fixtures are known to have been stored; ask before counting them."""
        return self.logs().stored() if self._has_logs() else 0

    def _has_logs(self) -> bool:
        """Tell whether the logs are there: another process may only be creating the file."""
        path = logs_path(self.path)
        if not path.exists():
            return False
        if self._opened_logs or self.has_fixtures():
            return True
        try:
            with closing(connect(path, "mode=ro")) as file:
                return not has_no_tables(file)
        except sqlite3.Error:
            return True  # whoever opens them says what is wrong

    def check_complete(self, noted: int, positions: Sequence[int]) -> None:
        """Raise FindingError if fixtures are gone, or logs of those that are at these positions.

        If the ends of both files are gone, there may be rows without logs, and then more than were
        noted. That is also so for a moment while an arena plays, and after a power failure.
        """
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
        if version != SCHEMA_VERSION:
            raise _of_another_version(version, self.path)
        self.rows.check_tables(ROWS)
        if self._writes:
            # From now on both files need their write-ahead logs.
            logs = self.logs()
            for file in (self.rows, logs.file):
                file.make_writable()
            self.check_complete(logs.stored(), self.positions())
            self._count = len(self.positions())
            logs.note_stored(self._count)
            self.checkpoint()


def _of_another_version(version: int, path: Path) -> ArenaError:
    what = f"the store has version {version}, this arena reads version {SCHEMA_VERSION}"
    hint = "use the arena that made it, or --store with a new file"
    newer = "a newer arena made it: pipx upgrade perudo-arena"
    return ArenaError(what, str(path), newer if version > SCHEMA_VERSION else hint)


def not_played(path: Path) -> ArenaError:
    """Return what to raise when a store is new or missing."""
    return ArenaError("nothing was played yet", str(path), "start with: arena run")


def fixtures_at(rows: StoreFile, positions: Iterable[int]) -> Iterator[StoredRows]:
    """Yield the fixtures at some positions, as far as they are stored."""
    for position in positions:
        yield from _fixtures_between(rows, position, position)


def all_fixtures(rows: StoreFile) -> Iterator[StoredRows]:
    """Yield all rows as they were when the first was read: one query keeps one snapshot open."""
    return _fixtures_between(rows, FIRST, LAST)


def _fixtures_between(rows: StoreFile, first: int, last: int) -> Iterator[StoredRows]:
    before = first - 1
    for position, *columns, digest, rows_digest in rows.rows(FIXTURES, first, last):
        if position <= before:
            raise endless(rows.path)
        before = position
        games = [PackedGame(*game) for game in rows.rows(GAMES_OF, *key_range(position))]
        yield StoredRows(FixtureRow(position, *columns), games, digest, rows_digest)
