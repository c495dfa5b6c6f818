"""A SQLite file that somebody else may have written: opened, checked, read, changed and copied.

Reading one takes no more than it holds.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import quote

from arena.io.errors import ArenaError
from arena.io.files import stat_of

ENDS = ("", "-wal", "-shm", "-journal")
"""What SQLite appends to a file's name for those that it keeps beside it."""
MOST_BYTES = 1 << 26
"""Bytes of a value, at most; SQLite refuses larger ones, stored or computed."""
_STEPS = 1_000_000
"""Steps of SQLite's virtual machine between two looks at how many there were."""
_LEAST, _PER_BYTE = 10 * _STEPS, 2
"""Steps that a statement may take in all: so many, which takes seconds, and more for each byte of
the file. To check all rows takes 0.2 for each byte."""
MOVE_AWAY = "move it away, or choose another with --store"
NAMELESS = Path(os.devnull, "nameless")
"""Stands for a temporary file without a name; no file has this one."""
_UNREADABLE = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_FULL")
"""How the names of errors begin that SQLite raises where it cannot write beside a file."""
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


class GuardedConnection(sqlite3.Connection):
    """Ends a statement that takes far more steps than its file has bytes (SQLITE_INTERRUPT).

    The pages of a damaged file can lead to one page so often that a scan never ends.
    """

    path: Path
    _steps = 0

    def guard(self, path: Path) -> None:
        """Limit what statements take, whatever the file at a path holds."""
        self.path = path
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        self.set_progress_handler(self._is_endless, _STEPS)
        super().execute("PRAGMA trusted_schema = OFF")
        super().execute("PRAGMA cell_size_check = ON")

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        """Run a statement; the steps are counted anew."""
        self._steps = 0
        return super().execute(sql, values)

    def _is_endless(self) -> bool:
        self._steps += _STEPS
        size = file_size(self.path)
        return size is not None and self._steps > _LEAST + _PER_BYTE * size


def connect(path: Path, mode: str, timeout: float = 30.0) -> GuardedConnection:
    """Open a file as SQLite's URIs say: with `mode=rwc`, `mode=ro` or `immutable=1`.

    `timeout` says how many seconds to wait while others write.
    """
    uri = f"file:{quote(os.fsencode(path.absolute()))}?{mode}" if path != NAMELESS else ""
    file = sqlite3.connect(
        uri, timeout=timeout, isolation_level=None, uri=True, factory=GuardedConnection
    )
    file.guard(path)
    return file


def connect_reader(
    path: Path, fallback: Callable[[], GuardedConnection | None]
) -> GuardedConnection:
    """Open a file to read, by `fallback` where SQLite cannot write beside it.

    Raises sqlite3.Error, also if the fallback returns None.
    """
    file = connect(path, "mode=ro")
    try:
        file.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        file.close()
        unreadable = error.sqlite_errorname.startswith(_UNREADABLE)
        if not unreadable or (other := fallback()) is None:
            raise
        return other
    return file


def file_size(path: Path) -> int | None:
    """Return the bytes of a file with its write-ahead log; None if it is gone."""
    return file.st_size + log_size(path) if (file := stat_of(path)) else None


def log_size(path: Path) -> int:
    """Return how many bytes a file's write-ahead log has; 0 without one."""
    return log.st_size if (log := stat_of(Path(f"{path}-wal"))) else 0


def refuse_foreign_files(path: Path, hint: str = MOVE_AWAY) -> None:
    """Raise ArenaError if SQLite would wait for a file, or delete one that is not its own.

    So it would with a folder or a FIFO in the place of a file or of one beside it, and with a
    journal of several databases, which names a file that SQLite deletes once it is done.
    """
    for end in ENDS:
        beside = Path(f"{path}{end}")
        try:
            kind = beside.stat().st_mode
        except OSError:
            continue
        if not S_ISREG(kind):
            what = "a folder" if S_ISDIR(kind) else "a FIFO or a device"
            raise ArenaError(f"{what} is in the place of a file", str(beside), hint)
    if _names_another_file(Path(f"{path}-journal")):
        what = "it names a file that SQLite would delete; the arena writes no such journal"
        raise ArenaError(what, f"{path}-journal", hint)


def _names_another_file(journal: Path) -> bool:
    """Tell whether a journal ends like those of a transaction over several databases."""
    try:
        with journal.open("rb") as file:
            file.seek(-len(_JOURNAL_MAGIC), os.SEEK_END)
            return file.read() == _JOURNAL_MAGIC
    except OSError:
        return False


def foreign_schema(file: sqlite3.Connection, tables: tuple[str, ...]) -> str:
    """Return what is wrong with a file that has more than some tables; "" if nothing is.

    Whoever made the file chose its SQL: a view, a trigger or a generated column would be run by
    reading or writing, and a query of one need not end. Nothing of it is run here.
    """
    known = _normal_forms(tables)
    for name, sql in file.execute("SELECT name, sql FROM sqlite_master"):
        if sql is None:  # the index of a column that is unique
            continue
        if not isinstance(sql, str) or _normal(sql) not in known:
            return f"the arena did not make its '{name}': drop it, or put back a copy"
    return ""


def has_no_tables(file: sqlite3.Connection) -> bool:
    """Tell whether nothing was created in a file yet."""
    return file.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def is_table(file: sqlite3.Connection, name: str, table: str) -> bool:
    """Tell whether a file has a table, made by just this statement."""
    row = file.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return row is not None and isinstance(row[0], str) and _normal(row[0]) == _normal(table)


@lru_cache(maxsize=8)
def _normal_forms(tables: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_normal, tables))


def _normal(sql: str) -> str:
    """Return a statement without what ALTER TABLE changes: spaces, and quotes around the name."""
    named = re.sub(r'^CREATE TABLE "(\w+)"', r"CREATE TABLE \1", " ".join(sql.split()))
    return re.sub(r" ?([(),]) ?", r"\1", named)


class Schema(NamedTuple):
    """The tables of a kind of file."""

    version: int
    """The `user_version` of the file; a file of another version is refused."""
    tables: tuple[str, ...]
    """The statements that create the tables of a new file."""
    optional: tuple[str, ...] = ()
    """The statements that create other tables that a file may have."""

    @property
    def known(self) -> tuple[str, ...]:
        """Return the statements of all tables that a file may have."""
        return (*self.tables, *self.optional)


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
        """Close the connection to the file."""
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

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read what was there at one moment, whatever others write meanwhile."""
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("COMMIT")

    def execute(self, sql: str, *values: object) -> int:
        """Run a statement that yields no rows; returns the id of a row that it inserted."""
        with self.translate_errors():
            return self.connection.execute(sql, values).lastrowid or 0

    def rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a query, as they were when the first one was read."""
        with self.translate_errors():
            # `yield from` would close the cursor of a caller that stops early, after the file.
            for number, row in enumerate(self.connection.execute(sql, values)):
                if number % _BATCH == _BATCH - 1:
                    size = file_size(self.path)
                    # A file that is too small for so many rows has some that are read again.
                    if size is not None and number * _ROW > size:
                        raise DamageError(ENDLESS)
                yield row

    def value(self, sql: str, *values: object) -> Any:
        """Return the only value that a query has; raises an error if it has not just one."""
        with self.translate_errors():
            rows = self.connection.execute(sql, values).fetchmany(2)
            if len(rows) != 1:
                raise DamageError(f"a table has {len(rows) or 'no'} rows instead of one")
            return rows[0][0]

    def version(self) -> int | None:
        """Return the version of the tables (`user_version`); None for an empty file."""
        # In this order: tables that another process makes between the two come with their version.
        with self.translate_errors():
            empty = has_no_tables(self.connection)
        version = int(self.value("PRAGMA user_version"))
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
