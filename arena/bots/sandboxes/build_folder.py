"""The folder of a build: a copy of the bot's, in a file system of limited size in memory."""

import os
import select
from collections.abc import Callable, Sequence
from contextlib import suppress

from arena.bots.sandboxes.base import Running

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

    It keeps the contents when the sandbox has ended. `pid` returns a process in it. None if the
    copy failed: the program has said why and ended. Raises OSError.
    """
    select.select([running.stdout, running.exit_fd], [], [], _COPY_SECONDS)
    with suppress(BlockingIOError):
        if os.read(running.stdout, 1):
            folder = os.open(f"/proc/{pid()}/root/bot", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.write(running.stdin, b"\n")
            return folder
    return None
