"""Folders that live as long as a run: a lock beside each tells which ones a killed arena left."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from arena.bots.sandboxes.kernel import cgroups as groups
from arena.bots.sandboxes.owner import remove_abandoned_semaphores
from arena.io.files import is_locked_exclusively, lock_exclusively, program_folder, remove_tree

_PREFIX = "perudo-arena-"
_LOCK_SUFFIX = ".lock"


class RunFolder:
    """A new folder where programs can run or in `parent`, locked while this process lives."""

    def __init__(self, parent: Path | None = None) -> None:
        while True:
            self._lock_fd, name = mkstemp(_LOCK_SUFFIX, _PREFIX, parent or program_folder())
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX)
            if Path(name).exists():
                break
            # Before it was locked, another arena took it for abandoned.
            os.close(self._lock_fd)
        self.path = Path(name).with_suffix("")
        self.path.mkdir()
        self.path.chmod(0o755)  # whatever the umask is

    def remove(self) -> None:
        """Remove the folder with its contents."""
        _remove_with_lock(_lock_path(self.path))
        os.close(self._lock_fd)


@contextmanager
def run_folder() -> Iterator[Path]:
    """Yield a folder for the bots of a run, and remove it afterwards; first, what others left."""
    remove_leftovers()
    folder = RunFolder()
    # Bots run as another user, who must get in, only if the arena runs as root. Otherwise nobody
    # needs to: a program that a build made setuid would let them act as the operator.
    folder.path.chmod(0o755 if os.geteuid() == 0 else 0o700)
    try:
        yield folder.path
    finally:
        folder.remove()


def remove_leftovers() -> None:
    """Remove what processes of any arena left that were killed: folders, groups, semaphores."""
    remove_abandoned()
    groups.remove_abandoned()
    remove_abandoned_semaphores()


def remove_abandoned(parent: Path | None = None) -> None:
    """Remove the run folders of this user whose owners ended without doing so."""
    for lock in (parent or program_folder()).glob(f"{_PREFIX}*{_LOCK_SUFFIX}"):
        with suppress(OSError):
            if lock.stat().st_uid != os.geteuid():
                continue
            with _opened(lock) as file:
                # Until all is gone: an arena that has just made the file waits, and then notices.
                if lock_exclusively(file.fileno()):
                    _remove_with_lock(lock)


def is_in_use(folder: Path) -> bool:
    """Return whether the owner of a run folder still holds its lock."""
    try:
        with _opened(_lock_path(folder)) as lock:
            return is_locked_exclusively(lock.fileno())
    except OSError:
        return False


def _remove_with_lock(lock: Path) -> None:
    """Remove a folder and, if that worked, its lock, by which the next arena would try again."""
    folder = lock.with_suffix("")
    remove_tree(folder)
    if not folder.exists():
        lock.unlink(missing_ok=True)


def _opened(lock: Path) -> IO[bytes]:
    return os.fdopen(os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW), "rb+")


def _lock_path(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK_SUFFIX)
