"""SQLite for files that somebody else may have written: reading one takes no more than it holds."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any
from urllib.parse import quote

from arena.io.errors import ArenaError
from arena.io.files import stat_of

ENDS = ("", "-wal", "-shm", "-journal")
"""What SQLite appends to a file's name for those that it keeps beside it."""
MOST_BYTES = 1 << 26
"""Of a value in a column; SQLite refuses larger ones, stored or computed."""
_STEPS = 1_000_000
"""Steps of SQLite's virtual machine between two looks at how many there were."""
_LEAST, _PER_BYTE = 10 * _STEPS, 2
"""Steps that a statement may take in all: so many, which takes seconds, and more for each byte of
the file. To check all rows takes 0.2 for each byte."""
MOVE_AWAY = "move it away, or choose another with --store"
NAMELESS = Path(os.devnull, "nameless")
"""Stands for a temporary file without a name: there is none of this one."""
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
        """Set all limits."""
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
    """Return how many bytes a file's write-ahead log has; 0 if there is none."""
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
