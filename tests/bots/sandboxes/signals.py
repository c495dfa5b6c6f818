"""The program that tries to signal another bot, or its sandbox; run there as it is."""

import fcntl
import json
import os
import signal
import sqlite3
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

LOCK = "hhqqi"
SET, GET, OPEN_SET, OPEN_GET = 6, 5, 37, 36
STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
SET_SIGNAL = 10


def works(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return False
    return True


def lock(_: dict[str, Any]) -> str:
    """Lock the program's own file, of which all processes of a bot have the same."""
    for command, start in ((SET, 0), (OPEN_SET, 10)):
        fcntl.fcntl(FILE, command, struct.pack(LOCK, fcntl.F_RDLCK, 0, start, 5, 0))
    return "locked"


def locks(_: dict[str, Any]) -> list[bool]:
    """Return whether another process has locked the file, as two commands see it."""
    return [
        struct.unpack(LOCK, fcntl.fcntl(FILE, command, struct.pack(LOCK, 1, 0, 0, 0, 0)))[0]
        != fcntl.F_UNLCK
        for command in (GET, OPEN_GET)
    ]


def user(_: dict[str, Any]) -> int:
    return os.getuid()


def counts(request: dict[str, Any]) -> dict[str, str]:
    """Return what the kernel's counters say, as far as they can be read."""
    said = {}
    for path in map(Path, request["paths"]):
        try:
            said[str(path)] = (
                " ".join(map(str, path.iterdir())) if path.is_dir() else path.read_text()
            )
        except OSError:
            said[str(path)] = ""
    return said


def keep_rows(_: dict[str, Any]) -> list[int]:
    """Use SQLite, which locks its files, from two connections."""
    found = []
    for mode in ("delete", "wal"):
        connections = [sqlite3.connect(f"/tmp/{mode}.sqlite") for _ in range(2)]
        connections[0].execute(f"PRAGMA journal_mode={mode}")
        connections[0].execute("CREATE TABLE games (id)")
        for connection in connections:
            connection.execute("INSERT INTO games VALUES (1)")
            connection.commit()
        found += connections[0].execute("SELECT COUNT(*) FROM games").fetchone()
        for connection in connections:
            connection.close()
    return found


def choose_core(_: dict[str, Any]) -> list[list[int]]:
    """Return the cores before and after the program tries to have others."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)} if len(before) > 1 else set(range(os.cpu_count() or 1)))
    return [sorted(before), sorted(os.sched_getaffinity(0))]


def reach_out(_: dict[str, Any]) -> list[str]:
    """Return what can be done to processes of the sandbox that are not the program's own."""
    numbers = {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}
    done = []
    for pid in sorted((numbers | {1, os.getppid()}) - {0, os.getpid()}):
        stops = [number for number in STOPS if works(partial(os.kill, pid, number))]
        done += [f"stops {pid} by {number}" for number in stops]
        files = [f"/proc/{pid}/{name}" for name in ("mem", "fd/1", "fd/2")]
        done += [path for path in files if works(partial(os.open, path, os.O_WRONLY))]
    return done


def stop_all(_: dict[str, Any]) -> str:
    """Send all signals that stop to all processes, also by what a pipe sends to its owner."""
    reader, writer = os.pipe()
    for number in STOPS:
        for pid in (-1, 1, os.getppid()):
            works(partial(os.kill, pid, number))
            works(partial(fcntl.fcntl, reader, fcntl.F_SETOWN, pid))
            works(partial(fcntl.fcntl, reader, SET_SIGNAL, number))
            works(partial(fcntl.fcntl, reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK))
            os.write(writer, b".")
    return "stopped"


TASKS: dict[str, Callable[[dict[str, Any]], object]] = {
    task.__name__: task
    for task in (lock, locks, user, counts, keep_rows, choose_core, reach_out, stop_all)
}

if __name__ == "__main__":
    FILE = os.open(__file__, os.O_RDONLY)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(TASKS[asked["task"]](asked)), flush=True)
