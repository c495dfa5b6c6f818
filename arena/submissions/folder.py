"""Walking a folder that someone else filled: every entry, within limits."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from arena.errors import ArenaError
from arena.submissions.archives.entry import MAX_DEPTH, MAX_PATH

MAX_ENTRIES = 10_000
"""Files and folders that a bot may consist of."""
_SHOWN = 250
"""Characters of a long path that an error shows."""


def walk(
    folder: Path, leave_out: Callable[[str], bool] = lambda _: False
) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield all that is below a folder, links as links; `leave_out` tells by a name what is not.

    A folder is yielded before it is looked into. Raises ArenaError for more than MAX_ENTRIES, for
    paths beyond MAX_DEPTH or MAX_PATH, and for what cannot be read.
    """
    count = 0
    waiting = [folder]
    while waiting:
        for path, info in _inside(waiting.pop()):
            if leave_out(path.name):
                continue
            count += 1
            if count > MAX_ENTRIES:
                what = f"a bot's folder may hold {MAX_ENTRIES:,} files and folders at most"
                raise ArenaError(what, str(folder))
            is_folder = stat.S_ISDIR(info.st_mode)
            _check_path(path, folder, is_folder=is_folder)
            yield path, info
            if is_folder:
                waiting.append(path)


def holds_more(folder: Path, entries: int, size: int) -> bool:
    """Tell whether a folder takes more entries or bytes of the disk, while it is being changed."""
    count = total = 0
    waiting = [str(folder)]
    while waiting and count <= entries and total <= size:
        with suppress(OSError), os.scandir(waiting.pop()) as found:
            for item in found:
                count += 1
                total += item.stat(follow_symlinks=False).st_blocks * 512
                if item.is_dir(follow_symlinks=False):
                    waiting.append(item.path)
    return count > entries or total > size


def _inside(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        with os.scandir(folder) as found:
            for item in found:
                yield Path(item), item.stat(follow_symlinks=False)
    except OSError as error:
        raise ArenaError(f"cannot be read: {error.strerror}", str(folder)) from None


def _check_path(path: Path, folder: Path, *, is_folder: bool) -> None:
    inner = path.relative_to(folder)
    if len(inner.parts) - (not is_folder) > MAX_DEPTH:
        what = f"a bot's folder may be {MAX_DEPTH} folders deep at most"
        raise ArenaError(what, _start(path))
    if len(os.fsencode(inner)) > MAX_PATH:
        what = f"a path in a bot's folder may have {MAX_PATH:,} bytes at most"
        raise ArenaError(what, _start(path))


def _start(path: Path) -> str:
    text = str(path)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
