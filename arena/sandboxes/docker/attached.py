"""A bot in a container, over Docker's attach socket: where FIFOs don't cross into containers."""

import os
import select
import socket
from collections.abc import Callable
from contextlib import suppress
from struct import unpack
from threading import Event, Thread
from typing import NamedTuple

from arena.sandboxes.docker.contained import Contained

_CHUNK = 65_536
_HEADER = 8
"""Bytes before each piece of output: which stream, three zeros, how many bytes."""
_NO_CONTAINER = 125
_KILLED = -9
_TICK = 0.05
"""Seconds between looks at whether the bot was killed while nobody reads what it said."""


class Attachment(NamedTuple):
    """A started container, and the socket that carries its standard streams."""

    id: str
    socket: socket.socket
    pid: int | None
    """Its first process, as the engine's machine knows it."""


class AttachedContainer(Contained):
    """A container that is being started, and a thread that carries its streams to pipes."""

    def __init__(
        self,
        launch: Callable[[], Attachment],
        wait: Callable[[str], int],
        remove: Callable[[str], None],
    ) -> None:
        """`launch` starts the container, or raises ArenaError; `wait` returns its exit code."""
        self._launch = launch
        self._wait = wait
        self._remove = remove
        self._made: Attachment | None = None
        self._launched = Event()
        self._stopping = False
        self._code = _KILLED
        self._from_arena, self.stdin = os.pipe()
        self.stdout, self._to_stdout = os.pipe()
        self.stderr, self._to_stderr = os.pipe()
        self.exit_fd, self._ended = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr, self._to_stdout, self._to_stderr):
            os.set_blocking(fd, False)
        self._ours = {self.stdin, self.stdout, self.stderr, self.exit_fd}
        self._carrier = Thread(target=self._serve, daemon=True)
        self._carrier.start()

    def end_input(self) -> None:
        """Close the bot's standard input."""
        self._close(self.stdin)

    def exit_code(self) -> int:
        """Wait for the end of the bot; returns its exit code, -9 where nobody could say it."""
        self._carrier.join()
        return self._code

    def kill(self) -> None:
        """End the container, with all that is in it."""
        self._wait_for_start()
        if self._made is None:
            return
        self.freeze(frozen=False)
        # First the socket: the engine waits for ever on one that nobody reads.
        with suppress(OSError):
            self._made.socket.shutdown(socket.SHUT_RDWR)
        self._remove(self._made.id)
        self._stopping = True

    def close(self) -> None:
        """End the container if it is still there, and close all descriptors."""
        self.kill()
        self._carrier.join()
        for fd in list(self._ours):
            self._close(fd)
        self._leave_group()

    def _wait_for_start(self) -> None:
        self._launched.wait()

    def _close(self, fd: int) -> None:
        if fd in self._ours:
            self._ours.remove(fd)
            os.close(fd)

    def _serve(self) -> None:
        try:
            self._made = self._launch()
            self._find_group(self._made.pid)
            self._launched.set()
            self._carry(self._made.socket)
            self._code = self._wait(self._made.id)
        except Exception as error:
            # Nobody else would hear of it, and the bot would be waited for.
            if self._made is None:
                self._code = _NO_CONTAINER
                os.write(self._to_stderr, str(error).encode() + b"\n")
        finally:
            self._launched.set()
            for fd in (self._from_arena, self._to_stdout, self._to_stderr, self._ended):
                os.close(fd)

    def _carry(self, attached: socket.socket) -> None:
        """Carry bytes both ways until the container's streams end."""
        sources: list[socket.socket | int] = [attached, self._from_arena]
        with suppress(OSError), attached:
            while True:
                ready, _, _ = select.select(sources, [], [])
                if attached in ready and not self._forward(attached):
                    return
                if self._from_arena in ready:
                    said = os.read(self._from_arena, _CHUNK)
                    if said:
                        attached.sendall(said)
                    else:
                        sources.remove(self._from_arena)
                        attached.shutdown(socket.SHUT_WR)

    def _forward(self, attached: socket.socket) -> bool:
        """Hand on one piece of output; False at the end."""
        header = _receive(attached, _HEADER)
        if len(header) < _HEADER:
            return False
        stream, size = unpack(">BxxxI", header)
        self._put(self._to_stderr if stream == 2 else self._to_stdout, _receive(attached, size))
        return True

    def _put(self, pipe: int, said: bytes) -> None:
        """Write all of it, or what is read of it until the bot is killed."""
        while said and not self._stopping:
            if select.select([], [pipe], [], _TICK)[1]:
                said = said[os.write(pipe, said) :]


def _receive(attached: socket.socket, size: int) -> bytes:
    """Read so many bytes; fewer only at the end."""
    found = b""
    while len(found) < size and (chunk := attached.recv(size - len(found))):
        found += chunk
    return found
