"""A SQLite file that somebody else may have written: opened, checked, read, changed and copied."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

from arena.io.sqlite.guarded import file_size
from arena.io.sqlite.tables import foreign_schema

ENDLESS = "its pages lead in circles"
_BATCH = 1 << 12
"""Rows of a query between two looks at whether there can be so many."""
_ROW = 6
"""The bytes that a row takes at least."""


class DamageError(sqlite3.DatabaseError):
    """Stored data is inconsistent; the message says how."""


class SqliteFile:
    """A SQLite file that may be damaged, read-only, or full; a context manager.

    A subclass says what to raise instead of SQLite's errors, and prepares the file for its use.
    """

    name: ClassVar[str] = "it"
    """What messages call the file."""
    failures: ClassVar[tuple[type[Exception], ...]] = (sqlite3.Error,)
    """What `failure` translates."""
    mode: ClassVar[int | None] = None
    """Permissions of copies; None for those that the process gives any file."""

    def __init__(self, path: Path, opened: Callable[[], sqlite3.Connection]) -> None:
        """Open a file, as a function does that returns a connection in autocommit mode."""
        self.path = path
        with self.translate_errors():
            self.connection = opened()
        try:
            with self.translate_errors():
                self.prepare()
        except BaseException:
            self.close()
            raise

    def prepare(self) -> None:
        """Check and set what every use of the file needs."""

    def failure(self, error: Exception) -> Exception:
        """Return what to raise instead of an error."""
        return error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise what fails inside as `failure` says."""
        try:
            yield
        except self.failures as error:
            raise self.failure(error) from None

    def check_room(self, size: int) -> None:
        """Raise an error if it is known that so many bytes cannot be written."""

    @contextmanager
    def transaction(self, size: int = 0) -> Iterator[None]:
        """Commit everything inside durably, or roll it back; one inside another is part of it.

        `size` says how many bytes are written, about.
        """
        self.check_room(size)
        if self.connection.in_transaction:
            yield
            return
        with self.translate_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def execute(self, sql: str, *values: object) -> int:
        """Run a statement that yields no rows; returns the id of a row that it inserted."""
        with self.translate_errors():
            return self.connection.execute(sql, values).lastrowid or 0

    def rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a query, as they were when the first one was read."""
        with self.translate_errors():
            # `yield from` would close the cursor of a caller that stops early, after the file.
            for number, row in enumerate(self.connection.execute(sql, values)):
                if number % _BATCH == _BATCH - 1 and self._has_no_room(number):
                    raise DamageError(ENDLESS)
                yield row

    def _has_no_room(self, rows: int) -> bool:
        """Tell whether a file is too small for so many rows: some are read again and again."""
        size = file_size(self.path)
        return size is not None and rows * _ROW > size

    def value(self, sql: str, *values: object) -> Any:
        """Return the only value that a query has; raises an error if it has not just one."""
        with self.translate_errors():
            rows = self.connection.execute(sql, values).fetchmany(2)
            if len(rows) != 1:
                raise DamageError(f"a table has {len(rows) or 'no'} rows instead of one")
            return rows[0][0]

    def version(self) -> int | None:
        """Return the version of the tables (`user_version`); None for an empty file."""
        version = int(self.value("PRAGMA user_version"))
        empty = next(self.rows("SELECT name FROM sqlite_master LIMIT 1"), None) is None
        return version if version or not empty else None

    def check_tables(self, tables: tuple[str, ...]) -> None:
        """Raise an error if the file has more than these tables, made by these statements."""
        with self.translate_errors():
            if foreign := foreign_schema(self.connection, tables):
                raise DamageError(foreign)

    def create_tables(self, tables: tuple[str, ...], version: int) -> None:
        """Create the tables in an empty file, all or none."""
        with self.transaction():
            for statement in (*tables, f"PRAGMA user_version = {version}"):
                self.execute(statement)

    def damage(self) -> Iterator[str]:
        """Yield what SQLite finds wrong with the file as such."""
        # The first check ends whatever the file holds; the second counts all entries of an index,
        # and no limit ends that.
        for check in ("quick_check", "integrity_check"):
            problems = [problem for (problem,) in self.rows(f"PRAGMA {check}") if problem != "ok"]
            yield from problems
            if problems:
                break

    def copy(
        self,
        target: Path,
        move: Callable[[Path, Path], object] = os.replace,
        finish: Callable[[sqlite3.Connection], object] = lambda _: None,
    ) -> None:
        """Write a consistent copy, durably: `finish` changes it, `move` gives it its name.

        Raises what `failure` returns, or OSError if the copy cannot have that name.
        """
        part = target.with_name(f".{target.name}.part")
        try:
            part.unlink(missing_ok=True)
            if self.mode is not None:
                part.touch(self.mode, exist_ok=False)
            with self.translate_errors():
                self.connection.execute("VACUUM INTO ?", (str(part),))
                with closing(sqlite3.connect(part)) as copy, copy:
                    finish(copy)
            with part.open("rb") as written:
                os.fsync(written.fileno())
            move(part, target)
        finally:
            part.unlink(missing_ok=True)
