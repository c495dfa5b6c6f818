"""Ends processes that use more memory than they may, where no control group counts it.

Limits of the kernel for a process count what it has reserved. Some runtimes reserve far more than
they use: for these such a limit is too high to bound what is used.
"""

from contextlib import suppress
from pathlib import Path
from threading import Thread

from arena.bots.sandboxes.kernel.cgroups import kill, wait_for_exit
from arena.bots.sandboxes.kernel.process_states import descendants
from arena.io.uptime import wait_readable

_SECONDS = 0.25
"""The time between two looks."""
_USED = ("RssAnon:", "RssShmem:", "VmSwap:")
"""What a process has in memory that no file on a disk holds, and what of it was swapped out."""


def watch_memory(pid: int, exit_fd: int, most: int) -> Thread:
    """Watch a program and the processes below it until it ends; return the thread that does.

    Each process that is found to use more than `most` bytes is killed. `exit_fd` becomes readable
    when the program ends, and may be closed after the thread has ended.
    """
    thread = Thread(target=_watch, args=(pid, exit_fd, most), name="memory watch", daemon=True)
    thread.start()
    return thread


def used_memory(pid: int) -> int:
    """Return the bytes of memory that a process uses, without files; 0 if it cannot be seen."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        used = (line.split()[1] for line in status.splitlines() if line.startswith(_USED))
        return sum(map(int, used)) * 1024
    return 0


def _watch(pid: int, exit_fd: int, most: int) -> None:
    while not wait_readable([exit_fd], _SECONDS):
        for each in (pid, *descendants(pid)):
            if used_memory(each) > most:
                with suppress(OSError):  # too many open files, say: it is tried again
                    wait_for_exit(kill(each))
