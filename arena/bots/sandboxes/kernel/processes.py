"""The processes of a bot: their user, their states, and their memory."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from arena.bots.sandboxes.kernel.cgroups import kill, wait_for_exit
from arena.io.uptime import wait_readable

FIRST_USER = 1_000_000
USERS_PER_PROCESS = 64
"""More bots than one process ever runs at once."""
_NOBODY = 65_534
_numbers = count()


def new_user() -> int:
    """Return a user and group for a bot that this process starts, as root.

    It is `nobody` if the range does not exist here, as in some containers.
    """
    number = next(_numbers) % USERS_PER_PROCESS
    user = FIRST_USER + os.getpid() * USERS_PER_PROCESS + number
    return user if user < _end_of_users() else _NOBODY


@cache
def _end_of_users() -> int:
    """Return the first user beyond those of this user namespace."""
    with suppress(OSError):
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
        ranges = [list(map(int, line.split())) for line in lines]
        return max(first + length for first, _, length in ranges)
    return 0


_BUSY = b"RD"
"""States of a thread that runs, waits for a processor, or waits for the disk."""
_STAT_BYTES = 1024


class _Stat(NamedTuple):
    id: int
    state: bytes
    parent: int


class Watched(ABC):
    """Tells from `/proc` whether a bot is busy, and how much memory it has held."""

    @abstractmethod
    def _pids(self) -> Sequence[int]:
        """Return the processes that can be seen; raises OSError."""

    def is_busy(self) -> bool | None:
        """Return whether one of its threads does not sleep; None if no process can be seen."""
        with suppress(OSError):
            return any_busy(self._pids())
        return None

    def peak_memory(self) -> int | None:
        """Return the most bytes that its largest process has held; None if none can be seen."""
        with suppress(OSError):
            return peak_memory(self._pids())
        return None


def any_busy(pids: Iterable[int]) -> bool | None:
    """Return whether a thread of these processes is busy; None if no process can be seen.

    A busy thread runs, waits for a processor or waits for the disk.
    """
    stats = [stat for pid in pids if (stat := _read_stat(f"/proc/{pid}"))]
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
            if name.isdigit() and (stat := _read_stat(f"{folder}/{name}")):
                yield stat


def _read_stat(folder: str) -> _Stat | None:
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


_WATCH_SECONDS = 0.25
"""The time between two looks."""
_USED = ("RssAnon:", "RssShmem:", "VmSwap:")
"""Memory of a process that no file on a disk holds, swapped out or not."""


def watch_memory(pid: int, exit_fd: int, most: int) -> Thread:
    """Kill each process of a program that uses more than `most` bytes; return the watching thread.

    It watches the program and the processes below it until `exit_fd` becomes readable, which is
    when the program ends. Close that descriptor after the thread has ended.
    """

    def watch() -> None:
        while not wait_readable([exit_fd], _WATCH_SECONDS):
            for each in (pid, *descendants(pid)):
                if used_memory(each) > most:
                    with suppress(OSError):  # too many open files, say: it is tried again
                        wait_for_exit(kill(each))

    thread = Thread(target=watch, name="memory watch", daemon=True)
    thread.start()
    return thread


def used_memory(pid: int) -> int:
    """Return the bytes of memory that a process uses, without files; 0 if it cannot be seen."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        used = (line.split()[1] for line in status.splitlines() if line.startswith(_USED))
        return sum(map(int, used)) * 1024
    return 0
