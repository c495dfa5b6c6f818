"""Folders of a run: each is locked by its owner, so that what a killed arena left can be told."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

PREFIX = "perudo-arena-"
_UNBORN = ".perudo-arena-"
_LOCK = ".lock"


class RunFolder:
    """A new folder below the temporary one, locked as long as this process lives."""

    def __init__(self) -> None:
        unborn = Path(mkdtemp(prefix=_UNBORN))
        # Locked before it gets the name that others look for.
        self._lock = os.open(unborn / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unborn.chmod(0o755)
        self.path = unborn.rename(unborn.with_name(PREFIX + unborn.name.removeprefix(_UNBORN)))

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def abandoned(owner: int | None = None) -> Iterator[Path]:
    """Yield the folders whose owner is gone; `owner`, a user's id, defaults to this user's."""
    uid = os.geteuid() if owner is None else owner
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.stat().st_uid == uid and not is_alive(folder):
                yield folder


def is_alive(folder: Path) -> bool:
    """Tell whether the owner of a run's folder still holds its lock."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
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
