"""The API: `/api/v1/`, its streams of events, and whether all is well."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.io.errors import ArenaError
from arena.io.text import data_of, whole_number
from arena.ladder.book.book import Book
from arena.ladder.book.tables import CheckResult, Version
from arena.ladder.door.api import (
    ORDER_NEEDS,
    Health,
    Left,
    Me,
    OrderReceipt,
    OrderRequest,
    is_news,
    left_of,
    sent_event,
)
from arena.ladder.door.door import Door
from arena.ladder.web.openapi import document
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import Served, Told, client_of, served_by
from arena.ladder.web.snapshot import (
    Snapshot,
    author_events,
    everybody_events,
    ladder_info,
    log_line,
    standings_info,
    version_info,
    versions_of,
)
from arena.ladder.web.uploads import digest_of, drain, receive, timed
from arena.ladder.web.visitors import (
    Visitor,
    administrator_of,
    author_of,
    cookie_of,
    may_see,
    submitter_of,
    unauthorized,
    visitor_of,
)
from arena.ladder.web.where import where_of

_ORDER_BYTES = 4_096
"""Bytes of an order, at most."""
_BEAT = 15.0
"""Seconds after which something is sent, so that nobody takes the stream for dead."""
_BEATING = b": still here\n\n"


def as_json(value: object, status: int = 200) -> Response:
    """Return data as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def put_version(request: Request) -> Response:
    """Take a submission in: the body is an archive of a bot's folder."""
    served = served_by(request)
    try:
        visitor = await run_in_threadpool(submitter_of, request)
        digest = digest_of(request.headers.get("content-digest"))
        limits = served.limits
        chunks = timed(request, limits.body_seconds, limits.body_bytes)
        bot = request.path_params["bot"]
        receipt = await receive(
            request,
            visitor.author,
            bot,
            chunks,
            digest=digest,
            note=request.query_params.get("note", ""),
        )
    except RequestError as error:
        await drain(request, error)
        raise
    response = as_json(receipt, 201 if receipt.new else 200)
    response.headers["Location"] = f"/api/v1/versions/{receipt.version}"
    return response


def me(request: Request) -> Response:
    """Say who asks, and what they may still submit."""
    visitor = author_of(request)
    served = served_by(request)
    answer = Me(
        author=visitor.author,
        administrates=visitor.administrates,
        quota=quota_of(served, visitor.author),
        versions=versions_of(served.watch.look_again(), visitor.author),
    )
    return as_json(answer)


def quota_of(served: Served, author: str) -> Left:
    """Return what an author may still submit."""
    with Door(served.folder) as door:
        return left_of(door.allowance(author, served.terms.quotas))


def ladder(request: Request) -> Response:
    """Say how the ladder is."""
    served = served_by(request)
    return as_json(ladder_info(served.watch.now, served.terms.name))


def standings(request: Request) -> Response:
    """Say how the versions stand as the season is played."""
    live = served_by(request).watch.now.live
    if live is None:
        raise RequestError(404, "no games have been played yet", "ask again, or follow the events")
    return as_json(standings_info(live))


class _Shard(Struct, frozen=True):
    """Replays as the site has them: games of one fixture."""

    fixture: int
    variant: str
    seats: list[str]
    games: dict[str, msgspec.Raw]


def replay(request: Request) -> Response:
    """Return a published replay, step by step."""
    fixture, game = (whole_number(request.path_params[name]) for name in ("fixture", "game"))
    shards = served_by(request).folder.site.glob(f"replays/{fixture}-*.js")
    for path in shards if game is not None else ():
        shard = msgspec.json.decode(data_of(path.read_text(encoding="utf-8")), type=_Shard)
        if found := shard.games.get(str(game)):
            head = {"fixture": shard.fixture, "variant": shard.variant, "seats": shard.seats}
            return as_json({**head, "replay": found})
    raise RequestError(404, "that game has no published replay", "the page Watch names those")


def version(request: Request) -> Response:
    """Say how a version is, to its author."""
    now, seen = seen_version(request)
    return as_json(version_info(now, seen))


def check(request: Request) -> Response:
    """Return the result of the last check of a version, to its author."""
    result = result_of(request)
    if result is None:
        raise RequestError(404, "no check of it has ended yet", "ask again, or follow its events")
    return as_json(result)


def result_of(request: Request) -> CheckResult | None:
    """Return the result of the last check of the version that is asked for, if one has ended."""
    _, seen = seen_version(request)
    with Book(served_by(request).folder) as book:
        return book.newest_result(seen.id)


def seen_version(request: Request) -> tuple[Snapshot, Version]:
    """Return the version that is asked for, as it is now; RequestError for who may not see it."""
    visitor = visitor_of(request)
    if not visitor.author:
        raise unauthorized("this is for its author, logged in")
    served = served_by(request)
    name = request.path_params["version"]
    now = served.watch.now
    if now.version(name) is None:  # it may have been received a moment ago
        now = served.watch.look_again()
    if (seen := now.version(name)) is None:
        raise RequestError(404, NOT_FOUND)
    may_see(visitor, seen.author)
    return now, seen


async def post_order(request: Request) -> Response:
    """Leave an order for the ladder."""
    visitor = await run_in_threadpool(administrator_of, request)
    chunks = timed(request, served_by(request).limits.form_seconds, _ORDER_BYTES)
    body = b"".join([chunk async for chunk in chunks])
    try:
        order = msgspec.json.decode(body, type=OrderRequest)
    except msgspec.DecodeError as error:
        raise RequestError(400, f"the order cannot be read: {error}", "see openapi.json") from None
    number = await run_in_threadpool(give_order, served_by(request), visitor.author, order)
    return as_json(OrderReceipt(order=number), 202)


def give_order(served: Served, who: str, order: OrderRequest) -> int:
    """Leave an order for the ladder; returns its number. RequestError if it makes no sense."""
    if (needed := ORDER_NEEDS.get(order.what)) is None:
        raise RequestError(400, f"{order.what} is ordered by authors alone, of their accounts")
    if needed != {name for name in ("version", "author", "uploads") if getattr(order, name)}:
        what = f"{order.what} is about {' and '.join(sorted(needed)) or 'no version and no author'}"
        raise RequestError(400, what, "see openapi.json")
    version = served.watch.look_again().version(order.version) if order.version else None
    if order.version and not version:
        raise RequestError(404, f"there is no version {order.version[:80]!a}")
    if not order.why.isprintable():
        raise RequestError(400, "the reason is not a line of text", "write up to 500 characters")
    with Door(served.folder, writes=True) as door:
        if order.author and not door.find(order.author):
            raise RequestError(404, f"there is no author {order.author[:80]!a}")
        with refusing():
            if order.uploads is not None:
                return door.order_quota(who, order.author, order.uploads, order.why)
            return door.order(who, order.what, version, order.why)


def health(request: Request) -> Response:
    """Say that the door is up, and whether the ladder is: the status is 503 if not."""
    now = served_by(request).watch.now
    answer = Health(
        door="up",
        ladder="down" if now.why_down else "running",
        why=now.why_down,
        queue=len(now.queue),
        oldest=now.oldest(),
    )
    return as_json(answer, 503 if now.why_down else 200)


def openapi(request: Request) -> Response:
    """Describe the API."""
    return as_json(document(where_of(request).path, cookie_of(request)))


# ------------------------------------------------------------ streams of events


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
    """Yield what everybody is told, until the door is stopped."""
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
    told = served.told
    if told.seen is not now:
        news = {
            type(payload): payload
            for payload in everybody_events(now, served.terms.name)
            if is_news(payload, told.payloads.get(type(payload)))
        }
        sent = {kind: sent_event(payload) for kind, payload in news.items()}
        told = Told(now, {**told.payloads, **news}, {**told.events, **sent})
        served.told = told
    return told.events


async def _of_version(request: Request, name: str, last: int) -> AsyncIterator[bytes]:
    """Yield what the author of a version is told, and its log after the line `last`."""
    watch = served_by(request).watch
    said: dict[type[Struct], Struct] = {}
    while not watch.stopped and await _may_still_listen(request):
        now = watch.now
        silent = True
        for line in await watch.lines(name, last):
            last = line.n
            silent = False
            yield sent_event(log_line(line), line.n)
        for payload in author_events(now, name):
            if is_news(payload, said.get(type(payload))):
                said[type(payload)] = payload
                silent = False
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
