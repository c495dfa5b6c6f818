"""Tables for visitors: asked for, shown and clicked on here, played by the ladder."""

import asyncio
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from secrets import token_urlsafe
from typing import NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from arena.io import shipped
from arena.io.text import whole_number
from arena.ladder.book.book import Book
from arena.ladder.book.shown import published_bluffs
from arena.ladder.door.access import id_of
from arena.ladder.door.guest_spool import FACT, Asked, GuestPage, GuestSpool, strength
from arena.ladder.web.problems import NOT_FOUND, RequestError
from arena.ladder.web.served import AskedFor, Served, client_of, see_other, served_by
from arena.ladder.web.site import framed
from arena.ladder.web.templates import page
from arena.ladder.web.uploads import Form, form_of, posted
from arena.ladder.web.visitors import Visitor, visitor_of
from arena.ladder.web.where import path_of

_MAIN = '<main id="main">'
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
_OFTEN, _SELDOM = 0.25, 0.08
"""Shares of false bids from which on a version bluffs often, and now and then."""
_ANOTHER = {"again", "harder"}
"""What may be clicked when a game is over, beside leaving."""
_CLOSES = 30
"""Looks within which a table that was left is closed."""


class Rival(NamedTuple):
    """A version that plays against visitors."""

    version: str
    rank: int | None
    """The best rank that it may have; None before its first games."""
    word: str
    """How it plays, in a few words; "" if that is not known."""


def offer(request: Request) -> Response:
    """Show who can be played against, and how people did against them."""
    return HTMLResponse(_offer(request, request.query_params.getlist("with"), None))


def _offer(request: Request, chosen: Collection[str], error: RequestError | None) -> str:
    served = served_by(request)
    visitor_of(request)
    rivals = _rivals(served)
    first = _first_rival(rivals) if rivals else ""
    live = served.watch.now.live
    return page(
        request,
        "play_offer.html",
        places=served.terms.guests,
        rivals=rivals,
        ranked=len(live.rows) if live else 0,
        first=first,
        chosen=chosen if any(rival.version in chosen for rival in rivals) else {first},
        strength=strength(served.folder),
        error=error,
    )


def _rivals(served: Served) -> list[Rival]:
    """Return those that play against visitors, the strongest first."""
    if not served.terms.guests:
        return []
    with Book(served.folder) as book:
        names: list[str] = msgspec.json.decode(book.facts().get(FACT, "[]"))
    live = served.watch.now.live
    order = {row.version: at for at, row in enumerate(live.rows)} if live else {}
    ranks = {row.version: row.best for row in live.rows} if live else {}
    bluffs = published_bluffs(served.folder.site)
    names.sort(key=lambda name: order.get(name, len(order)))
    return [Rival(name, ranks.get(name), _word(bluffs.get(name))) for name in names]


def _word(bluffs: float | None) -> str:
    """Return in words how often false bids are made."""
    if bluffs is None:
        return ""
    if bluffs >= _OFTEN:
        return "bluffs often"
    return "bluffs now and then" if bluffs >= _SELDOM else "hardly bluffs"


def _first_rival(rivals: Sequence[Rival]) -> str:
    """Return one that is neither the best nor the worst: a third from the end."""
    return rivals[2 * len(rivals) // 3].version


@posted(visitor_of)
def ask(request: Request, _who: Visitor, form: Form) -> Response:
    """Ask for a table; a form that is refused is shown again."""
    served = served_by(request)
    rivals = _rivals(served)
    # What cannot be meant is mended: nobody, two versions of a bot, too many.
    marked = [rival.version for rival in reversed(rivals) if rival.version in form]
    bots = {version.partition("@")[0]: version for version in marked}
    chosen = [*bots.values()][-_MOST_RIVALS:] or [_first_rival(rivals)] if rivals else []
    try:
        return _sit_down(request, chosen)
    except RequestError as error:
        return HTMLResponse(_offer(request, form, error), error.status, error.headers)


def _sit_down(request: Request, chosen: Sequence[str]) -> Response:
    served = served_by(request)
    if not chosen:
        raise RequestError(409, "nobody plays against visitors now", "come again later")
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
    if move in _ANOTHER:
        return await _another(request, spool, id_, number, move)
    if not await run_in_threadpool(spool.click, id_, number, move):
        raise RequestError(429, "too much was clicked at this table")
    await _shown(served, spool, id_, number, _SETTLES)
    return see_other(path_of(request))


async def _another(
    request: Request, spool: GuestSpool, id_: str, number: int, move: str
) -> Response:
    """Leave a table whose game is over for one with the same rivals, or with a stronger one."""
    served = served_by(request)
    asked = spool.asked_for(id_)
    rivals = [rival.version for rival in await run_in_threadpool(_rivals, served)]
    chosen = [name for name in rivals if asked and name in asked.versions]
    if move == "harder" and chosen:
        chosen = [rivals[max(0, rivals.index(chosen[0]) - 1)]]
    await run_in_threadpool(spool.click, id_, number, "leave")
    for _ in range(_CLOSES):
        shown = await run_in_threadpool(spool.page, id_)
        if shown is None or shown.why:
            break
        await asyncio.sleep(_LOOK)
    try:
        return await run_in_threadpool(_sit_down, request, chosen)
    except RequestError as error:
        text = await run_in_threadpool(_offer, request, chosen, error)
        return HTMLResponse(text, error.status, error.headers)


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
    if wanted.suffix != ".html":
        return FileResponse(wanted)
    asked = GuestSpool(served_by(request).folder).asked_for(id_)
    words = page(request, "played_words.html", rivals=asked.versions if asked else ())
    text = framed(request, wanted.read_text(encoding="utf-8"))
    return HTMLResponse(text.replace(_MAIN, f"{_MAIN}\n{words}", 1))


def _id(request: Request) -> str:
    """Return the id of a table; raises RequestError if there is none with this secret."""
    id_ = id_of(request.path_params["secret"])
    asked = GuestSpool(served_by(request).folder).asked_for(id_)
    if asked is None:
        raise RequestError(404, NOT_FOUND)
    request.state.is_late = time.time() > asked.at + _OPENS
    return id_
