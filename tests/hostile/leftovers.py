"""What a match leaves: processes with a mark on their command line, files, descriptors."""

import hashlib
import os
import select
import signal
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from tests.e2e.live import processes, wait_for_death
from tests.support.live import HANG

PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/root")
"""The first places that a bot that escaped would write to."""


class Traces(Struct):
    """What can be seen from outside at one moment."""

    files: dict[str, str]
    """The mode and the hash of the content of each file."""
    descriptors: int
    """Number of open files of this process."""
    children: set[int]
    """Children of this process, including zombies."""


def traces(folder: Path, mark: str) -> Traces:
    """Collect all files below a folder, and files elsewhere with a mark in their name."""
    below = {str(path): _describe(path) for path in folder.rglob("*")}
    marked = {str(path): "" for place in PLACES for path in Path(place).glob(f"*{mark}*")}
    return Traces(below | marked, len(list(Path("/proc/self/fd").iterdir())), _children())


def changes(before: Traces, after: Traces) -> list[str]:
    """Return what is new or changed afterwards."""
    changed = [path for path, what in after.files.items() if before.files.get(path) != what]
    changed += [f"{path} is gone" for path in before.files.keys() - after.files.keys()]
    if after.descriptors > before.descriptors:
        changed.append(f"{after.descriptors - before.descriptors} open files")
    return changed + [f"child {pid}" for pid in after.children - before.children]


def marked_processes(mark: str) -> list[int]:
    """Return the processes that have the mark on their command line."""
    return [pid for pid, process in processes().items() if mark in process.command]


def wait_until_gone(mark: str) -> None:
    """Wait until no marked process is left; one that survives fails the test."""
    while left := marked_processes(mark):
        for pid in left:
            wait_for_death(pid)


def end_all(mark: str) -> None:
    """Kill what survived."""
    while left := marked_processes(mark):
        for pid in left:
            with suppress(ProcessLookupError):
                _kill(os.pidfd_open(pid))


def _kill(pidfd: int) -> None:
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        assert select.select([pidfd], [], [], HANG)[0]
    finally:
        os.close(pidfd)


def _describe(path: Path) -> str:
    mode = oct(path.lstat().st_mode)
    if not path.is_file() or path.is_symlink():
        return mode
    return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _children() -> set[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()}
