"""Programs that are run to their end: builds and probes."""

import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.io.uptime import TICK, Uptime

TAIL_BYTES = 65_536
"""Bytes that are kept of each output of a program, from its end."""
_LAST_READS = 16


class RunResult(NamedTuple):
    """The end of a program: its exit code and the last of its output."""

    code: int | None
    """The exit code, -n if signal n ended it, None if it ran out of time and was killed."""
    stdout: bytes
    stderr: bytes
    output: bytes
    """Both, in the order in which they arrived."""
    size: int
    """Bytes of both that there were."""
    seconds: float
    """Its run time, in uptime of the arena."""
    ran: bool = True
    """Whether the program itself was started."""


@contextmanager
def started(sandbox: Sandbox, program: Program, *, space: int = 0) -> Iterator[Running]:
    """Start a program; all of it is killed at the end. Raises OSError if it cannot be started."""
    running = sandbox.start(program, space=space)
    try:
        yield running
    finally:
        running.kill()
        running.close()


def run_once(
    sandbox: Sandbox, program: Program, seconds: float, *, stdin: bytes = b""
) -> RunResult:
    """Run a program for at most so many seconds; all that it started is killed with it.

    `stdin` is a few lines at most. Raises OSError if the program cannot be started.
    """
    with started(sandbox, program) as running:
        os.write(running.stdin, stdin)
        return run_to_end(running, seconds)


def run_to_end(
    running: Running, seconds: float, *, watch: Callable[[], None] | None = None
) -> RunResult:
    """End a program's input, wait for its end, at most so many seconds, and kill it.

    `watch` is called twice a second; it may raise.
    """
    reader = _OutputReader(running, watch or (lambda: None))
    running.end_input()
    ended = reader.read_until_exit(seconds)
    running.kill()
    reader.read_rest()
    code = running.exit_code()
    stdout, stderr = map(bytes, reader.outputs.values())
    return RunResult(
        code=code if ended else None,
        stdout=stdout,
        stderr=stderr,
        output=bytes(reader.combined),
        size=reader.size,
        seconds=reader.seconds,
        ran=not ended or running.ran(),
    )


def last_line(output: bytes | bytearray) -> str:
    """Return the last line of a program's output, or "" if it has none."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


class _OutputReader:
    def __init__(self, running: Running, watch: Callable[[], None]) -> None:
        self.outputs = {running.stdout: bytearray(), running.stderr: bytearray()}
        self.combined = bytearray()
        self.size = 0
        self._exit_fd = running.exit_fd
        self._watch = watch
        self.seconds = 0.0
        """For how long it has been read."""

    def read_until_exit(self, seconds: float) -> bool:
        """Read until the program exits; return False if it takes longer, in uptime of the arena.

        The end of its output means nothing: it may close it early, or leave it to a helper.
        """
        fds = [self._exit_fd, *self.outputs]
        uptime = Uptime()
        next_watch = TICK
        while True:
            now = uptime.tick()
            if now >= next_watch:
                self._watch()
                next_watch = now + TICK
            ready = select.select(fds, [], [], max(0.0, min(seconds, next_watch) - now))[0]
            self.seconds = uptime.tick()
            if self._exit_fd in ready:
                return True
            if now >= seconds:
                return False
            fds = [fd for fd in fds if fd not in ready or self._read(fd)]

    def read_rest(self) -> None:
        """Read what is left, without waiting for what survived and still writes."""
        for fd in self.outputs:
            for _ in range(_LAST_READS):
                if not self._read(fd):
                    break

    def _read(self, fd: int) -> bool:
        """Read what has arrived; return False at the end of file, or if nothing has."""
        try:
            chunk = os.read(fd, TAIL_BYTES)
        except BlockingIOError:
            return False
        self.size += len(chunk)
        for tail in (self.outputs[fd], self.combined):
            tail.extend(chunk)
            del tail[:-TAIL_BYTES]
        return bool(chunk)
