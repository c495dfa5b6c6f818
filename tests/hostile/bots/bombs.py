"""Greed. Every bomb but one stops by itself, at a multiple of the quota of these tests."""

import ctypes
import mmap
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from .frame import TARGETS, Message, answer, at, attempt, hang

T = TypeVar("T")
MIB = 2**20
MANY = 200
_LIBC = ctypes.CDLL(None)


def _acquire(acquire_one: Callable[[], T], most: int) -> list[T]:
    """Acquire one more until it is refused or there are enough."""
    acquired: list[T] = []
    with suppress(OSError, MemoryError, RuntimeError):
        while len(acquired) < most:
            acquired.append(acquire_one())
    return acquired


def _unless_refused(count: int, most: int, what: str) -> list[str]:
    return [f"{count} {what}"] if count == most else []


def _child(then: Callable[[], object]) -> int:
    child = os.fork()
    if not child:
        then()
        os._exit(0)
    return child


# ---------------------------------------------------------------- processes


@at("turn")
def forks_forever(message: Message) -> None:
    """Shells start shells, all they can; tried only where their number is limited.

    Not copies of this program: those might be ended for the memory that they take.
    """
    while True:
        with suppress(OSError):
            subprocess.call(["/bin/sh", "-c", "f() { f | f & }; f"], stderr=subprocess.DEVNULL)


@attempt
def starts_200_processes() -> list[str]:
    return _unless_refused(len(_acquire(lambda: _child(hang), MANY)), MANY, "processes")


@attempt
def starts_200_threads() -> list[str]:
    threading.stack_size(64 * 1024)
    never = threading.Event()
    started = _acquire(lambda: threading.Thread(target=never.wait, daemon=True).start(), MANY)
    return _unless_refused(len(started), MANY, "threads")


@attempt
def kills_all_processes() -> list[str]:
    """Only if it is in a PID namespace of its own, and not root."""
    seen = sum(entry.name.isdigit() for entry in Path("/proc").iterdir())
    if seen > 9 or not os.getuid() or not TARGETS["isolates"]:
        return ["nothing, for the host would be hit"]
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
        # If that ends the sandbox, it ends at once.
        time.sleep(0.2)
    return []


# ---------------------------------------------------------------- memory


@attempt
def allocates_twice_its_memory() -> list[str]:
    most = 2 * int(TARGETS["memory"]) // MIB
    return _unless_refused(len(_acquire(lambda: b"x" * MIB, most)), most, "MiB")


@at("turn")
def runs_out_of_memory(message: Message) -> None:
    """The error is not caught."""
    memory = [b"x" * MIB for _ in range(2 * int(TARGETS["memory"]) // MIB)]
    answer(message, x=len(memory))


@attempt
def allocates_twice_its_memory_in_children() -> list[str]:
    """Four processes hold half of it each; if that is too much, the kernel kills some."""

    def hold(done: int) -> None:
        memory = b"x" * (int(TARGETS["memory"]) // 2)
        os.write(done, memory[:1])
        hang()

    children = []
    for _ in range(4):
        read_end, write_end = os.pipe()
        children.append(_child(partial(hold, write_end)))
        os.close(write_end)
        os.read(read_end, 1)
        os.close(read_end)
    held = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
    return _unless_refused(len(held), 4, "halves")


@attempt
def allocates_twice_its_memory_in_a_shared_mapping() -> list[str]:
    try:
        mapping = mmap.mmap(-1, 2 * int(TARGETS["memory"]))
    except OSError:
        return []
    for byte in range(0, len(mapping), mmap.PAGESIZE):
        mapping[byte] = 1
    return [f"{len(mapping) // MIB} MiB"]


@attempt
def allocates_twice_its_memory_by_system_v() -> list[str]:
    """A segment survives its process unless its namespace ends."""
    size = 2 * int(TARGETS["memory"])
    segment = _LIBC.shmget(0, ctypes.c_size_t(size), 0o600)
    if segment == -1:
        return []
    _LIBC.shmat.restype = ctypes.c_void_p
    ctypes.memset(_LIBC.shmat(segment, None, 0), 1, size)
    return [f"{size // MIB} MiB"]


@attempt
def allocates_twice_its_memory_by_memfd() -> list[str]:
    """In several files, as their size is limited; mapped and closed, as open ones are counted."""
    size = int(TARGETS["file_size"])
    most = 2 * int(TARGETS["memory"]) // size

    def fill() -> int:
        file = os.memfd_create(TARGETS["mark"])
        os.posix_fallocate(file, 0, size)
        mapping = _LIBC.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
        os.close(file)
        return int(mapping)

    return _unless_refused(len(_acquire(fill, most)), most, "files in memory")


# ---------------------------------------------------------------- files


@attempt
def opens_200_files() -> list[str]:
    files = _acquire(lambda: os.open("/dev/null", os.O_RDONLY), MANY)
    for file in files:
        os.close(file)
    return _unless_refused(len(files), MANY, "files")


@attempt
def writes_a_file_too_large() -> list[str]:
    size = 2 * int(TARGETS["file_size"])
    path = Path("/tmp", TARGETS["mark"])
    try:
        path.write_bytes(bytes(size))
    except OSError:
        return []
    finally:
        path.unlink(missing_ok=True)
    return [f"{size} bytes"]


@attempt
def fills_every_folder() -> list[str]:
    """Wherever a file can be created, write twice the largest size."""
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    places = {line.split()[1] for line in mounts} | {"/", "/bot", "/tmp", "/var/tmp", "/root"}
    most = 2 * int(TARGETS["file_size"]) // MIB
    return [what for folder in sorted(places) for what in _fill(folder, most)]


def _fill(folder: str, most: int) -> list[str]:
    """Write files of 1 MiB."""
    names = (Path(folder, f"{TARGETS['mark']}-{number}") for number in range(most))
    wrote = _acquire(lambda: next(names).write_bytes(bytes(MIB)), most)
    return _unless_refused(len(wrote), most, f"MiB in {folder}")


@attempt
def makes_5000_files() -> list[str]:
    names = iter(range(5000))
    made = _acquire(lambda: Path("/tmp", f"{TARGETS['mark']}-{next(names)}").touch(), 5000)
    return _unless_refused(len(made), 5000, "files")
