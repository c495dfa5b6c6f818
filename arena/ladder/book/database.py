"""A SQLite file of a ladder: opened to read or to write, its errors named in one line."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from arena.io.errors import ArenaError
from arena.io.guarded_sqlite import connect, refuse_foreign_files
from arena.io.sqlite_tables import foreign_schema
from arena.ladder.book.tables import TABLES, VERSION


class Database:
    """One of a ladder's files; a context manager. What fails is raised as an ArenaError."""

    def __init__(self, path: Path, *, writes: bool = False) -> None:
        self.path = path
        mode = "rw" if writes else "ro"
        refuse_foreign_files(path, "move it away")
        with self._translated():
            try:
                version = self._open(mode)
            except sqlite3.OperationalError:
                # Who may only read cannot make a log where no writer is; then nothing changes.
                if writes or path.with_name(f"{path.name}-wal").exists():
                    raise
                version = self._open("ro&immutable=1")
        try:
            self._check(version)
            with self._translated():
                if writes:  # a copy has another mode
                    self._file.execute("PRAGMA journal_mode = WAL")
                self._file.execute("PRAGMA synchronous = FULL")
        except ArenaError:
            self._file.close()
            raise

    def _open(self, mode: str) -> int:
        self._file = connect(self.path, f"mode={mode}")
        self._file.row_factory = sqlite3.Row
        [(version,)] = self._file.execute("PRAGMA user_version")
        return int(version)

    def _check(self, version: int) -> None:
        """Raise ArenaError unless the file has the tables of a ladder's, and nothing else."""
        if version != VERSION:
            what = f"it has version {version}, this arena reads version {VERSION}"
            raise ArenaError(what, str(self.path), "use the arena that made it")
        with self._translated():
            if foreign := foreign_schema(self._file, TABLES):
                raise sqlite3.DatabaseError(foreign)

    @classmethod
    def create(cls, path: Path, schema: str) -> None:
        """Make a file with these tables, readable by its owner alone."""
        path.touch(mode=0o600, exist_ok=False)
        file = sqlite3.connect(path, isolation_level=None)
        try:
            file.execute("PRAGMA journal_mode = WAL")
            file.executescript(f"BEGIN; {schema} PRAGMA user_version = {VERSION}; COMMIT;")
        finally:
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Return the rows of a query, whose values are read by column: `row["name"]`."""
        with self._translated():
            return self._file.execute(sql, values).fetchall()

    def value(self, sql: str, *values: object) -> Any:
        """Return the one value that a query has."""
        [(value,)] = self.rows(sql, *values)
        return value

    def insert(self, table: str, **values: object) -> int:
        """Add a row, durably; returns its id."""
        return self._write("INSERT", table, values)

    def replace(self, table: str, **values: object) -> None:
        """Add a row, durably, in place of the one with the same key."""
        self._write("INSERT OR REPLACE", table, values)

    def _write(self, verb: str, table: str, values: Mapping[str, object]) -> int:
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        sql = f"{verb} INTO {table} ({columns}) VALUES ({marks})"
        return self.execute(sql, *values.values())

    def execute(self, sql: str, *values: object) -> int:
        """Run a statement, durably; returns the id of a row that it inserted."""
        with self._translated():
            return self._file.execute(sql, values).lastrowid or 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything inside durably, or nothing of it; one inside another is part of it."""
        if self._file.in_transaction:
            yield
            return
        with self._translated():
            self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.rollback()
            raise
        with self._translated():
            self._file.execute("COMMIT")

    def changes(self) -> int:
        """Return a number that differs after another process wrote to the file."""
        return int(self.value("PRAGMA data_version"))

    def copy(self, target: Path) -> None:
        """Write a consistent copy, even while others write."""
        with self._translated():
            self._file.execute("VACUUM INTO ?", (str(target),))
            target.chmod(0o600)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ArenaError(f"it fails: {error}", str(self.path), _hint(str(error))) from None


def _hint(text: str) -> str:
    if "full" in text:
        return "free some space: what was received is safe"
    if "readonly" in text or "unable to open" in text:
        return "run it as the user who owns the ladder"
    return "put back a backup: arena ladder restore"
