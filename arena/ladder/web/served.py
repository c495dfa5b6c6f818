"""What requests to the door share: the ladder, its terms, and what visitors may use up."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from msgspec import Struct
from starlette.requests import Request

from arena.io.yaml_file import convert, parse_yaml
from arena.ladder.book.quota import Quotas
from arena.ladder.door.api import LadderInfo
from arena.ladder.door.door import MAX_UPLOAD
from arena.ladder.folder import Folder
from arena.ladder.web.live.snapshot import Snapshot
from arena.ladder.web.live.watch import Watch
from arena.ladder.web.problems import RequestError

_MOST_ADDRESSES = 10_000
"""Addresses whose use is remembered."""


class DoorTerms(Struct, frozen=True):
    """What ladder.yaml says that matters here; the ladder reads and checks all of it."""

    name: str
    quotas: Quotas = Quotas()


class DoorLimits(Struct, frozen=True, kw_only=True):
    """What visitors may use up; times in seconds."""

    body_bytes: int = MAX_UPLOAD
    """Of a submission."""
    body_seconds: float = 60.0
    form_seconds: float = 10.0
    head_seconds: float = 15.0
    """For the head of a request."""
    drain_seconds: float = 5.0
    """For the rest of a body that was refused."""
    stop_seconds: float = 2.0
    """For bodies that are coming when the door is stopped."""
    uploads: int = 2
    """Submissions of an author at a time."""
    listeners: int = 1_000
    """Streams of events at a time."""
    rate: float = 50.0
    """Requests a second of one address."""
    burst: int = 1_000
    """Requests of one address at once."""
    tries: int = 30
    """Wrong links, cookies and tokens of one address in a minute."""


def terms_of(folder: Folder) -> DoorTerms:
    """Read ladder.yaml; raises ArenaError if it cannot be read."""
    data, marks = parse_yaml(folder.config)
    return convert(data, marks, folder.config, DoorTerms)


class Buckets:
    """A bucket of tokens for each address, filled at a rate a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._levels: dict[str, tuple[float, float]] = {}
        """By address: what was left, and when."""

    def take(self, address: str) -> bool:
        """Take one; False if there is none."""
        left = self._left(address)
        if left < 1:
            return False
        if len(self._levels) >= _MOST_ADDRESSES:
            self._forget()
        self._levels[address] = left - 1, time.monotonic()
        return True

    def is_empty(self, address: str) -> bool:
        """Tell whether there is none, without taking one."""
        return self._left(address) < 1

    def _left(self, address: str) -> float:
        left, at = self._levels.get(address, (float(self._burst), 0.0))
        return min(self._burst, left + (time.monotonic() - at) * self._rate)

    def _forget(self) -> None:
        """Drop the addresses whose buckets are full again, or all if none is."""
        self._levels = {
            address: level
            for address, level in self._levels.items()
            if self._left(address) < self._burst
        }
        if len(self._levels) >= _MOST_ADDRESSES:
            self._levels.clear()


class Served:
    """What requests share."""

    def __init__(
        self, folder: Folder, terms: DoorTerms, limits: DoorLimits, origins: frozenset[str]
    ):
        self.folder, self.terms, self.limits = folder, terms, limits
        self.origins = origins
        """`https://ladder.example.org` and so on: where browsers reach the door."""
        self.hosts = frozenset(origin.partition("://")[2] for origin in origins)
        self.watch = Watch(folder)
        self.requests = Buckets(limits.rate, limits.burst)
        self.tries = Buckets(limits.tries / 60, limits.tries)
        self.told: tuple[Snapshot | None, LadderInfo | None, bytes] = None, None, b""
        """What was seen of the ladder, what all were told of it last, and this as an event."""
        self._sending = Counter[str]()
        self._listening = 0
        self._bodies = set[asyncio.Timeout]()
        """The time limits of bodies that are coming."""

    def stop(self) -> None:
        """End the streams of events, and soon the bodies that are coming."""
        self.watch.stop()
        end = asyncio.get_running_loop().time() + self.limits.stop_seconds
        for limit in (limit for limit in self._bodies if not limit.expired()):
            limit.reschedule(min(end, limit.when() or end))

    @asynccontextmanager
    async def time_for_body(self, seconds: float) -> AsyncIterator[None]:
        """Take so many seconds for a body at most, less once the door is stopped; TimeoutError."""
        seconds = min(seconds, self.limits.stop_seconds) if self.watch.stopped else seconds
        async with asyncio.timeout(seconds) as limit:
            self._bodies.add(limit)
            try:
                yield
            finally:
                self._bodies.discard(limit)

    @contextmanager
    def upload_of(self, author: str) -> Iterator[None]:
        """Count a submission that is being sent; refuse one too many."""
        if self._sending[author] >= self.limits.uploads:
            what = f"{self.limits.uploads} submissions of {author} are being sent already"
            raise RequestError(429, what, "wait until one has come", {"Retry-After": "10"})
        self._sending[author] += 1
        try:
            yield
        finally:
            self._sending[author] -= 1

    @contextmanager
    def listener(self) -> Iterator[None]:
        """Count a stream of events; refuse one too many."""
        if self._listening >= self.limits.listeners:
            hint = "reload the page from time to time"
            raise RequestError(503, "too many are listening", hint, {"Retry-After": "60"})
        self._listening += 1
        try:
            yield
        finally:
            self._listening -= 1


def served_by(request: Request) -> Served:
    """Return what a request is about."""
    served: Served = request.app.state.served
    return served


def client_of(request: Request) -> str:
    """Return the address of whoever asks."""
    return request.client.host if request.client else ""
