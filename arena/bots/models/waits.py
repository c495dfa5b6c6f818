"""The time in which a bot waits for its models: whose it is, and how much of it there was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class _Span:
    """Seconds in which at least one request was at a place."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._inside = 0
        self._since = 0.0
        self._seconds = 0.0

    def enter(self) -> None:
        if not self._inside:
            self._since = self._now()
        self._inside += 1

    def leave(self, *, counts: bool) -> None:
        self._inside -= 1
        if not self._inside and counts:
            self._seconds += max(0.0, self._now() - self._since)

    def seconds(self) -> float:
        running = self._now() - self._since if self._inside else 0.0
        return self._seconds + max(0.0, running)


class Waits:
    """The waiting of one bot, of any number of requests at a time.

    `held` is how long the gateway had a request of the bot: in that time the bot's own clock stands
    still. `for_answer` is the part of it in which a server worked for the answer that the bot is
    to give, which `limits.model` limits; queues and attempts that failed are no part of it.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._lock = Lock()
        self._held = _Span(now)
        self._served = _Span(now)
        self._before = 0.0
        """Seconds in which servers worked for earlier answers."""

    @property
    def held(self) -> float:
        """Seconds in all so far."""
        with self._lock:
            return self._held.seconds()

    @property
    def for_answer(self) -> float:
        """Seconds since `begin_answer`; an attempt counts until it fails."""
        with self._lock:
            return self._served.seconds() - self._before

    def begin_answer(self) -> None:
        """Take note that the bot begins with another answer."""
        with self._lock:
            self._before = self._served.seconds()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Count the time of a request."""
        with self._lock:
            self._held.enter()
        try:
            yield
        finally:
            with self._lock:
                self._held.leave(counts=True)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Count the time of an attempt, unless it raises something."""
        with self._lock:
            self._served.enter()
        counts = False
        try:
            yield
            counts = True
        finally:
            with self._lock:
                self._served.leave(counts=counts)
