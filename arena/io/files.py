"""Files that people name, of which only plain ones under a limit are read; the cache of a user."""

import os
import stat
from pathlib import Path

from arena.io.errors import ArenaError


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Return a file's content; raises ArenaError if it is no plain file, or too large."""
    try:
        # Opening a FIFO would wait for a writer, and a device may never end.
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArenaError("not a file", str(path), "name a file")
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise ArenaError("no such file", str(path)) from None
    except (OSError, ValueError) as error:
        raise ArenaError(f"cannot be read: {reason(error)}", str(path)) from None
    if len(content) > max_bytes:
        raise ArenaError(f"larger than {max_bytes // 1024:,} KiB", str(path))
    return content


def reason(error: Exception) -> str:
    """Return why a system call failed, without the path."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())


def user_cache(name: str) -> Path:
    """Return the folder of this user for a cache of the arena; it need not exist."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "perudo-arena", name)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
