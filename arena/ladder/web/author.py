"""The pages of authors: links, submissions, versions; all work without scripts."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from arena.ladder.book.book import Book
from arena.ladder.book.tables import OF_AUTHORS, Action, Version, allowed
from arena.ladder.door.access import SecretKind, Secrets
from arena.ladder.door.door import MOST_NOTE, Door
from arena.ladder.folder import file_stem
from arena.ladder.web.api import quota_of, result_of, seen_version
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import see_other, served_by
from arena.ladder.web.site import framed
from arena.ladder.web.snapshot import Snapshot, version_info, versions_of
from arena.ladder.web.templates import page
from arena.ladder.web.uploads import FileForm, Form, drain, posted, receive, timed
from arena.ladder.web.visitors import (
    Visitor,
    browser_of,
    forget_cookie,
    found_secret,
    may_see,
    remember,
    session_of,
    session_word,
    visitor_of,
)

FORM_BYTES = 2_048
"""Bytes of a form beside its file."""
_RELOAD = 10
"""Seconds after which a page without scripts is loaded again."""


def link(request: Request) -> Response:
    """Show the button that spends an invitation: a GET spends nothing, as scanners follow links."""
    secret = found_secret(request, request.path_params["secret"], SecretKind.INVITATION)
    if secret is None:
        if visitor_of(request).has_session:  # they went back, after the link had let them in
            return see_other("/me")
        raise _invalid_link()
    return HTMLResponse(page(request, "link.html", author=secret.author))


def spend(request: Request) -> Response:
    """Spend an invitation for a session."""
    served = served_by(request)
    word = request.path_params["secret"]
    if found_secret(request, word, SecretKind.INVITATION) is None:
        raise _invalid_link()
    with Secrets(served.folder, writes=True) as secrets:
        session = secrets.spend(word, browser_of(request))
    if session is None:  # another browser was faster
        raise _invalid_link()
    response = see_other("/me")
    remember(request, response, session)
    return response


def _invalid_link() -> RequestError:
    hint = "ask the operator for a new one: arena ladder invite"
    return RequestError(404, "this link is not valid: it was used, revoked, or is too old", hint)


def leave(request: Request) -> Response:
    """End the session of a browser."""
    session_of(request)
    with Secrets(served_by(request).folder, writes=True) as secrets:
        secrets.drop(session_word(request))
    forget_cookie(request)
    return see_other("/")


def me(request: Request) -> Response:
    """Show an author's versions, and the form by which they submit the next."""
    return HTMLResponse(_my_page(request))


class _Typed(NamedTuple):
    """What was typed into the form of a submission."""

    bot: str
    note: str


_NOTHING_TYPED = _Typed("", "")


def _my_page(
    request: Request, error: RequestError | None = None, typed: _Typed = _NOTHING_TYPED
) -> str:
    """Return the page; with an error, what was typed stays in the form."""
    visitor = session_of(request)
    served = served_by(request)
    return page(
        request,
        "me.html",
        error=error,
        typed=typed,
        most_note=MOST_NOTE,
        quota=quota_of(served, visitor.author),
        limits=served.limits,
        versions=versions_of(served.watch.look_again(), visitor.author),
        has_private=_private(request, visitor.author, "index.html").is_file(),
        has_course=_private(request, visitor.author, "course/index.html").is_file(),
    )


async def upload(request: Request) -> Response:
    """Take a submission in from the form."""
    served = served_by(request)
    limits = served.limits
    typed = _NOTHING_TYPED
    try:
        visitor = await run_in_threadpool(session_of, request)
        chunks = timed(request, limits.body_seconds, limits.body_bytes + FORM_BYTES)
        form = FileForm(request, chunks)
        typed = _Typed(*await form.fields())
        receipt = await receive(request, visitor.author, typed.bot, form.content(), note=typed.note)
    except RequestError as error:
        await drain(request, error)
        if not typed.bot:
            raise
        text = await run_in_threadpool(_my_page, request, error, typed)
        return HTMLResponse(text, error.status, error.headers)
    return see_other(f"/versions/{receipt.version}")


def version(request: Request) -> Response:
    """Show how a version is, the result of its check, and its log."""
    now, seen = _seen_now(request)
    info = version_info(now, seen)
    folder = served_by(request).folder
    with Door(folder) as door, Book(folder) as book, book.snapshot():
        lines = book.events(seen.name)
        not_obeyed = door.orders(book.last_order())
    waiting = [order for order in not_obeyed if order.version == seen.name]
    waits = info.place is not None or waiting
    rows = now.live.rows if now.live else ()
    return HTMLResponse(
        page(
            request,
            "version.html",
            info=info,
            orders=[what for what in sorted(OF_AUTHORS) if allowed(seen, what)],
            waiting=waiting,
            has_archive=folder.sent(info.author, info.version).is_file(),
            lines=lines,
            result=result_of(request),
            standing=next((row for row in rows if row.version == info.version), None),
            of=len(rows),
            private=_written(request, info.author, info.version),
            reload=_RELOAD if waits else 0,
        )
    )


def _seen_now(request: Request) -> tuple[Snapshot, Version]:
    """Return the version that is asked for, as it is at this moment; as `seen_version`."""
    _, seen = seen_version(request)
    now = served_by(request).watch.look_again()
    return now, now.version(seen.name) or seen


def _written(request: Request, author: str, version: str) -> Mapping[str, str]:
    """Return the private pages of a version that are written, by what they show."""
    pages = {"games": "", "why": ".why", "changes": ".changes"}
    paths = {name: f"{file_stem(version)}{kind}.html" for name, kind in pages.items()}
    return {
        name: f"private/{author}/{path}"
        for name, path in paths.items()
        if _private(request, author, path).is_file()
    }


@posted(session_of)
def order(request: Request, visitor: Visitor, form: Form) -> Response:
    """Leave what an author orders of a version."""
    _, version = _seen_now(request)
    what = form.get("what", "")
    if what not in OF_AUTHORS:
        raise RequestError(400, f"an author orders {' or '.join(sorted(OF_AUTHORS))}")
    with Door(served_by(request).folder, writes=True) as door, refusing():
        door.order_own(visitor.author, Action(what), version)
    return see_other(f"/versions/{version.name}")


def archive(request: Request) -> Response:
    """Return what was submitted as a version: the canonical archive of its files."""
    _, version = seen_version(request)
    path = served_by(request).folder.sent(version.author, version.name)
    if not path.is_file():
        raise RequestError(404, "its files are not there", "they are once it was checked")
    return FileResponse(path, media_type="application/x-tar", filename=path.name.replace("@", "-"))


def why(request: Request) -> Response:
    """Return why a version loses, as the coach judges it."""
    return _as_data(request, "why.json", "no games of it have been judged yet")


def games(request: Request) -> Response:
    """Return the newest games of a version, a line each."""
    return _as_data(request, "games.jsonl", "no games of it are written yet")


def _as_data(request: Request, kind: str, missing: str) -> Response:
    _, version = seen_version(request)
    file = _private(request, version.author, f"{file_stem(version.name)}.{kind}")
    if not file.is_file():
        raise RequestError(404, missing, "ask again after the next publication")
    media = "application/json" if kind.endswith(".json") else "application/jsonl"
    return FileResponse(file, media_type=media)


def private(request: Request) -> Response:
    """Serve a file that the ladder wrote for one author."""
    author = request.path_params["author"]
    path = request.path_params["path"]
    may_see(visitor_of(request), author)
    file = _private(request, author, path or "index.html")
    if not file.is_file():
        raise RequestError(404, NOT_FOUND)
    if file.suffix == ".html":
        return HTMLResponse(framed(request, file.read_text(encoding="utf-8")))
    return FileResponse(file)


def _private(request: Request, author: str, path: str) -> Path:
    """Return an author's file; raises RequestError for a path that leads elsewhere."""
    private_pages = served_by(request).folder.private
    root = (private_pages / author).resolve()
    if root.parent != private_pages.resolve() or "\0" in path:
        raise RequestError(404, NOT_FOUND)
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        raise RequestError(404, NOT_FOUND)
    return file
