"""How many may listen to events at a time."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from arena.ladder.web.problems import RequestError

_HINT = "close some, or reload the page from time to time"


class ListenerLimits(Struct, frozen=True, kw_only=True):
    """Streams of events at a time."""

    all: int = 1_000
    kept: int = 200
    """Of these, for authors alone."""
    of_address: int = 100
    """Of visitors who are not logged in: a class may share an address."""
    of_author: int = 20


class Listeners:
    """Those who listen now."""

    def __init__(self, limits: ListenerLimits) -> None:
        self._limits = limits
        self._visitors, self._authors = Counter[str](), Counter[str]()
        """By address, and by name."""

    @contextmanager
    def place(self, author: str, address: str) -> Iterator[None]:
        """Count an author, or a visitor without a name; raises RequestError for one too many."""
        streams, key = (self._authors, author) if author else (self._visitors, address)
        self._check(author, streams[key])
        streams[key] += 1
        try:
            yield
        finally:
            streams[key] -= 1
            if not streams[key]:
                del streams[key]

    def __len__(self) -> int:
        return self._visitors.total() + self._authors.total()

    def _check(self, author: str, streams: int) -> None:
        limits = self._limits
        most = limits.of_author if author else limits.of_address
        if streams >= most:
            whose = author or "this address"
            what = f"{whose} has {most} streams of events already"
            raise RequestError(429, what, _HINT, {"Retry-After": "60"})
        all_taken = len(self) >= limits.all
        visitors = self._visitors.total()
        if all_taken or (not author and visitors >= limits.all - limits.kept):
            raise RequestError(503, "too many are listening", _HINT, {"Retry-After": "60"})
