"""The pages of an administrator: what is there, and orders to the ladder."""

import shutil
import time
from collections.abc import Mapping

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.ladder.book.book import Book
from arena.ladder.book.quota import MOST
from arena.ladder.book.tables import ALLOWED
from arena.ladder.door.api import OrderRequest
from arena.ladder.door.door import Door
from arena.ladder.door.requests import Requests
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
    return HTMLResponse(_page(request, {}, None))


def _page(request: Request, typed: Mapping[str, str], error: RequestError | None) -> str:
    """Return the page; with an error, what was typed stays in its form."""
    served = served_by(request)
    now = served.watch.look_again()
    with Requests(served.folder) as asked:
        requests = len(asked.waiting())
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
    return page(
        request,
        "administration.html",
        typed=typed,
        error=error,
        now=now,
        at=time.time(),
        authors=authors,
        versions=versions,
        actions=actions,
        with_pages=with_pages,
        waiting=waiting,
        requests=requests,
        lines=lines,
        disk=shutil.disk_usage(served.folder.root),
        quotas=served.terms.quotas,
        most=MOST,
    )


async def order(request: Request) -> Response:
    """Leave an order that a form asks for."""
    visitor = await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    try:
        await run_in_threadpool(give_order, served_by(request), visitor.author, _asked(form))
    except RequestError as error:
        text = await run_in_threadpool(_page, request, form, error)
        return HTMLResponse(text, error.status, error.headers)
    return RedirectResponse("/administration", _SEE_OTHER)


def _asked(form: Mapping[str, str]) -> OrderRequest:
    try:
        return msgspec.convert(form, OrderRequest, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the form cannot be read: {error}") from None
