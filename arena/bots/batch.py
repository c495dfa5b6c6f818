"""Programs that are run to their end: builds and probes."""

import os
import select
import time
from typing import NamedTuple

from arena.bots.sandbox import Program, Running, Sandbox

KEPT = 65_536
"""Bytes kept of what a program prints on each of its outputs, the last ones."""
_LINGER = 0.2
"""Seconds for what was printed last to come through once the program has ended."""


class Finished(NamedTuple):
    """How a program ended, and the end of what it printed."""

    code: int | None
    """The exit code, -n where signal n ended it; None where it was still running and was killed."""
    out: bytes
    err: bytes


def run_to_end(
    sandbox: Sandbox,
    program: Program,
    seconds: float,
    *,
    said: bytes = b"",
    writable: bool = False,
) -> Finished:
    """Run a program for so many seconds at most; all that it started dies with it.

    `said`, a line or two, is all that it finds on its standard input. Raises OSError where it
    cannot be started.
    """
    running = sandbox.start(program, writable=writable)
    try:
        os.write(running.stdin, said)
        running.end_input()
        ended, kept = _listen(running, time.monotonic() + seconds)
        running.kill()
        code = running.exit_code()
    finally:
        running.kill()
        running.close()
    return Finished(code if ended else None, kept[running.stdout], kept[running.stderr])


def _listen(running: Running, deadline: float) -> tuple[bool, dict[int, bytes]]:
    """Read both outputs until the program ends; returns whether it did, and what it printed."""
    kept = {running.stdout: b"", running.stderr: b""}
    watched = {running.stdout, running.stderr, running.death}
    ended = False
    while watched and (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select(list(watched), [], [], min(left, _LINGER) if ended else left)
        if ended and not ready:
            break
        for fd in ready:
            if fd == running.death:
                ended = True
                watched.discard(fd)
            elif chunk := _read(fd):
                kept[fd] = (kept[fd] + chunk)[-KEPT:]
            else:
                watched.discard(fd)
    return ended, kept


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, KEPT)
    except BlockingIOError:
        return b""
