"""SQLite's write-ahead log: a store that needs one is not read without it, or where none can be.

Beside FILE that is `FILE-wal`; it holds what was stored last, until the arena that plays ends.
"""

import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.io.errors import ArenaError
from arena.io.sqlite.guarded import ENDS, GuardedConnection, connect, connect_reader, log_size
from arena.io.sqlite.tables import is_table
from arena.league.store.failures import MARGIN, free_space
from arena.league.store.format.schema import PAIR

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
    if log_size(path) == 0 and _least_log(path) is None:
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

    Older versions of a store do not tell, and neither do damaged files and those of others.
    """
    try:
        with closing(connect(path, "immutable=1")) as file:
            if not is_table(file, "pair", PAIR):
                return None
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
