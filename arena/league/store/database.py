"""One SQLite file of a store: transactions, errors that name the file, and the lock."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.io.errors import ArenaError
from arena.io.file_lock import is_locked_exclusively, lock_exclusively
from arena.io.guarded_sqlite import connect, file_size, log_size
from arena.io.sqlite_tables import foreign_schema
from arena.league.store.failures import (
    DAMAGE,
    ENDLESS,
    FREE_SPACE,
    MAKE_WRITABLE,
    DamageError,
    check_space,
    store_failure,
)
from arena.league.store.format.schema import SCHEMA_VERSION
from arena.league.store.write_ahead import check_log_exists, connect_reader

_CLOSED = "UPDATE pair SET open = 0"
_NEEDS_LOG = "UPDATE pair SET open = 1"
_HAS_LOG = "UPDATE pair SET open = 2"
_BATCH = 1 << 12
"""Rows of a query between two looks at whether there can be so many."""
_ROW = 6
"""The bytes that a row takes at least."""
_LARGE = 1 << 22
"""Bytes of a write-ahead log that are moved into the file."""


class Database:
    """A SQLite file that may be damaged, read-only, full, or deleted while it is open.

    Everything that fails is raised as an ArenaError that names the file.
    """

    def __init__(self, path: Path, *, writes: bool = False, incomplete: bool = False) -> None:
        """Open a file, to read or also to write; `incomplete` if what its log held may be lost."""
        self.path = path
        self._logging = self._marked = False
        """Whether changes go to a write-ahead log, and whether the file says that it needs it."""
        self._open = ExitStack()
        if not incomplete:
            check_log_exists(path)
        if writes:
            check_space(path)
        with self.translate_errors():
            self.connection = (
                connect(path, "mode=rwc") if writes else connect_reader(path, self._open)
            )
        self._open.callback(self.connection.close)
        try:
            with self.translate_errors():
                # Damage may have made a text invalid UTF-8.
                self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
                # EXTRA also waits until a rollback journal is gone from the disk: a file system
                # that brought it back would undo the change to write-ahead logging.
                self.connection.execute("PRAGMA synchronous = EXTRA")
                self.connection.execute("PRAGMA wal_autocheckpoint = 0")
                self._inode = _inode(path)
        except ArenaError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; after writing, it is whole by itself again, if that can be done."""
        with ExitStack() as afterwards:
            if self._logging and _inode(self.path) == self._inode and not self._close_log():
                # SQLite deletes the log when the last one closes the file that may write to it.
                with suppress(sqlite3.Error, OSError):
                    keeper = connect_reader(self.path, afterwards)
                    afterwards.callback(keeper.close)
            self._logging = False
            self._open.close()

    def _close_log(self) -> bool:
        """Move the write-ahead log into the file and give it up; returns whether it may be deleted.

        While others read it stays. On a full disk it stays, too, and is needed.
        """
        try:
            if self._marked:
                # The note goes last: it is never in the file without what was written before.
                self.connection.execute("PRAGMA wal_checkpoint")
                check_space(self.path)
                self.connection.execute(_CLOSED)
        except (sqlite3.Error, ArenaError):
            return False
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA wal_checkpoint")
            self.connection.execute("PRAGMA journal_mode = DELETE")
        return True

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise what fails inside as an ArenaError that names this file."""
        try:
            yield
        except (*DAMAGE, OSError) as error:
            raise store_failure(error, self.path) from None

    @contextmanager
    def transaction(self, size: int = 0) -> Iterator[None]:
        """Commit everything that is done inside durably, or roll it all back.

        `size` says how many bytes are written, about: a disk with less is refused at once.
        """
        check_space(self.path, size)
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

    def make_writable(self) -> None:
        """Prepare for writing while others read; raises ArenaError if the file is read-only."""
        check_space(self.path)
        self._logging = True
        with self.translate_errors():
            self.connection.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self.connection.execute("PRAGMA user_version")

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, which is useless without the next from then on.

        The file itself says so, and the log takes it back: other programs may move it, too.
        """
        self._marked = True
        with self.transaction(log_size(self.path)):
            self.connection.execute(_NEEDS_LOG)
        self.execute("PRAGMA wal_checkpoint")
        with self.transaction():
            self.connection.execute(_HAS_LOG)

    def has_large_log(self) -> bool:
        """Tell whether the write-ahead log is to be moved into the file, however young it is."""
        return log_size(self.path) > _LARGE

    def checkpoint_large_log(self) -> None:
        """Move the write-ahead log into the file if it has become large."""
        if self.has_large_log():
            self.checkpoint()

    def execute(self, sql: str, *values: object) -> None:
        """Run a statement that returns nothing."""
        with self.translate_errors():
            self.connection.execute(sql, values)

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

    def value(self, sql: str) -> Any:
        """Return the only value that a query has; raises ArenaError if it has not just one."""
        with self.translate_errors():
            found = self.connection.execute(sql).fetchmany(2)
            if len(found) != 1:
                raise DamageError(f"a table has {len(found) or 'no'} rows instead of one")
            return found[0][0]

    def version(self) -> int | None:
        """Return the version of the schema; None for an empty file."""
        version = int(self.value("PRAGMA user_version"))
        empty = next(self.rows("SELECT name FROM sqlite_master LIMIT 1"), None) is None
        return version if version or not empty else None

    def damage(self) -> Iterator[str]:
        """Yield what SQLite finds wrong with the file as such."""
        # The first check ends whatever the file holds; the second counts all entries of an index,
        # and no limit ends that.
        for check in ("quick_check", "integrity_check"):
            found = [problem for (problem,) in self.rows(f"PRAGMA {check}") if problem != "ok"]
            yield from found
            if found:
                break

    def check_tables(self, tables: tuple[str, ...]) -> None:
        """Raise ArenaError if the file has more than these tables, made by these statements."""
        with self.translate_errors():
            if foreign := foreign_schema(self.connection, tables):
                raise DamageError(foreign)

    def create_tables(self, tables: Sequence[str], token: bytes, *more: str) -> None:
        """Create the tables in an empty file, at once; both files of a store hold the same token.

        Also run some `more` statements.
        """
        self.make_writable()
        with self.transaction():
            for statement in (*tables, *more, f"PRAGMA user_version = {SCHEMA_VERSION}"):
                self.execute(statement)
            self.execute("INSERT INTO pair (token) VALUES (?)", token)

    def copy(
        self,
        target: Path,
        move: Callable[[Path, Path], object] = os.replace,
        finish: Callable[[sqlite3.Connection], object] = lambda _: None,
    ) -> None:
        """Write a consistent copy, durably: `finish` changes it, `move` gives it its name.

        Raises ArenaError, or OSError if the copy cannot have that name.
        """
        part = target.with_name(f".{target.name}.part")
        try:
            part.unlink(missing_ok=True)
            with self.translate_errors():
                self.connection.execute("VACUUM INTO ?", (str(part),))
                with closing(sqlite3.connect(part)) as copy, copy:
                    with suppress(sqlite3.OperationalError):  # an older version has no such column
                        copy.execute(_CLOSED)
                    finish(copy)
            with part.open("rb") as written:
                os.fsync(written.fileno())
            move(part, target)
        finally:
            part.unlink(missing_ok=True)

    def check_not_deleted(self) -> None:
        """Raise an ArenaError if the file was deleted, moved or replaced since it was opened.

        SQLite does not notice and writes on into the deleted file: its content is put back first,
        and the file is closed.
        """
        if _inode(self.path) == self._inode:
            return
        replaced = os.path.lexists(self.path)
        target = self.path.with_name(f"{self.path.name}.rescued") if replaced else self.path
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.copy(target, self._put_back)
        except OSError as error:
            what = f"the file was deleted and cannot be put back: {error.strerror}"
            raise ArenaError(what, str(target), "move it away, and run again") from None
        event = "replaced" if replaced else "moved or deleted"
        what = f"the file was {event} while an arena was playing into it"
        hint = f"what was stored there is in {target.name} again; run again"
        raise ArenaError(what, str(self.path), hint)

    def _put_back(self, copy: Path, target: Path) -> None:
        # Closing removes the write-ahead log beside the file, which is not that of the copy.
        self.close()
        os.link(copy, target)
        self._inode = _inode(self.path)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def lock_store(path: Path) -> Callable[[], None]:
    """Lock a store, so that no two runs play the same fixtures; returns what unlocks it.

    Unlock after everything else is closed: closing any descriptor drops SQLite's locks on the file.
    Raises ArenaError if the file is read-only, which SQLite would notice only after a game.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        what = f"the store fails: {error.strerror}"
        hint = FREE_SPACE if error.errno in (errno.ENOSPC, errno.EDQUOT) else MAKE_WRITABLE
        raise ArenaError(what, str(path), hint) from None
    if not lock_exclusively(file):
        os.close(file)
        hint = "wait for it, or choose another with --store"
        raise ArenaError("another arena is playing into this store", str(path), hint)
    return lambda: os.close(file)


def is_locked(path: Path) -> bool:
    """Tell whether an arena is playing into a store now.

    Ask before this process opens the store: closing any descriptor drops SQLite's locks on it.
    """
    try:
        # Opening a FIFO would wait for a writer.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return is_locked_exclusively(file)
    finally:
        os.close(file)
