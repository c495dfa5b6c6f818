"""The pages of an administrator: what is there, and orders to the ladder."""

import shutil
import time

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.ladder.book.book import Book
from arena.ladder.book.quota import MOST
from arena.ladder.book.tables import ALLOWED
from arena.ladder.door.api import OrderRequest
from arena.ladder.door.door import Door
from arena.ladder.web.access.visitors import administrator_of
from arena.ladder.web.api.rest import give_order
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import page
from arena.ladder.web.uploads.bodies import form_of

_SEE_OTHER = 303
_LINES = 100
"""Of the log, the newest."""


def overview(request: Request) -> Response:
    """Show authors, versions, the queue, the disk and the log."""
    administrator_of(request)
    served = served_by(request)
    now = served.watch.look_again()
    with Door(served.folder) as door, Book(served.folder) as book:
        authors = [
            (author, door.allowance(author.name, served.terms.quotas)) for author in door.authors()
        ]
        waiting = door.orders(book.last_order())
        lines = book.events(after=max(0, book.last_event() - _LINES))[::-1]
    versions = sorted(now.versions.values(), key=lambda version: -version.id)
    private = served.folder.private
    with_pages = {
        author.name for author, _ in authors if (private / author.name / "index.html").is_file()
    }
    actions = {
        version.name: [what for what, of in ALLOWED.items() if version.state in of]
        for version in versions
    }
    return HTMLResponse(
        page(
            request,
            "administration.html",
            now=now,
            at=time.time(),
            authors=authors,
            versions=versions,
            actions=actions,
            with_pages=with_pages,
            waiting=waiting,
            lines=lines,
            disk=shutil.disk_usage(served.folder.root),
            quotas=served.terms.quotas,
            most=MOST,
        )
    )


async def order(request: Request) -> Response:
    """Leave an order that a form asks for."""
    visitor = await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    try:
        asked = msgspec.convert(form, OrderRequest, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the form cannot be read: {error}") from None
    await run_in_threadpool(give_order, served_by(request), visitor.author, asked)
    return RedirectResponse("/administration", _SEE_OTHER)
