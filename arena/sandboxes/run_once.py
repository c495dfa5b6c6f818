"""Programs that are run to their end: builds and probes."""

import os
import select
import time
from collections.abc import Callable
from typing import NamedTuple

from arena.sandboxes.base import Program, Running, Sandbox

TAIL_BYTES = 65_536
"""Bytes kept of what a program prints on each of its outputs, the last ones."""
_LOOK = 0.5
"""Seconds between two calls of a watcher."""
_LAST_READS = 16


class RunResult(NamedTuple):
    """How a program ended, and the end of what it printed."""

    code: int | None
    """The exit code, -n where signal n ended it; None where it was still running and was killed."""
    out: bytes
    err: bytes
    said: bytes
    """Both, as they came."""


def run_once(
    sandbox: Sandbox,
    program: Program,
    seconds: float,
    *,
    said: bytes = b"",
    watch: Callable[[], None] | None = None,
    writable: bool = False,
) -> RunResult:
    """Run a program for so many seconds at most; all that it started dies with it.

    `said`, a line or two, is all that it finds on its standard input. `watch` is called now and
    then; what it raises ends the program, too. Raises OSError where it cannot be started.
    """
    running = sandbox.start(program, writable=writable)
    listener = _Listener(running, watch or (lambda: None))
    try:
        os.write(running.stdin, said)
        running.end_input()
        ended = listener.listen(time.monotonic() + seconds)
        running.kill()
        listener.take_rest()
        code = running.exit_code()
    finally:
        running.kill()
        running.close()
    return RunResult(code if ended else None, *listener.kept)


class _Listener:
    """Reads both outputs of a program and keeps their ends."""

    def __init__(self, running: Running, watch: Callable[[], None]) -> None:
        self._outputs = {running.stdout: bytearray(), running.stderr: bytearray()}
        self._death = running.exit_fd
        self._watch = watch
        self._said = bytearray()

    @property
    def kept(self) -> tuple[bytes, bytes, bytes]:
        """The end of standard output, of standard error, and of both as they came."""
        out, err = self._outputs.values()
        return bytes(out), bytes(err), bytes(self._said)

    def listen(self, due: float) -> bool:
        """Read until the program ends; False where that takes too long.

        The end of its output means nothing: it may close it early, or leave it to a helper.
        """
        waiting = [self._death, *self._outputs]
        look = time.monotonic() + _LOOK
        while (now := time.monotonic()) < due:
            if now >= look:
                self._watch()
                look = now + _LOOK
            ready = select.select(waiting, [], [], max(0.0, min(due, look) - now))[0]
            if self._death in ready:
                return True
            waiting = [fd for fd in waiting if fd not in ready or self._keep(fd)]
        return False

    def take_rest(self) -> None:
        """Read what is left; what could not be ended, and so still writes, is not waited for."""
        for fd in self._outputs:
            for _ in range(_LAST_READS):
                if not self._keep(fd):
                    break

    def _keep(self, fd: int) -> bool:
        """Read what has come; False where nothing more can come."""
        try:
            chunk = os.read(fd, TAIL_BYTES)
        except BlockingIOError:
            return False
        for tail in (self._outputs[fd], self._said):
            tail.extend(chunk)
            del tail[:-TAIL_BYTES]
        return bool(chunk)
