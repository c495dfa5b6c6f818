"""One SQLite file of a store: its write-ahead log, errors that name the file, and the lock."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.io.errors import ArenaError
from arena.io.files import is_locked_exclusively, lock_exclusively, os_errors, stat_of
from arena.io.sqlite_file import (
    ENDS,
    GuardedConnection,
    SqliteFile,
    connect,
    connect_reader,
    has_no_tables,
    is_table,
    log_size,
)
from arena.league.store.failures import (
    DAMAGE,
    FREE_SPACE,
    MAKE_WRITABLE,
    MARGIN,
    check_space,
    free_space,
    store_failure,
)
from arena.league.store.schema import PAIR, SCHEMA_VERSION

_CLOSED = "UPDATE pair SET open = 0"
_NEEDS_LOG = "UPDATE pair SET open = 1"
_HAS_LOG = "UPDATE pair SET open = 2"
_LARGE = 1 << 22
"""Bytes that are written to the write-ahead log before they are moved into the file."""
_KEPT = 1 << 18
"""Bytes of the write-ahead log's file that stay when it begins anew, as SQLite empties none."""


class StoreFile(SqliteFile):
    """A SQLite file of a store, which may also be deleted while it is open.

    Everything that fails is raised as an ArenaError that names the file.
    """

    name = "the store"
    failures = (*DAMAGE, OSError)

    def __init__(self, path: Path, *, writes: bool, incomplete: bool) -> None:
        """Open a file, to read or also to write; `incomplete` if what its log held may be lost."""
        self._logging = self._marked = False
        """Whether changes go to a write-ahead log, and whether the file says that it needs it."""
        self._moved = 0
        """Size of the write-ahead log when it was last moved; 0 since it began anew."""
        self._copies = ExitStack()
        if not incomplete:
            check_log_exists(path)
        if writes:
            check_space(path)

        def opened() -> GuardedConnection:
            return connect(path, "mode=rwc") if writes else connect_store_reader(path, self._copies)

        super().__init__(path, opened)

    def prepare(self) -> None:
        """Wait for the disk after each change; keep the file's inode, to notice if it is gone."""
        # Damage may have made a text invalid UTF-8.
        self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        # EXTRA also waits until a rollback journal is gone from the disk: a file system
        # that brought it back would undo the change to write-ahead logging.
        self.connection.execute("PRAGMA synchronous = EXTRA")
        self.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.connection.execute(f"PRAGMA journal_size_limit = {_KEPT}")
        self._inode = _inode(self.path)

    def failure(self, error: Exception) -> ArenaError:
        """Return the error that names the file, and how to mend it."""
        return store_failure(error, self.path)

    def close(self) -> None:
        """Close the file; after writing, it is whole by itself again, if that can be done."""
        with ExitStack() as afterwards:
            if self._logging and _inode(self.path) == self._inode and not self._close_log():
                # SQLite deletes the log when the last one closes the file that may write to it.
                with suppress(sqlite3.Error, OSError):
                    keeper = connect_store_reader(self.path, afterwards)
                    afterwards.callback(keeper.close)
            self._logging = False
            super().close()
            self._copies.close()

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

    def check_room(self, size: int) -> None:
        """Raise ArenaError if the disk has no room for so many bytes."""
        check_space(self.path, size)

    def make_writable(self) -> None:
        """Prepare for writing while others read; raises ArenaError if the file is read-only."""
        check_space(self.path)
        self._logging = True
        with self.translate_errors():
            self.connection.execute("PRAGMA journal_mode = WAL")
        with self.transaction():
            self.connection.execute("PRAGMA user_version")

    def create_with_token(self, statements: tuple[str, ...], token: bytes) -> None:
        """Create the tables in an empty file, all or none; both files of a store have one token."""
        self.make_writable()
        with self.transaction():
            self.create_tables(statements, SCHEMA_VERSION)
            self.execute("INSERT INTO pair (token) VALUES (?)", token)

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
        self._moved = log_size(self.path)

    def has_large_log(self) -> bool:
        """Tell whether the write-ahead log is to be moved into the file, however young it is.

        A log that others still read grows on after it was moved: only what came since counts.
        """
        size = log_size(self.path)
        if size < self._moved:
            self._moved = 0
        return size > self._moved + _LARGE

    def checkpoint_large_log(self) -> None:
        """Move the write-ahead log into the file if it has become large."""
        if self.has_large_log():
            self.checkpoint()

    def copy(
        self,
        target: Path,
        move: Callable[[Path, Path], object] = os.replace,
        finish: Callable[[sqlite3.Connection], object] = lambda _: None,
    ) -> None:
        """Write a consistent copy that needs no write-ahead log, as `SqliteFile.copy` does."""

        def close_and_finish(copy: sqlite3.Connection) -> None:
            with suppress(sqlite3.OperationalError):  # an older version has no such column
                copy.execute(_CLOSED)
            finish(copy)

        super().copy(target, move, close_and_finish)

    def check_not_deleted(self) -> None:
        """Raise an ArenaError if the file was deleted, moved or replaced since it was opened.

        SQLite does not notice and writes on into the deleted file: its content is put back first,
        and the file is closed.
        """
        if _inode(self.path) == self._inode:
            return
        replaced = os.path.lexists(self.path)
        target = self.path.with_name(f"{self.path.name}.rescued") if replaced else self.path
        what = "the file was deleted and cannot be put back"
        with os_errors(what, target, "move it away, and run again"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.copy(target, self._put_back)
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
    return (found.st_dev, found.st_ino) if (found := stat_of(path)) else None


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


_ATTEMPTS = 3
"""How often a file that changes meanwhile is copied."""


def check_log_exists(path: Path) -> None:
    """Raise ArenaError if a file was not closed, and its write-ahead log is missing or empty.

    SQLite would take what the file held at some earlier time for all of it.
    """
    # A log that is missing because its arena ends just now is not missed the second time.
    if misses_log(path) and misses_log(path):
        what = f"it is missing or empty, but holds what was stored last in {path.name}"
        hint = "put it back; or keep what is left with: arena mend"
        raise ArenaError(what, f"{path}-wal", hint)


def connect_store_reader(path: Path, closing_time: ExitStack) -> GuardedConnection:
    """Open a file to read, without writing to it; from a copy where SQLite cannot read it in place.

    That is so in a folder that is read-only, or on a full disk, if the last arena was killed. The
    copy goes at closing time. Raises sqlite3.Error, or OSError if there can be no copy.
    """
    # In this order: while another process creates the file, its log is there when tables are.
    if _least_log(path) is None and log_size(path) == 0:
        return connect(path, "immutable=1")

    def connect_copy() -> GuardedConnection:
        copies = closing_time.enter_context(TemporaryDirectory(prefix="arena-store-"))
        return connect(_copy(path, Path(copies)), "mode=rwc")

    if log_size(path) == 0 or free_space(path) > MARGIN:
        return connect_reader(path, connect_copy)
    return connect_copy()


def misses_log(path: Path) -> bool:
    """Tell whether a file was not closed, and its write-ahead log is missing or empty."""
    return log_size(path) < (_least_log(path) or 0)


def _least_log(path: Path) -> int | None:
    """Return how many bytes a file's log must have: 0 if it was closed, None if that is unknown.

    Older versions of a store do not tell, and neither do damaged files and those of others. One
    that is being created has no tables yet, and needs none.
    """
    try:
        with closing(connect(path, "immutable=1")) as file:
            if not is_table(file, "pair", PAIR):
                return 0 if has_no_tables(file) else None
            [(page,)] = file.execute("PRAGMA page_size")
            [(open_,)] = file.execute("SELECT open FROM pair LIMIT 2")
            return 56 + int(page) if open_ == 1 else 0
    except (sqlite3.Error, TypeError, ValueError):
        return None


def _copy(path: Path, folder: Path) -> Path:
    """Copy a file with SQLite's beside it, as they were at one moment; returns the copy."""
    for _ in range(_ATTEMPTS):
        before = _state(path)
        for end, _ in before:
            shutil.copy(f"{path}{end}", folder)
        if _state(path) == before:
            return folder / path.name
    what = "the file cannot be read while an arena is playing into it"
    raise ArenaError(what, str(path), "make its folder writable, or wait")


def _state(path: Path) -> list[tuple[str, tuple[int, int]]]:
    """Return which files there are but the shared memory, when they changed, and their sizes."""
    states = []
    for end in (end for end in ENDS if end != "-shm"):
        if (beside := Path(f"{path}{end}")).exists():
            status = beside.stat()
            states.append((end, (status.st_mtime_ns, status.st_size)))
    return states
