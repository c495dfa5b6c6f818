"""The states of the processes of a bot, from `/proc`."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_BUSY = b"RD"
"""States of a thread that runs, waits for a processor, or waits for the disk."""
_STAT_BYTES = 1024


class _Stat(NamedTuple):
    id: int
    state: bytes
    parent: int


class Watched(ABC):
    """What `/proc` tells of the processes of a bot."""

    @abstractmethod
    def _pids(self) -> Sequence[int]:
        """Return the processes that can be seen; raises OSError."""

    def is_busy(self) -> bool | None:
        """Return whether a thread of them does not sleep; None if none is visible."""
        with suppress(OSError):
            return any_busy(self._pids())
        return None

    def peak_memory(self) -> int | None:
        """Return the most bytes that the largest of them has held."""
        with suppress(OSError):
            return peak_memory(self._pids())
        return None


def any_busy(pids: Iterable[int]) -> bool | None:
    """Return whether a thread of these processes is busy; None if none of them can be seen.

    Busy is what runs, waits for a processor or waits for the disk: it does not sleep.
    """
    stats = [stat for pid in pids if (stat := _read(f"/proc/{pid}"))]
    if not stats:
        return None
    # The first threads tell most often, and to list all takes longer.
    return any(stat.state in _BUSY for stat in stats) or any(
        thread.state in _BUSY for stat in stats for thread in _all_in(f"/proc/{stat.id}/task")
    )


def peak_memory(pids: Iterable[int]) -> int | None:
    """Return the most bytes that one of these processes has held; None if none can be seen."""
    peaks = []
    for pid in pids:
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
            peaks += [int(line.split()[1]) for line in status.splitlines() if "VmHWM:" in line]
    return max(peaks) * 1024 if peaks else None


def descendants(pid: int) -> list[int]:
    """Return the processes below a process."""
    children: dict[int, list[int]] = {}
    for stat in _all_in("/proc"):
        children.setdefault(stat.parent, []).append(stat.id)
    family = [pid]
    for member in family:
        family += children.get(member, ())
    return family[1:]


def _all_in(folder: str) -> Iterator[_Stat]:
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - quicker, as in `_read`
            if name.isdigit() and (stat := _read(f"{folder}/{name}")):
                yield stat


def _read(folder: str) -> _Stat | None:
    # Not by `pathlib`: this is done for all processes of the machine.
    try:
        fd = os.open(f"{folder}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        id_, _, rest = os.read(fd, _STAT_BYTES).partition(b" (")
        state, parent = rest.rpartition(b") ")[2].split(None, 2)[:2]
        return _Stat(int(id_), state, int(parent))
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
