"""Attempts on what sandboxes share, the kernel's state, and on what guards a bot from inside."""

import fcntl
import os
import signal
import struct
from contextlib import suppress
from functools import partial
from pathlib import Path

from .frame import attempt, processes, try_each

_COUNTERS = ("locks", "pressure/cpu", "sys/fs/file-nr", "sys/fs/inode-nr", "sys/kernel/pty/nr")
_LOCK = "hhqqi"


@attempt
def signals_by_record_locks() -> list[str]:
    """A child locks the bot's program, as another process of the same bot would."""
    reader, writer = os.pipe()
    program = os.open(__file__, os.O_RDONLY)
    child = os.fork()
    if not child:
        fcntl.lockf(program, fcntl.LOCK_SH)
        os.write(writer, b".")
        signal.pause()
    os.read(reader, 1)
    found = fcntl.fcntl(program, fcntl.F_GETLK, struct.pack(_LOCK, fcntl.F_WRLCK, 0, 0, 0, 0))
    os.kill(child, signal.SIGKILL)
    return ["lock"] if struct.unpack(_LOCK, found)[0] != fcntl.F_UNLCK else []


@attempt
def reads_what_the_kernel_counts() -> list[str]:
    """Over all sandboxes together."""
    found = []
    for name in _COUNTERS:
        with suppress(OSError):
            if Path("/proc", name).read_text(encoding="ascii"):
                found.append(name)
    return found


@attempt
def leaves_its_core() -> list[str]:
    before = os.sched_getaffinity(0)
    try_each(one=lambda: os.sched_setaffinity(0, {max(before)}))
    after = os.sched_getaffinity(0)
    os.sched_setaffinity(0, before)
    return [] if after == before else ["core"]


@attempt
def stops_its_supervisor() -> list[str]:
    """By all signals that stop, so that its end is not noticed."""
    for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        for pid in {1, os.getppid()}:
            try_each(stop=partial(os.kill, pid, number))
    stopped = [pid.name for pid in processes() if "T (stopped)" in _status(pid)]
    return [pid for pid in stopped if pid != str(os.getpid())]


def _status(process: Path) -> str:
    with suppress(OSError):
        return (process / "status").read_text(encoding="utf-8")
    return ""


@attempt
def writes_to_its_supervisor() -> list[str]:
    """To its memory, and to its output, which the machine reads."""
    managed = []
    for process in (Path("/proc/1"), Path("/proc", str(os.getppid()))):
        managed += try_each(
            memory=partial(_open, process / "mem"), output=partial(_open, process / "fd/1")
        )
    return managed


def _open(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY))
