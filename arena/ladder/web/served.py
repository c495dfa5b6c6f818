"""What requests to the door share: the ladder, its terms, and what visitors may use up."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from ipaddress import IPv6Address, IPv6Network, ip_address
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.io.cores import core_count, spare_cores
from arena.io.yaml_file import convert, parse_yaml
from arena.ladder.book.caps import Caps, Disk, caps_of
from arena.ladder.book.names import Names
from arena.ladder.book.quota import DAY, Joining, Quotas
from arena.ladder.door.access import SecretKind
from arena.ladder.door.door import MAX_UPLOAD
from arena.ladder.folder import Folder
from arena.ladder.web.problems import RequestError
from arena.ladder.web.snapshot import Snapshot, Watch

_MOST_ADDRESSES = 10_000
"""Addresses whose use is remembered."""
_LISTEN_LATER = "close some, or reload the page from time to time"
_FORWARDED = b"x-forwarded-for"
_PREFIX = 64
"""Bits of an IPv6 address that name a network, which one visitor may have whole (RFC 6177)."""


class BehindProxy:
    """Takes requests from a proxy that speaks HTTPS for those from whom the proxy has them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            scope["scheme"] = "https"
            if address := _forwarded_for(scope["headers"]):
                scope["client"] = address, 0
        await self._app(scope, receive, send)


def _forwarded_for(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the address that the proxy saw; "" if it names none.

    It is the last one: a visitor may have sent those before it.
    """
    forwarded = b",".join(value for name, value in headers if name == _FORWARDED)
    last = forwarded.decode("latin-1").rpartition(",")[2].strip()
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


def network_of(host: str) -> str:
    """Return an address of IPv4 as it is, and the network of one of IPv6."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), _PREFIX), strict=False))


class ListenerLimits(Struct, frozen=True, kw_only=True):
    """Streams of events at a time."""

    all: int = 1_000
    kept: int = 200
    """How many of these are kept for authors."""
    of_address: int = 100
    """Streams of visitors who are not logged in: a class may share an address."""
    of_author: int = 20


class Listeners:
    """Those who listen now."""

    def __init__(self, limits: ListenerLimits) -> None:
        self._limits = limits
        self._visitors = Counter[str]()
        """The streams of each address."""
        self._authors = Counter[str]()
        """The streams of each author."""

    @contextmanager
    def place(self, author: str, address: str) -> Iterator[None]:
        """Count an author, or a visitor without a name; raises RequestError for one too many."""
        limits = self._limits
        if author:
            streams, key, most = self._authors, author, limits.of_author
        else:
            streams, key, most = self._visitors, address, limits.of_address
        if streams[key] >= most:
            what = f"{author or 'this address'} has {most} streams of events already"
            raise RequestError(429, what, _LISTEN_LATER, {"Retry-After": "60"})
        for_visitors = limits.all - limits.kept
        is_full = len(self) >= limits.all
        if is_full or (not author and self._visitors.total() >= for_visitors):
            raise RequestError(503, "too many are listening", _LISTEN_LATER, {"Retry-After": "60"})
        streams[key] += 1
        try:
            yield
        finally:
            streams[key] -= 1
            if not streams[key]:
                del streams[key]

    def __len__(self) -> int:
        return self._visitors.total() + self._authors.total()


class DoorTerms(Struct, frozen=True):
    """What ladder.yaml says that matters here; the ladder reads and checks all of it."""

    name: str
    names: Names = Names.BY_BOT
    quotas: Quotas = Quotas()
    guests: int = 0
    """Tables at a time at which visitors play."""
    searchable: bool = False
    """Whether search engines may list its public pages."""
    door: Joining = Joining()
    disk: Disk = Disk()
    workers: int | None = None
    pin: bool = True

    @property
    def spare_cores(self) -> set[int]:
        """The cores that the workers of the ladder leave to all else, as in `Config`."""
        return spare_cores(self.workers or core_count()) if self.pin else set()

    @property
    def caps(self) -> Caps:
        """The caps of `disk`; ArenaError if a size cannot be read."""
        return caps_of(self.disk, Path("ladder.yaml"), {})


class DoorLimits(Struct, frozen=True, kw_only=True):
    """What visitors may use up; times in seconds."""

    body_bytes: int = MAX_UPLOAD
    """Bytes of a submission."""
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
    listeners: ListenerLimits = ListenerLimits()
    rate: float = 50.0
    """Requests a second of one address."""
    burst: int = 1_000
    """Requests of one address at once."""
    tables: int = 3
    """At which visitors of one address play at a time."""
    new_tables: int = 10
    """Asked for by one address in ten minutes."""
    tries: int = 30
    """Links of one address that are not valid in a minute; as many cookies; as many tokens."""


def terms_of(folder: Folder) -> DoorTerms:
    """Read ladder.yaml; raises ArenaError if it cannot be read."""
    data, marks = parse_yaml(folder.config)
    terms = convert(data, marks, folder.config, DoorTerms)
    caps_of(terms.disk, folder.config, marks)  # names the line that is wrong
    return terms


class _Level(NamedTuple):
    """How full a bucket was at a moment of the monotonic clock."""

    left: float
    at: float


class Buckets:
    """A bucket of tokens for each address, filled at a rate a second; for any thread."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._lock = Lock()
        self._levels: dict[str, _Level] = {}
        """The buckets by address."""

    def take(self, address: str) -> bool:
        """Take a token; False if the bucket is empty."""
        with self._lock:
            left = self._left(address)
            if left < 1:
                return False
            if len(self._levels) >= _MOST_ADDRESSES:
                self._forget()
            self._levels[address] = _Level(left - 1, time.monotonic())
            return True

    def _forget(self) -> None:
        """Forget the buckets that are full again, or all if there are none."""
        self._levels = {
            address: level
            for address, level in self._levels.items()
            if self._left(address) < self._burst
        }
        if len(self._levels) >= _MOST_ADDRESSES:
            self._levels.clear()

    def _left(self, address: str) -> float:
        if (level := self._levels.get(address)) is None:
            return self._burst
        return min(self._burst, level.left + (time.monotonic() - level.at) * self._rate)


class AskedFor(NamedTuple):
    """Who asked for a table, and when, in seconds since 1970."""

    address: str
    at: float


class Told(NamedTuple):
    """What everybody was told last."""

    seen: Snapshot | None
    """The moment of which it was told."""
    payloads: Mapping[type[Struct], Struct]
    events: Mapping[type[Struct], bytes]
    """The payloads as they are sent."""


class Shown(NamedTuple):
    """The front page as everybody who is not logged in was shown it last."""

    now: Snapshot
    beside: int
    """The time of what is beside the standings."""
    waited: int
    """Seconds that the oldest submission had waited."""
    text: str


class Served:
    """A ladder as its door serves it: its folder, its terms, and what visitors use up."""

    def __init__(self, folder: Folder, terms: DoorTerms, limits: DoorLimits):
        self.folder = folder
        self.terms = terms
        self.limits = limits
        self.watch = Watch(folder)
        self.listeners = Listeners(limits.listeners)
        self.requests = Buckets(limits.rate, limits.burst)
        self.tries = {kind: Buckets(limits.tries / 60, limits.tries) for kind in SecretKind}
        """Tries of secrets that are not valid, by their kind."""
        self.guests: dict[str, AskedFor] = {}
        """The tables that visitors asked for, by id."""
        self.giving_places = Lock()
        self.new_tables = Buckets(limits.new_tables / 600, limits.new_tables)
        self.told = Told(None, {}, {})
        self.exports = set[str]()
        """The authors who are being sent all that is stored about them."""
        self.front: Shown | None = None
        self.joins = Buckets(terms.door.of_address / DAY, terms.door.of_address)
        """Requests to take part."""
        self.answers = Counter[int]()
        """The answers so far, by status."""
        self._sent: dict[str, str] = {}
        """From which address the files of the inbox came, as far as this door received them."""
        self._sending = Counter[str]()
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
        """Raise TimeoutError after so many seconds, or soon after the door is stopped."""
        seconds = min(seconds, self.limits.stop_seconds) if self.watch.stopped else seconds
        async with asyncio.timeout(seconds) as limit:
            self._bodies.add(limit)
            try:
                yield
            finally:
                self._bodies.discard(limit)

    def sent_from(self, address: str) -> set[str]:
        """Return the files of the inbox that came from an address."""
        return {file for file, sender in self._sent.copy().items() if sender == address}

    def note_sent(self, file: str, address: str) -> None:
        """Note from which address a file of the inbox came."""
        left = self.folder.in_inbox()
        self._sent = {name: of for name, of in self._sent.copy().items() if name in left}
        self._sent[file] = address

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


def see_other(address: str) -> Response:
    """Send a browser on after what it asked for was done: it asks for another page by GET.

    The address is one of the door, whatever path the door is below.
    """
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


def served_by(request: Request) -> Served:
    """Return what a request is about."""
    served: Served = request.app.state.served
    return served


def client_of(request: Request) -> str:
    """Return the address of whoever asks, or their network if it is one of IPv6."""
    return network_of(request.client.host) if request.client else ""
