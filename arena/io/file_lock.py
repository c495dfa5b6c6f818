"""A lock on an open file, by which one process keeps others out until it ends."""

import fcntl

_ATTEMPTS = 100
"""How often locking is tried while others only ask whether a file is locked."""


def lock_exclusively(file: int) -> bool:
    """Lock a file by its descriptor; returns False if another process has locked it.

    The lock ends when the descriptor is closed, at the latest with the process.
    """
    for _ in range(_ATTEMPTS):
        if _lock(file, fcntl.LOCK_EX):
            return True
        # `is_locked_exclusively` in another process holds a shared lock for a moment.
        if is_locked_exclusively(file):
            return False
    return False


def is_locked_exclusively(file: int) -> bool:
    """Tell whether another process has locked a file; locks it shared until it is closed if not."""
    return not _lock(file, fcntl.LOCK_SH)


def _lock(file: int, operation: int) -> bool:
    try:
        fcntl.flock(file, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
