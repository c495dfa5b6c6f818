"""Folders of a run: its owner holds a lock, so that what a killed arena left can be told."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkstemp

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
        _clear(_lock_of(self.path))
        os.close(self._lock)


@contextmanager
def run_folder() -> Iterator[Path]:
    """Yield a folder for bots that are about to run; it is removed when they are done.

    What arenas that were killed could not remove goes first.
    """
    remove_abandoned()
    own = RunFolder()
    runs = own.path
    # Only where the arena runs as root do bots run as another user, who must get in. Else nobody
    # need: a program that a build made setuid would let them act as the operator.
    runs.chmod(0o755 if os.geteuid() == 0 else 0o700)
    try:
        yield runs
    finally:
        own.remove()


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
    for path in Path(gettempdir()).glob(f"{_PREFIX}*{_LOCK}"):
        with suppress(OSError):
            if path.stat().st_uid == os.geteuid():
                _remove_unless_held(path)


def _remove_unless_held(path: Path) -> None:
    lock = _opened(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Held until all is gone: an arena that has only just made the file waits, and then sees it.
        _clear(path)
    finally:
        os.close(lock)


def _clear(lock: Path) -> None:
    """Remove a folder and then its lock, by which the next arena finds what could not be."""
    folder = lock.with_suffix("")
    remove_tree(folder)
    if not folder.exists():
        lock.unlink(missing_ok=True)


def is_in_use(folder: Path) -> bool:
    """Tell whether the owner of a run's folder still holds its lock."""
    try:
        lock = _opened(_lock_of(folder))
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


def remove_tree(folder: Path) -> None:
    """Remove a folder, if there is one, whatever was done to it; what cannot be removed stays."""
    if not folder.is_dir():
        return
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        # Folders without permissions, or thousands within one another: what no Python walks.
        for tool in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*tool, "--", folder], stderr=subprocess.DEVNULL, check=False)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)
