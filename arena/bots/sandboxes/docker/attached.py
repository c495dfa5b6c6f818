"""A bot in a container, over Docker's attach socket: for engines where FIFOs do not work."""

import os
import select
import socket
from collections.abc import Callable
from contextlib import suppress
from struct import unpack
from threading import Thread
from typing import NamedTuple

from arena.bots.sandboxes.docker import engine
from arena.bots.sandboxes.docker.container import KILLED, NO_CONTAINER, Container
from arena.bots.sandboxes.kernel.cgroups import cgroup_of

_CHUNK = 65_536
_HEADER = 8
"""Bytes before each piece of output: which stream, three zeros, how many bytes."""
_KILL_CHECK_SECONDS = 0.05
"""Time between checks whether the bot was killed while nobody reads its output."""


class Attachment(NamedTuple):
    """A started container, and the socket that carries its standard streams."""

    id: str
    socket: socket.socket
    pid: int
    """Its first process by the engine's numbers, or 0 if it is gone."""


class AttachedContainer(Container):
    """A container that is being started, and a thread that relays its streams to pipes."""

    def __init__(self, launch: Callable[[], Attachment]) -> None:
        """`launch` starts the container, or raises ArenaError."""
        super().__init__()
        self._launch = launch
        self._attachment: Attachment | None = None
        self._killed = False
        self._code = KILLED
        self._from_stdin, self.stdin = os.pipe()
        self.stdout, self._to_stdout = os.pipe()
        self.stderr, self._to_stderr = os.pipe()
        self.exit_fd, self._ended = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr, self._to_stdout, self._to_stderr):
            os.set_blocking(fd, False)
        self._open_fds = {self.stdin, self.stdout, self.stderr, self.exit_fd}
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def open_folder(self) -> None:
        """Return None: a build changes its folder itself."""

    def end_input(self) -> None:
        """Close the bot's standard input."""
        self._close(self.stdin)

    def exit_code(self) -> int:
        """Wait for the bot to end; return its exit code, or -9 if unknown."""
        self._thread.join()
        return self._code

    def ran(self) -> bool:
        """Return whether the container began: its init executes the bot, and says if it cannot."""
        self._thread.join()
        return self._attachment is not None

    def kill(self) -> None:
        """Kill the container, with all that is in it."""
        self._started.wait()
        if self._attachment is None:
            return
        self.freeze(frozen=False)
        # The socket first: the engine waits for ever on one that nobody reads.
        with suppress(OSError):
            self._attachment.socket.shutdown(socket.SHUT_RDWR)
        engine.remove(self._attachment.id)
        self._killed = True

    def close(self) -> None:
        """Kill the container if it still runs, and close all descriptors."""
        self.kill()
        self._thread.join()
        for fd in list(self._open_fds):
            self._close(fd)
        self._close_cgroup()

    def _close(self, fd: int) -> None:
        if fd in self._open_fds:
            self._open_fds.remove(fd)
            os.close(fd)

    def _run(self) -> None:
        try:
            self._attachment = self._launch()
            self._cgroup = cgroup_of(self._attachment.pid)
            self._started.set()
            self._relay(self._attachment.socket)
            self._code = engine.wait(self._attachment.id)
        except Exception as error:
            # Otherwise nobody would see it, and the bot would be waited for.
            if self._attachment is None:
                self._code = NO_CONTAINER
                os.write(self._to_stderr, str(error).encode() + b"\n")
        finally:
            self._started.set()
            for fd in (self._from_stdin, self._to_stdout, self._to_stderr, self._ended):
                os.close(fd)

    def _relay(self, attached: socket.socket) -> None:
        sources: list[socket.socket | int] = [attached, self._from_stdin]
        with suppress(OSError), attached:
            while True:
                ready, _, _ = select.select(sources, [], [])
                if attached in ready and not self._relay_output(attached):
                    return
                if self._from_stdin in ready:
                    if chunk := os.read(self._from_stdin, _CHUNK):
                        attached.sendall(chunk)
                    else:
                        sources.remove(self._from_stdin)
                        attached.shutdown(socket.SHUT_WR)

    def _relay_output(self, attached: socket.socket) -> bool:
        """Relay one piece of output; return False at the end."""
        header = _receive(attached, _HEADER)
        if len(header) < _HEADER:
            return False
        stream, size = unpack(">BxxxI", header)
        output = _receive(attached, size)
        pipe = self._to_stderr if stream == 2 else self._to_stdout
        while output and not self._killed:
            if select.select([], [pipe], [], _KILL_CHECK_SECONDS)[1]:
                output = output[os.write(pipe, output) :]
        return True


def _receive(attached: socket.socket, size: int) -> bytes:
    """Read `size` bytes; fewer only at the end."""
    received = b""
    while len(received) < size and (chunk := attached.recv(size - len(received))):
        received += chunk
    return received
