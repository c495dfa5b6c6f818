"""Proof that a program without a sandbox was started: what starts it may fail before."""

import os
from collections.abc import Sequence
from contextlib import suppress

_SAY = 'echo >"$1" && shift && exec "$@"'
"""A shell script that says so and becomes the program."""


class Begun:
    """Learns, by way of a pipe, that only the execution of a program itself can fail any more."""

    def __init__(self) -> None:
        """Make the pipe; raises OSError."""
        self._fd, writer = os.pipe()
        os.close(writer)
        self._said = b""

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return a command that says that it has begun before it becomes `command`."""
        # Opened by its name: what is not inherited is no descriptor of the program.
        return ["sh", "-c", _SAY, "sh", f"/proc/{os.getpid()}/fd/{self._fd}", *command]

    def seen(self) -> bool:
        """Return whether the program had begun; asked once all has ended."""
        os.set_blocking(self._fd, False)
        with suppress(BlockingIOError):
            self._said += os.read(self._fd, 1)
        return bool(self._said)

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._fd)
