"""The lock on a store: one process at a time plays into it."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from arena.errors import ArenaError
from arena.store.database import FREE_SPACE, MAKE_WRITABLE

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_ATTEMPTS = 100
"""How often locking is tried while others only ask whether the store is locked."""


def lock_store(path: Path) -> Callable[[], None]:
    """Lock a store, so that no two runs play the same fixtures; returns what unlocks it.

    Unlock after everything else is closed: closing any descriptor drops SQLite's locks on the file.
    Raises ArenaError if the file is read-only, which SQLite would notice only after a game.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        what = f"the store fails: {error.strerror}"
        hint = FREE_SPACE if error.errno in _NO_SPACE else MAKE_WRITABLE
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
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _lock(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _lock_exclusively(file: int) -> bool:
    """Lock a file; `is_locked` in another process may hold a shared lock for a moment."""
    for _ in range(_ATTEMPTS):
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
