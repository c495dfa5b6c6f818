"""The API: `/api/v1/`, and whether all is well."""

from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from arena.ladder.book.book import Book
from arena.ladder.book.check_result import CheckResult
from arena.ladder.book.tables import Version
from arena.ladder.door.api import (
    ORDER_NEEDS,
    Health,
    Left,
    Me,
    OrderReceipt,
    OrderRequest,
    VersionInfo,
    left_of,
)
from arena.ladder.door.door import Door
from arena.ladder.web.access.visitors import (
    administrator_of,
    author_of,
    may_see,
    submitter_of,
    unauthorized,
    visitor_of,
)
from arena.ladder.web.api.openapi import document
from arena.ladder.web.live.snapshot import (
    Snapshot,
    ladder_info,
    standings_info,
    version_info,
    versions_of,
)
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import Served, served_by
from arena.ladder.web.uploads.bodies import drain, timed
from arena.ladder.web.uploads.uploads import digest_of, receive

_ORDER_BYTES = 4_096


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
            served,
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


def version(request: Request) -> Response:
    """Say how a version is, to its author."""
    return as_json(info_of(request))


def info_of(request: Request) -> VersionInfo:
    """Return what is told of the version that is asked for; RequestError for another's."""
    return version_info(*seen_version(request))


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
    served, name = served_by(request), request.path_params["version"]
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
    """Leave an order for the ladder; returns its number. Raises RequestError if it makes none."""
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
    """Say that the door is up, and whether the ladder is."""
    now = served_by(request).watch.now
    answer = Health(
        door="up",
        ladder="running" if now.running else "down",
        queue=len(now.queue),
        oldest=now.oldest(),
    )
    return as_json(answer)


def openapi(_: Request) -> Response:
    """Describe the API."""
    answer: dict[str, Any] = document()
    return as_json(answer)
