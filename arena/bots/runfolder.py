"""Folders of a run: its owner holds a lock, so that what a killed arena left can be told."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkstemp

from arena.bots.tree import remove

_PREFIX = "perudo-arena-"
_LOCK = ".lock"


class RunFolder:
    """A new folder below the temporary one; its lock is held as long as this process lives."""

    def __init__(self) -> None:
        self._lock, name = _locked_file()
        self.path = Path(name).with_suffix("")
        self.path.mkdir(0o755)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        remove(self.path)
        _lock_of(self.path).unlink(missing_ok=True)
        os.close(self._lock)


def _locked_file() -> tuple[int, str]:
    """Return a new file that is locked; its descriptor is not inherited."""
    while True:
        lock, name = mkstemp(_LOCK, _PREFIX)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if Path(name).exists():
            return lock, name
        # Another arena took it for abandoned before it was locked.
        os.close(lock)


def remove_abandoned() -> None:
    """Remove what arenas of this user left that ended without doing so."""
    for lock in Path(gettempdir()).glob(f"{_PREFIX}*{_LOCK}"):
        folder = lock.with_suffix("")
        with suppress(OSError):
            if lock.stat().st_uid == os.geteuid() and not is_alive(folder):
                remove(folder)
                lock.unlink(missing_ok=True)


def is_alive(folder: Path) -> bool:
    """Tell whether the owner of a run's folder still holds its lock."""
    try:
        lock = os.open(_lock_of(folder), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)
