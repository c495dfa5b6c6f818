"""Programs that are run to their end, as builds and probes, and their output."""

import os
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.io.text import size_text
from arena.io.uptime import TICK, Uptime, wait_readable

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
    """Both, line by line, in the order in which the lines ended."""
    size: int
    """Bytes of both, kept or not."""
    seconds: float
    """Its run time, without the time in which the arena itself did not run."""
    ran: bool
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
    """Reads standard output and standard error of a program, and keeps the end of each."""

    def __init__(self, running: Running, watch: Callable[[], None]) -> None:
        self.outputs = {running.stdout: bytearray(), running.stderr: bytearray()}
        """The end of each output, by descriptor."""
        self.combined = bytearray()
        """The end of both, of which no line is torn by one of the other."""
        self._lines = {fd: bytearray() for fd in self.outputs}
        """What has arrived of the line that has not ended, by descriptor."""
        self.size = 0
        """Bytes of both so far."""
        self.seconds = 0.0
        """For how long they have been read."""
        self._exit_fd = running.exit_fd
        self._watch = watch

    def read_until_exit(self, seconds: float) -> bool:
        """Read until the program exits; return False if it takes longer.

        Time in which the arena itself did not run does not count. The end of its output means
        nothing: it may close it early, or leave it to a helper.
        """
        poll = select.poll()
        for fd in (self._exit_fd, *self.outputs):
            poll.register(fd, select.POLLIN)
        uptime = Uptime()
        next_watch = TICK
        while True:
            now = uptime.tick()
            if now >= next_watch:
                self._watch()
                next_watch = now + TICK
            left = max(0.0, min(seconds, next_watch) - now)
            ready = [fd for fd, _ in poll.poll(1000 * left)]
            self.seconds = uptime.tick()
            if self._exit_fd in ready:
                return True
            if now >= seconds:
                return False
            for fd in ready:
                if not self._read(fd):
                    poll.unregister(fd)

    def read_rest(self) -> None:
        """Read what is left, without waiting for what survived and still writes."""
        for fd in self.outputs:
            for _ in range(_LAST_READS):
                if not self._read(fd):
                    break
        for line in self._lines.values():
            _add(self.combined, line)

    def _read(self, fd: int) -> bool:
        """Read what has arrived; return False at the end of file, or if nothing has."""
        try:
            chunk = os.read(fd, TAIL_BYTES)
        except BlockingIOError:
            return False
        self.size += len(chunk)
        _add(self.outputs[fd], chunk)
        ended, newline, rest = chunk.rpartition(b"\n")
        line = self._lines[fd]
        if newline or len(line) > TAIL_BYTES:
            _add(self.combined, line + ended + newline)
            line.clear()
        line.extend(rest)
        return bool(chunk)


def _add(tail: bytearray, chunk: bytes | bytearray) -> None:
    tail.extend(chunk)
    del tail[:-TAIL_BYTES]


SOURCE = "/run/source"
"""The read-only mount of the bot's own folder."""
_COPY = f'cp -RP {SOURCE}/. . && echo && read -r _ && exec "$@"'
"""A shell script that copies the bot, waits until the arena has opened the copy, and builds."""
_COPY_SECONDS = 60.0


def copy_first(command: Sequence[str]) -> list[str]:
    """Return a command that fills the folder that it runs in, and then becomes `command`."""
    return ["sh", "-c", _COPY, "sh", *command]


def open_copy(running: Running, pid: Callable[[], int | None]) -> int | None:
    """Wait for the copy and let the build begin; return a descriptor of the folder.

    The descriptor keeps the contents when the sandbox has ended. `pid` returns a process in it.
    None if the copy failed: the program has said why and ended. Raises OSError.
    """
    wait_readable([running.stdout, running.exit_fd], _COPY_SECONDS)
    with suppress(BlockingIOError):
        if os.read(running.stdout, 1):
            folder = os.open(f"/proc/{pid()}/root/bot", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.write(running.stdin, b"\n")
            return folder
    return None


IN_ALL = 1_048_576
"""Bytes that are shown of all steps together."""
LEAST = 200
"""Bytes of a step that are shown even if IN_ALL were shown before."""


class Capped:
    """Lets the beginning of each step through, and counts the bytes that it leaves out."""

    def __init__(self, per_step: int) -> None:
        self._per_step = self._room = per_step
        self._left = IN_ALL
        self._left_out = 0

    def take(self, chunk: bytes) -> bytes:
        """Return what may be shown of the next bytes of a step."""
        shown = chunk[: self._room]
        self._room -= len(shown)
        self._left -= len(shown)
        self._left_out += len(chunk) - len(shown)
        return shown

    def end_step(self) -> int:
        """Begin the next step; returns how many bytes of this one were left out."""
        left_out, self._left_out = self._left_out, 0
        self._room = max(LEAST, min(self._per_step, self._left))
        return left_out


def left_out(size: int, of: str = "") -> str:
    """Say that so many bytes are not shown."""
    return f"... {size_text(size)} more{of and f' of {of}'} left out"


def end_of(text: str, size: int, of: str) -> str:
    """Return the kept end of a text, at least TAIL_BYTES, after a line that says what is missing.

    `size` is how many bytes the whole text had; `of` names it.
    """
    missing = size - len(text.encode("utf-8", "replace"))
    return f"{left_out(missing, of)}\n{text}" if size > TAIL_BYTES and missing > 0 else text
