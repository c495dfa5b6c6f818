"""What the door serves: a ladder's folder, under which terms, at which addresses."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from arena.ladder.door.api import LadderInfo
from arena.ladder.folder import Folder
from arena.ladder.web.buckets import Buckets
from arena.ladder.web.live.snapshot import Snapshot
from arena.ladder.web.live.watch import Watch
from arena.ladder.web.problems import RefusedError
from arena.ladder.web.settings import Limits, Terms


class Served:
    """What requests share."""

    def __init__(self, folder: Folder, terms: Terms, limits: Limits, origins: frozenset[str]):
        self.folder, self.terms, self.limits = folder, terms, limits
        self.origins = origins
        """`https://ladder.example.org` and so on: where browsers reach the door."""
        self.hosts = frozenset(one.partition("://")[2] for one in origins)
        self.watch = Watch(folder)
        self.requests = Buckets(limits.rate, limits.burst)
        self.tries = Buckets(limits.tries / 60, limits.tries)
        self.told: tuple[Snapshot | None, LadderInfo | None, bytes] = None, None, b""
        """What was seen of the ladder, what all were told of it last, and this as an event."""
        self._sending = Counter[str]()
        self._listening = 0

    @contextmanager
    def upload_of(self, author: str) -> Iterator[None]:
        """Count a submission that is being sent; refuse one too many."""
        if self._sending[author] >= self.limits.uploads:
            what = f"{self.limits.uploads} submissions of {author} are being sent already"
            raise RefusedError(429, what, "wait until one has come", {"Retry-After": "10"})
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
            raise RefusedError(503, "too many are listening", hint, {"Retry-After": "60"})
        self._listening += 1
        try:
            yield
        finally:
            self._listening -= 1


def served_by(request: Request) -> Served:
    """Return what a request is about."""
    found: Served = request.app.state.served
    return found


def client_of(request: Request) -> str:
    """Return the address of whoever asks."""
    return request.client.host if request.client else ""
