"""A program that tries a sandbox from the inside, run as source code: standard library only."""

import fcntl
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

MIB = 2**20


def works(action: Callable[[], object]) -> bool:
    """Return whether an action ends without an error."""
    with suppress(OSError):
        action()
        return True
    return False


def look(request: dict[str, Any]) -> dict[str, Any]:
    """Look for a port, files, a process and a name in the environment, and try to write."""
    port = request["port"]
    start_time = request["start_time"]
    stat = lines(f"/proc/{request['pid']}/stat")
    return {
        "connected": works(lambda: socket.create_connection(("127.0.0.1", port)).close()),
        "interfaces": [line.split(":")[0].strip() for line in lines("/proc/net/dev")[2:]],
        "read": [path for path in request["paths"] if works(Path(path).read_bytes)],
        "written": [path for path in request["targets"] if works(partial(touch, path))],
        "saw_process": any(line.split()[21:22] == [start_time] for line in stat),
        "environment": sorted(os.environ),
        "uid": os.getuid(),
        "counters": [path for path in request["counters"] if lines(path)],
        "lock": sees_lock(),
    }


def user(request: dict[str, Any]) -> int:
    """Return the user that the program runs as."""
    del request
    return os.getuid()


def sees_lock() -> bool:
    """Return whether a process sees that another has locked a file that all sandboxes share."""
    reader, writer = os.pipe()
    shared = os.open(sys.executable, os.O_RDONLY)
    child = os.fork()
    if not child:
        fcntl.lockf(shared, fcntl.LOCK_SH)
        os.write(writer, b".")
        signal.pause()
    os.read(reader, 1)
    asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
    lock = struct.unpack("hhqqi", fcntl.fcntl(shared, fcntl.F_GETLK, asked))[0]
    os.kill(child, signal.SIGKILL)
    return bool(lock != fcntl.F_UNLCK)


def lines(path: str) -> list[str]:
    """Return the lines of a file, none if it does not exist."""
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def touch(path: str) -> None:
    """Make a file and remove it again."""
    Path(path).write_bytes(b"")
    Path(path).unlink()


def take(request: dict[str, Any]) -> int:
    """Take memory by the MiB, then shared memory; return how many MiB there were."""
    private: list[bytes] = []
    shared: list[mmap.mmap] = []
    with suppress(MemoryError):
        while len(private) < request["count"]:
            private.append(b"x" * MIB)
    taken = len(private)
    # Without some memory of its own, the probe could not go on.
    del private[:8]
    with suppress(OSError, MemoryError):
        while taken + len(shared) < request["count"]:
            shared.append(mmap.mmap(-1, MIB))
            shared[-1].write(b"x" * MIB)
    return taken + len(shared)


def take_together(request: dict[str, Any]) -> int:
    """Let children take memory; return how many could keep it."""
    children = [child_with(request["mib"]) for _ in range(request["count"])]
    held = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
    for child in held:
        os.kill(child, signal.SIGKILL)
    return len(held)


def child_with(mib: int) -> int:
    """Start a child that takes memory and keeps it; return once it has it, or was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        return child
    with suppress(OSError, MemoryError):
        memory = b"x" * (mib * MIB)
        os.write(writer, memory[:1])
        signal.pause()
    os._exit(1)


def fork(request: dict[str, Any]) -> int:
    """Start children until there is an error; return how many there were."""
    children: list[int] = []
    with suppress(OSError):
        while len(children) < request["count"]:
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    for child in children:
        os.kill(child, signal.SIGKILL)
    return len(children)


def spin(request: dict[str, Any]) -> float:
    """Keep several processes busy; return how many cores they had, on average."""
    started = time.monotonic()
    children = [spinner(started + request["seconds"]) for _ in range(request["children"])]
    used = sum(os.wait4(child, 0)[2].ru_utime for child in children)
    return used / (time.monotonic() - started)


def spinner(end: float) -> int:
    """Start a child that is busy until `end`."""
    if child := os.fork():
        return child
    while time.monotonic() < end:
        pass
    os._exit(0)


def hide(request: dict[str, Any]) -> NoReturn:
    """Leave a daemon that ends by SIGKILL, or if nobody watches any more; wait for ever."""
    alive = os.open(request["alive"], os.O_WRONLY)
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 3)
        os.write(alive, b".")
        unwatched = select.poll()
        unwatched.register(alive, 0)
        unwatched.poll()
        os._exit(0)
    while True:
        signal.pause()


TASKS: dict[str, Callable[[dict[str, Any]], object]] = {
    task.__name__: task for task in (look, user, take, take_together, fork, spin, hide)
}

if __name__ == "__main__":
    asked = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps(TASKS[asked["task"]](asked)) + "\n")
