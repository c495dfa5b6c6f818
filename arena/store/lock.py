"""The claim on a store: one process plays into it at a time."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from arena.errors import ArenaError
from arena.store.file import FREE, WRITABLE

_FULL = (errno.ENOSPC, errno.EDQUOT)
_PATIENCE = 100
"""How often a claim is tried again while others only ask whether there is one."""


def lock_store(path: Path) -> Callable[[], None]:
    """Claim a store for one player: two would play every fixture, on a secret seed each.

    Returns what gives it up. Call that last: closing any descriptor drops SQLite's locks on the
    file. A file that cannot be written is refused here: SQLite would first fail after a game.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        what = f"the store fails: {error.strerror}"
        hint = FREE if error.errno in _FULL else WRITABLE
        raise ArenaError(what, str(path), hint) from None
    if not _claimed(file):
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
        return not _locked(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _claimed(file: int) -> bool:
    """Claim a file for one player; those who ask whether it is claimed share it for a moment."""
    for _ in range(_PATIENCE):
        if _locked(file, fcntl.LOCK_EX):
            return True
        if not _locked(file, fcntl.LOCK_SH):
            return False
    return False


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
