"""Why a bot did not answer in time: what it does when it is given more time, or no more input."""

import fcntl
import os
import termios
import time
from contextlib import suppress
from typing import Literal, NamedTuple

from arena.bots.sandboxes.base import Running
from arena.io.uptime import wait_readable

_ASLEEP = 1.0
"""Seconds for which a bot that has read its input must sleep to count as blocked."""
_LOOK = 0.1
"""Seconds between two looks at a bot."""
_LAST = 2.0
"""Seconds that a bot has to write after the end of its input."""
_CHUNK = 65_536


Kind = Literal["slow", "unflushed", "unended", "silent", "busy"]


class Late(NamedTuple):
    """The outcome of a wait for a bot that was late."""

    kind: Kind
    """It answered later; only when its input had ended; then, with no newline at the end of what it
    wrote; not even then; it is still busy."""
    text: str
    """The first line that it wrote."""
    seconds: float
    """Seconds from when it was late."""


def wait_longer(running: Running, seconds: float) -> Late:
    """Wait for a late bot, then end its input; it must be stopped afterwards."""
    # It may be frozen: its rivals might have been asked meanwhile.
    running.freeze(frozen=False)
    began = time.monotonic()
    asleep_since: float | None = None
    while (passed := time.monotonic() - began) < seconds:
        if wait_readable([running.stdout], _LOOK) and (text := _read(running)):
            return Late("slow", text.split("\n")[0], time.monotonic() - began)
        if running.is_busy() or _unread(running):
            asleep_since = None
        elif asleep_since is None:
            asleep_since = passed
        elif passed - asleep_since >= _ASLEEP:
            break
    was_busy = bool(running.is_busy())
    running.end_input()
    deadline = time.monotonic() + _LAST
    while (left := deadline - time.monotonic()) > 0:
        if wait_readable([running.stdout], left):
            text, newline, _ = _read(running).partition("\n")
            kind: Kind = "silent" if not text else "unflushed" if newline else "unended"
            return Late(kind, text, 0.0)
    return Late("busy" if was_busy else "silent", "", time.monotonic() - began)


def _read(running: Running) -> str:
    with suppress(BlockingIOError):
        return os.read(running.stdout, _CHUNK).decode("utf-8", "backslashreplace")
    return ""


def _unread(running: Running) -> bool:
    """Return whether the bot has not read all that was sent; False if that cannot be seen."""
    with suppress(OSError):
        waiting = fcntl.ioctl(running.stdin, termios.FIONREAD, bytes(4))
        return any(waiting)
    return False
