"""One SQLite file of a store: transactions, errors that name the file, and the lock."""

import errno
import fcntl
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import ArenaError


class DamageError(Exception):
    """Stored data is inconsistent; the message says how."""


_DAMAGE = (
    *(DamageError, sqlite3.Error, zlib.error, msgspec.MsgspecError),
    *(UnicodeError, TypeError, LookupError, OverflowError),
)
"""What reading a damaged file may raise: any column may hold any type."""

_FREE_SPACE = "free some space and run again: what was stored is safe"
_MAKE_WRITABLE = "make the folder writable, or choose another with --store"

_LOCK_ATTEMPTS = 100
"""How often locking is tried while others only ask whether the store is locked."""


class Database:
    """A SQLite file that may be damaged, read-only, full, or deleted while it is open.

    Everything that fails is raised as an ArenaError that names the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self.translate_errors():
            self.connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            with self.translate_errors():
                # Damage may have made a text invalid UTF-8.
                self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
                self.connection.execute("PRAGMA synchronous = FULL")
                self._inode = _inode(path)
        except ArenaError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; the last process to close it also removes its write-ahead log."""
        self.connection.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise what fails inside as an ArenaError that names this file."""
        try:
            yield
        except _DAMAGE as error:
            raise ArenaError(f"the store fails: {error}", str(self.path), _hint(error)) from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything that is done inside durably, or roll it all back."""
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

    def make_writable(self) -> None:
        """Prepare for writing while others read; raises ArenaError if the file is read-only."""
        with self.translate_errors():
            self.connection.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self.connection.execute("PRAGMA user_version")

    def execute(self, sql: str, *values: object) -> None:
        """Run a statement that returns nothing."""
        with self.translate_errors():
            self.connection.execute(sql, values)

    def rows(self, sql: str, *values: object) -> Iterator[Any]:
        """Yield the rows of a query, as they were when the first one was read."""
        with self.translate_errors():
            # `yield from` would close the cursor of a caller that stops early, after the file.
            for row in self.connection.execute(sql, values):  # noqa: UP028
                yield row

    def version(self) -> int | None:
        """Return the version of the schema; None for an empty file."""
        query = "SELECT (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master"
        [(version, tables)] = self.rows(query)
        return version if version or tables else None

    def copy(self, target: Path, move: Callable[[Path, Path], object] = os.replace) -> None:
        """Write a consistent copy, durably; `move` gives it its name when it is whole.

        Raises ArenaError, or OSError if the copy cannot have that name.
        """
        part = target.with_name(f".{target.name}.part")
        try:
            part.unlink(missing_ok=True)
            with self.translate_errors():
                self.connection.execute("VACUUM INTO ?", (str(part),))
            with part.open("rb") as copy:
                os.fsync(copy.fileno())
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


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _hint(error: Exception) -> str:
    text = str(error)
    if "full" in text:
        return _FREE_SPACE
    if "disk I/O" in text:
        # A quota, a limit on a file's size, or worse: SQLite does not say which.
        return "free some space, look for a quota, and run again: what was stored is safe"
    if "readonly" in text or "unable to open" in text:
        return _MAKE_WRITABLE
    if "locked" in text:
        return "another arena is writing to it: wait, or choose another with --store"
    return "the file is damaged or not a store: choose another with --store"


def lock_store(path: Path) -> Callable[[], None]:
    """Lock a store, so that no two runs play the same fixtures; returns what unlocks it.

    Unlock after everything else is closed: closing any descriptor drops SQLite's locks on the file.
    Raises ArenaError if the file is read-only, which SQLite would notice only after a game.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        what = f"the store fails: {error.strerror}"
        hint = _FREE_SPACE if error.errno in (errno.ENOSPC, errno.EDQUOT) else _MAKE_WRITABLE
        raise ArenaError(what, str(path), hint) from None
    if not _lock_exclusively(file):
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
        return not _lock(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _lock_exclusively(file: int) -> bool:
    """Lock a file; `is_locked` in another process may hold a shared lock for a moment."""
    for _ in range(_LOCK_ATTEMPTS):
        if _lock(file, fcntl.LOCK_EX):
            return True
        if not _lock(file, fcntl.LOCK_SH):
            return False
    return False


def _lock(file: int, operation: int) -> bool:
    try:
        fcntl.flock(file, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
