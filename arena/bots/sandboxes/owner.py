"""Names that say which process made a thing, so that what a killed arena left can be told."""

import multiprocessing
import os
import warnings
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path

PREFIX = "perudo-arena"
_FIRST_NAMESPACE = 0xEFFFFFFC
"""The number of the PID namespace from which all processes can be seen (`PROC_PID_INIT_INO`)."""
SEMAPHORES = Path("/dev/shm")
"""Where the C library keeps semaphores that have names."""


def own_name() -> str:
    """Return a name for what this process makes."""
    pid = os.getpid()
    return f"{PREFIX}.{_pid_namespace()}.{pid}.{_start_time(pid)}"


def is_abandoned(name: str) -> bool:
    """Return whether a name begins with the own name of a process that is gone.

    False, too, if that cannot be told: from here, not all PID namespaces may be seen.
    """
    if is_unseen(name):
        return _pid_namespace() == _FIRST_NAMESPACE
    words = name.split(".")
    if words[:2] != [PREFIX, str(_pid_namespace())] or len(words) < 4 or not words[2].isdecimal():
        return False
    return _start_time(int(words[2])) != words[3]


def is_unseen(name: str) -> bool:
    """Return whether a name is of a PID namespace of which no process can be seen."""
    words = name.split(".")
    if words[0] != PREFIX or len(words) < 4 or not words[1].isdecimal():
        return False
    namespace = int(words[1])
    # All processes are looked through only for a name of another namespace, which are few.
    return namespace != _pid_namespace() and namespace not in map(_pid_namespace, _processes())


def name_semaphores() -> None:
    """Give the semaphores that this process makes from now on a name that says so."""
    # There is no public way: see SemLock in the module multiprocessing.synchronize.
    process = multiprocessing.current_process()
    process._config["semprefix"] = f"/{own_name()}."  # type: ignore[attr-defined] # noqa: SLF001
    warnings.filterwarnings("ignore", message="resource_tracker")


def track_semaphores() -> None:
    """Make sure that Python's resource tracker knows the semaphores of this process.

    One that was started again, because the first was killed, prints a traceback for each name that
    it does not know when the semaphore is removed.
    """
    for path in SEMAPHORES.glob(f"sem.{own_name()}.*"):
        resource_tracker.register(path.name.replace("sem.", "/", 1), "semaphore")


def remove_abandoned_semaphores() -> None:
    """Remove the semaphores of processes that could not."""
    for path in SEMAPHORES.glob(f"sem.{PREFIX}.*"):
        if is_abandoned(path.name.removeprefix("sem.")):
            with suppress(OSError):
                path.unlink()


def _processes() -> list[str]:
    return [path.name for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _pid_namespace(process: str = "self") -> int | None:
    """Return the number of a process's PID namespace; None if it is gone or somebody else's."""
    with suppress(OSError):
        return Path("/proc", process, "ns/pid").stat().st_ino
    return None


def _start_time(pid: int) -> str:
    """Return when a process was started, in the kernel's ticks, or "" if it is gone.

    A zombie is gone: it only waits for its parent to read its exit code.
    """
    with suppress(FileNotFoundError, ProcessLookupError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = stat.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    return ""
