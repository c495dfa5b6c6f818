"""A program that tries a sandbox from the inside: reads what to do as JSON, prints what came of it.

It is run there as a text of its own (`python3 -c`), so it uses the standard library alone.
"""

import json
import mmap
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

MIB = 2**20


def works(action: Callable[[], object]) -> bool:
    """Tell whether an action ends without an error."""
    try:
        action()
    except OSError:
        return False
    return True


def look(asked: dict[str, Any]) -> dict[str, Any]:
    """Look for a port, files, a process and a name in the environment, and try to write."""
    port, pid, born = asked["port"], asked["pid"], asked["born"]
    return {
        "connected": works(lambda: socket.create_connection(("127.0.0.1", port)).close()),
        "interfaces": [line.split(":")[0].strip() for line in lines("/proc/net/dev")[2:]],
        "read": [path for path in asked["paths"] if works(Path(path).read_bytes)],
        "written": [path for path in asked["targets"] if works(partial(touch, path))],
        "saw_process": any(line.split()[21:22] == [born] for line in lines(f"/proc/{pid}/stat")),
        "environment": sorted(os.environ),
        "uid": os.getuid(),
    }


def lines(path: str) -> list[str]:
    """Return the lines of a file, none where it is not there."""
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def touch(path: str) -> None:
    """Make a file and remove it again."""
    Path(path).write_bytes(b"")
    Path(path).unlink()


def take(asked: dict[str, Any]) -> dict[str, Any]:
    """Take memory by the MiB, shared memory where no other is left; returns how much was had."""
    kept: list[bytes] = []
    shared: list[mmap.mmap] = []
    with suppress(MemoryError):
        while len(kept) < asked["mib"]:
            kept.append(b"x" * MIB)
    # Room to go on with.
    had = len(kept)
    del kept[:8]
    with suppress(OSError, MemoryError):
        while had + len(shared) < asked["mib"]:
            shared.append(mmap.mmap(-1, MIB))
            shared[-1].write(b"x" * MIB)
    return {"mib": had + len(shared)}


def take_together(asked: dict[str, Any]) -> dict[str, Any]:
    """Let children take memory; returns how many could keep it."""
    children = [child_with(asked["mib"]) for _ in range(asked["children"])]
    held = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
    for child in held:
        os.kill(child, signal.SIGKILL)
    return {"held": len(held)}


def child_with(mib: int) -> int:
    """Start a child that takes memory and keeps it; returns once it has it, or has died of it."""
    holds, says = os.pipe()
    child = os.fork()
    if child:
        os.close(says)
        os.read(holds, 1)
        os.close(holds)
        return child
    with suppress(OSError, MemoryError):
        own = b"x" * (mib * MIB)
        os.write(says, own[:1])
        signal.pause()
    os._exit(1)


def fork(asked: dict[str, Any]) -> dict[str, Any]:
    """Start children until there is an error; returns how many there were."""
    children: list[int] = []
    with suppress(OSError):
        while len(children) < asked["children"]:
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    for child in children:
        os.kill(child, signal.SIGKILL)
    return {"children": len(children)}


def spin(asked: dict[str, Any]) -> dict[str, Any]:
    """Keep several processes busy; returns how many cores they had, on average."""
    began = time.monotonic()
    children = [spinner(began + asked["seconds"]) for _ in range(asked["children"])]
    used = sum(os.wait4(child, 0)[2].ru_utime for child in children)
    return {"cores": used / (time.monotonic() - began)}


def spinner(end: float) -> int:
    """Start a child that is busy until then."""
    if child := os.fork():
        return child
    while time.monotonic() < end:
        pass
    os._exit(0)


def hide(asked: dict[str, Any]) -> dict[str, Any]:
    """Leave a helper behind that no signal but the last ends, and wait with it for ever.

    Should it outlive all, it ends when nobody watches any more.
    """
    alive = os.open(asked["alive"], os.O_WRONLY)
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        for fd in range(3):
            os.close(fd)
        os.write(alive, b".")
        unwatched = select.poll()
        unwatched.register(alive, 0)
        unwatched.poll()
        os._exit(0)
    while True:
        signal.pause()


TASKS = {task.__name__: task for task in (look, take, take_together, fork, spin, hide)}

if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps(TASKS[request["task"]](request)) + "\n")
