"""Server-sent events: what a page or `arena submit` is told as it happens."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.io.errors import ArenaError
from arena.io.numbers import whole_number
from arena.ladder.door.api import is_news, sent_event
from arena.ladder.web.access.visitors import Visitor, visitor_of
from arena.ladder.web.api.rest import seen_version
from arena.ladder.web.live.snapshot import Snapshot, author_events, everybody_events, log_line
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import Served, Told, client_of, served_by

_BEAT = 15.0
"""Seconds after which something is sent, so that nobody takes the stream for dead."""
_BEATING = b": still here\n\n"


class Stream(StreamingResponse):
    """A stream of events; it counts as one listener until it ends."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], place: AbstractContextManager[None]) -> None:
        super().__init__(events, headers={"X-Accel-Buffering": "no"})
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until either side ends."""
        if scope["method"] == "HEAD":
            await StreamingResponse((), headers=self.headers)(scope, receive, send)
            return
        with self._place:
            await super().__call__(scope, receive, send)


async def ladder_events(request: Request) -> Stream:
    """Tell how the ladder is whenever that changes."""
    visitor = await run_in_threadpool(visitor_of, request)
    return Stream(_of_ladder(served_by(request)), _place(request, visitor))


async def version_events(request: Request) -> Stream:
    """Tell how a version is whenever that changes, and its log line by line."""
    _, version = await run_in_threadpool(seen_version, request)
    last = whole_number(request.headers.get("last-event-id", ""), digits=15) or 0
    return Stream(_of_version(request, version.name, last), _place(request, visitor_of(request)))


def _place(request: Request, visitor: Visitor) -> AbstractContextManager[None]:
    return served_by(request).listeners.place(visitor.author, client_of(request))


async def _of_ladder(served: Served) -> AsyncIterator[bytes]:
    said: Mapping[type[Struct], bytes] = {}
    while not served.watch.stopped:
        now = served.watch.now
        events = _for_everybody(served, now)
        news = [event for kind, event in events.items() if event is not said.get(kind)]
        for event in news or [_BEATING]:
            yield event
        said = events
        await served.watch.changed(now, _BEAT)


def _for_everybody(served: Served, now: Snapshot) -> Mapping[type[Struct], bytes]:
    """Return the newest event of each kind, which is written once for all who listen."""
    seen, payloads, events = served.told
    if seen is not now:
        news = {
            type(payload): payload
            for payload in everybody_events(now, served.terms.name)
            if is_news(payload, payloads.get(type(payload)))
        }
        sent = {kind: sent_event(payload) for kind, payload in news.items()}
        served.told = Told(now, {**payloads, **news}, {**events, **sent})
    return served.told.events


async def _of_version(request: Request, name: str, last: int) -> AsyncIterator[bytes]:
    watch = served_by(request).watch
    said: dict[type[Struct], Struct] = {}
    while not watch.stopped and await _may_still_listen(request):
        now, silent = watch.now, True
        for line in await watch.lines(name, last):
            last, silent = line.n, False
            yield sent_event(log_line(line), line.n)
        for payload in author_events(now, name):
            if is_news(payload, said.get(type(payload))):
                said[type(payload)], silent = payload, False
                yield sent_event(payload)
        if silent:
            yield _BEATING
        await watch.changed(now, _BEAT)


async def _may_still_listen(request: Request) -> bool:
    """Tell whether whoever listens was not revoked meanwhile."""
    request.state.visitor = None
    try:
        await run_in_threadpool(seen_version, request)
    except RequestError:
        return False
    except ArenaError:  # it cannot be read now
        return True
    return True
