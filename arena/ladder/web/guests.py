"""Tables for visitors: asked for, shown and clicked on here, played by the ladder."""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from arena.io import shipped
from arena.io.text import whole_number
from arena.ladder.book.book import Book
from arena.ladder.door.access import id_of
from arena.ladder.door.guest_spool import FACT, Asked, GuestPage, GuestSpool, strength
from arena.ladder.web.problems import NOT_FOUND, RequestError
from arena.ladder.web.served import AskedFor, Served, client_of, see_other, served_by
from arena.ladder.web.templates import page
from arena.ladder.web.uploads import Form, form_of, posted
from arena.ladder.web.visitors import Visitor, visitor_of
from arena.ladder.web.where import path_of

_NO_CONTENT = 204
_GONE = 410
_POLL = 20.0
"""Seconds that a request waits for a change."""
_SETTLES = 1.0
"""Seconds that a click waits for its answer."""
_LOOK = 0.1
"""Seconds between looks."""
_OPENS = 60.0
"""Seconds in which a table that was asked for must be there."""
_NO_MORE = "The ladder does not run, or was started again."
_MOST_RIVALS = 5


def offer(request: Request) -> Response:
    """Show who can be played against, and how people did against them."""
    return HTMLResponse(_offer(request, {}, None))


def _offer(request: Request, typed: Mapping[str, str], error: RequestError | None) -> str:
    served = served_by(request)
    visitor_of(request)
    return page(
        request,
        "play_offer.html",
        places=served.terms.guests,
        versions=_versions(served) if served.terms.guests else [],
        strength=strength(served.folder),
        typed=typed,
        error=error,
    )


def _versions(served: Served) -> list[str]:
    with Book(served.folder) as book:
        names: list[str] = msgspec.json.decode(book.facts().get(FACT, "[]"))
    return names


@posted(visitor_of)
def ask(request: Request, _who: Visitor, form: Form) -> Response:
    """Ask for a table; a form that is refused is shown again."""
    try:
        return _ask(request, form)
    except RequestError as error:
        return HTMLResponse(_offer(request, form, error), error.status, error.headers)


def _ask(request: Request, form: Form) -> Response:
    served = served_by(request)
    chosen = [name for name in _versions(served) if name in form] if served.terms.guests else []
    if not chosen:
        raise RequestError(409, "choose whom to play against", "mark at least one")
    if len(chosen) > _MOST_RIVALS or len({name.partition("@")[0] for name in chosen}) < len(chosen):
        raise RequestError(409, "these cannot sit at a table", "at most five, each bot once")
    spool, address = GuestSpool(served.folder), client_of(request)
    secret = token_urlsafe(32)
    with served.giving_places:
        _check_places(served, spool, address)
        spool.ask(id_of(secret), Asked(tuple(chosen), time.time()))
        served.guests[id_of(secret)] = AskedFor(address, time.time())
    return see_other(f"/play/{secret}/")


def _check_places(served: Served, spool: GuestSpool, address: str) -> None:
    """Raise RequestError if there is no place for a visitor from an address."""
    if not served.new_tables.take(address):
        raise RequestError(429, "too many tables", "wait some minutes", {"Retry-After": "120"})
    there = {}
    for id_, asked in served.guests.items():
        shown = spool.page(id_)
        if not shown.why if shown else time.time() < asked.at + _OPENS:
            there[id_] = asked
    served.guests = there
    hint = "come again in some minutes"
    if len(there) >= served.terms.guests:
        raise RequestError(503, "all places are taken", hint, {"Retry-After": "60"})
    most = served.limits.tables
    if sum(asked.address == address for asked in there.values()) >= most:
        what = f"this address has {most} tables already"
        raise RequestError(429, what, "leave one of them", {"Retry-After": "60"})


async def table(request: Request) -> Response:
    """Show a table; with `after` it waits until it is another than that of this number."""
    served, id_ = served_by(request), _id(request)
    spool = GuestSpool(served.folder)
    after = whole_number(request.query_params.get("after", ""))
    with served.listeners.place("", client_of(request)):
        shown = await _shown(served, spool, id_, after, _POLL if after is not None else 0.0)
    if shown and not shown.why:
        if shown.number == after:
            return Response(status_code=_NO_CONTENT)
        return HTMLResponse(shown.html)
    text = await run_in_threadpool(_without_table, request, id_, shown)
    # A script that follows the table must not take the page for a table.
    return HTMLResponse(text, 200 if after is None else _GONE)


def _without_table(request: Request, id_: str, shown: GuestPage | None) -> str:
    visitor_of(request)
    if shown is None and request.state.is_late:
        shown = GuestPage(why=_NO_MORE)
    return page(request, "play_wait.html", shown=shown, id=id_)


async def _shown(
    served: Served, spool: GuestSpool, id_: str, after: int | None, seconds: float
) -> GuestPage | None:
    """Return the page of a table, as soon as it has another number or the time is over."""
    end = time.monotonic() + seconds
    await run_in_threadpool(spool.visit, id_)
    while True:
        # A look at each table ten times a second is a system call, not a thread and a decoding.
        version = spool.version(id_)
        shown = await run_in_threadpool(spool.page, id_)
        is_new = shown is None or shown.why or shown.number != after
        while not is_new and spool.version(id_) == version:
            if time.monotonic() >= end or served.watch.stopped:
                return shown
            await asyncio.sleep(_LOOK)
        if is_new:
            return shown


async def click(request: Request) -> Response:
    """Hand over what was clicked."""
    served, id_ = served_by(request), _id(request)
    form = await form_of(request)
    number, move = whole_number(form.get("number", "")), form.get("move", "")
    if number is None or len(move) > 20 or not move.isprintable():
        raise RequestError(400, "the form cannot be read")
    spool = GuestSpool(served.folder)
    if not await run_in_threadpool(spool.click, id_, number, move):
        raise RequestError(429, "too much was clicked at this table")
    await _shown(served, spool, id_, number, _SETTLES)
    return see_other(path_of(request))


def file(request: Request) -> Response:
    """Send what the page of a table needs beside itself."""
    name = request.path_params["file"]
    headers = {"Cache-Control": "max-age=300"}
    if name == "font.css":
        return Response(shipped.font_css(), headers=headers, media_type="text/css")
    if name not in shipped.FILES_OF_A_TABLE:
        raise RequestError(404, NOT_FOUND)
    path = shipped.folder("reports") / shipped.FILES_OF_A_TABLE[name]
    return FileResponse(path, headers=headers)


def played(request: Request) -> Response:
    """Send a file of the site with a finished game."""
    games = (served_by(request).folder.guests / "games").resolve()
    id_, path = request.path_params["id"], request.path_params["path"]
    if not (len(id_) == 64 and id_.isalnum()) or "\0" in path:
        raise RequestError(404, NOT_FOUND)
    site = games / id_ / "site"
    wanted: Path = (site / path).resolve()
    if not wanted.is_relative_to(site) or not wanted.is_file():
        raise RequestError(404, NOT_FOUND)
    return FileResponse(wanted)


def _id(request: Request) -> str:
    """Return the id of a table; raises RequestError if there is none with this secret."""
    id_ = id_of(request.path_params["secret"])
    asked = GuestSpool(served_by(request).folder).asked_for(id_)
    if asked is None:
        raise RequestError(404, NOT_FOUND)
    request.state.is_late = time.time() > asked.at + _OPENS
    return id_
