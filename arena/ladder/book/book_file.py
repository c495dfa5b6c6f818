"""A SQLite file of a ladder: opened to read or to write, its errors named in one line."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from arena.io.errors import ArenaError
from arena.io.sqlite_file import (
    GuardedConnection,
    Schema,
    SqliteFile,
    connect,
    connect_reader,
    refuse_foreign_files,
)

_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")


class FileError(ArenaError):
    """A file of the ladder cannot be used."""


class BusyError(FileError):
    """Another process wrote to a file for too long."""


class BookFile(SqliteFile):
    """One of a ladder's two files; a context manager. What fails is raised as an ArenaError."""

    mode = 0o600

    def __init__(
        self,
        path: Path,
        schema: Schema,
        *,
        writes: bool = False,
        new: bool = False,
        wait: float = 30.0,
    ) -> None:
        """Open a file to read, or also to write; an empty one that is `new` gets its tables.

        `wait` says how many seconds a writer waits while another process writes.
        """
        self.schema = schema
        self._writes = writes
        self._new = new
        refuse_foreign_files(path, "move it away")
        super().__init__(path, lambda: connect(path, "mode=rw", wait) if writes else _reader(path))

    @classmethod
    def create(cls, path: Path, schema: Schema) -> None:
        """Make a file with these tables, readable by its owner alone."""
        path.touch(cls.mode, exist_ok=False)
        with cls(path, schema, writes=True, new=True):
            pass

    def prepare(self) -> None:
        """Check the version and the tables; wait for the disk after each change."""
        self.connection.row_factory = sqlite3.Row
        if self._new:
            self.create_tables(self.schema.tables, self.schema.version)
        version = self.version() or 0
        if version != self.schema.version:
            what = f"it has version {version}, this arena reads version {self.schema.version}"
            newer = version > self.schema.version
            hint = "a newer arena made it: pipx upgrade perudo-arena"
            raise ArenaError(what, str(self.path), hint if newer else "use the arena that made it")
        self.check_tables(self.schema.known)
        if self._writes:  # a copy has another mode
            self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")

    def failure(self, error: Exception) -> ArenaError:
        """Return the error that names the file, and how to mend it."""
        if getattr(error, "sqlite_errorname", "").startswith(_BUSY):
            hint = "try again in a moment: nothing was changed"
            return BusyError(f"{self.name} is in use by another process", str(self.path), hint)
        text = str(error)
        hint = "put back a backup: arena ladder restore"
        if "full" in text:
            hint = "free some space: what was received is safe"
        elif "readonly" in text or "unable to open" in text:
            hint = "run it as the user who owns the ladder"
        return FileError(f"{self.name} fails: {error}", str(self.path), hint)

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

    def changes(self) -> int:
        """Return a number that differs after another process wrote to the file."""
        return int(self.value("PRAGMA data_version"))


class BookFileUser:
    """What reads and writes one of a ladder's files; a context manager, which closes it."""

    _file: BookFile

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read what was there at one moment, whatever others write meanwhile."""
        with self._file.snapshot():
            yield

    def close(self) -> None:
        """Close the file that is used."""
        self._file.close()


def _reader(path: Path) -> GuardedConnection:
    """Open a file to read, also as a user who cannot make a log beside it."""

    def as_it_is() -> GuardedConnection | None:
        # Without a log no writer is there, and nothing changes.
        return None if Path(f"{path}-wal").exists() else connect(path, "mode=ro&immutable=1")

    return connect_reader(path, as_it_is)
