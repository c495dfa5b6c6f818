"""Waiting that leaves out the time in which the arena itself did not run.

The arena may be suspended (Ctrl-Z, a paused container, a debugger), or get no processor for a
while. Whoever waits for a bot then finds the deadline passed, though the bot had no chance to be
seen in time. So whoever waits looks at the clock every `TICK` seconds at least, and a gap of more
than `_GAP` between two looks does not count.
"""

import select
import time
from collections.abc import Callable, Collection

TICK = 0.5
"""The longest that anything waits without a look at the clock, in seconds."""
_GAP = 1.0


class Uptime:
    """A clock in seconds that stands still while the arena does not run.

    `resumed` is called when it goes on. A gap of `gap` seconds between two looks does not count.
    """

    __slots__ = ("_gap", "_read_at", "_resumed", "_seconds")

    def __init__(self, resumed: Callable[[], None] = lambda: None, gap: float = _GAP) -> None:
        self._resumed = resumed
        self._gap = gap
        self._seconds = 0.0
        self._read_at = time.monotonic()

    def tick(self) -> float:
        """Look at the clock and return the time; call it at least twice within the gap."""
        read_at = time.monotonic()
        gap = read_at - self._read_at
        self._read_at = read_at
        if gap < self._gap:
            self._seconds += gap
        else:
            self._resumed()
        return self._seconds

    def now(self) -> float:
        """Return the time of the last tick."""
        return self._seconds


def wait_readable(fds: Collection[int], seconds: float) -> list[int]:
    """Wait until a descriptor is readable, for so many seconds of uptime; return which are."""
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    uptime = Uptime()
    while True:
        left = seconds - uptime.tick()
        if ready := poll.poll(1000 * max(0.0, min(left, TICK))):
            return [fd for fd, _ in ready]
        if left <= 0:
            return []
