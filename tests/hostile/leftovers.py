"""What a match leaves behind: processes by a mark on their command line, files, descriptors."""

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
"""Where a bot that escaped would first try to write."""


class Traces(Struct):
    """What can be seen from outside at one moment."""

    files: dict[str, str]
    """What each file is: its mode and the hash of its content."""
    descriptors: int
    """How many files this process has open."""
    children: set[int]
    """Children of this process, the dead that nobody took leave of among them."""


def traces(folder: Path, mark: str) -> Traces:
    """Look at everything below a folder, and at what bears a mark in its name elsewhere."""
    below = {str(path): _describe(path) for path in folder.rglob("*")}
    marked = {str(path): "" for place in PLACES for path in Path(place).glob(f"*{mark}*")}
    return Traces(below | marked, len(list(Path("/proc/self/fd").iterdir())), _children())


def changes(before: Traces, after: Traces) -> list[str]:
    """Say what is there after that was not there before."""
    found = [path for path, what in after.files.items() if before.files.get(path) != what]
    found += [f"{path} is gone" for path in before.files.keys() - after.files.keys()]
    if after.descriptors > before.descriptors:
        found.append(f"{after.descriptors - before.descriptors} open files")
    return found + [f"child {pid}" for pid in after.children - before.children]


def marked_processes(mark: str) -> list[int]:
    """Return the processes that have the mark on their command line."""
    return [pid for pid, process in processes().items() if mark in process.command]


def wait_until_gone(mark: str) -> None:
    """Wait until no marked process is left; one that stays fails the test."""
    while left := marked_processes(mark):
        for pid in left:
            wait_for_death(pid)


def end_all(mark: str) -> None:
    """Kill what stayed."""
    while left := marked_processes(mark):
        for pid in left:
            with suppress(ProcessLookupError):
                _kill(os.pidfd_open(pid))


def _kill(life: int) -> None:
    try:
        signal.pidfd_send_signal(life, signal.SIGKILL)
        assert select.select([life], [], [], HANG)[0]
    finally:
        os.close(life)


def _describe(path: Path) -> str:
    mode = oct(path.lstat().st_mode)
    if not path.is_file() or path.is_symlink():
        return mode
    return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _children() -> set[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()}
