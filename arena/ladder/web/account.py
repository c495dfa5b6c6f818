"""An author's account: its sessions and tokens, its feed, and all that is stored about it."""

import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Event, Version, decoded_check
from arena.ladder.door.access import TOKEN_SCOPES, Scope, SecretKind, Secrets, id_of
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import Served, see_other, served_by
from arena.ladder.web.templates import page
from arena.ladder.web.uploads import Form, posted
from arena.ladder.web.visitors import Visitor, forget_cookie, found_secret, own_secret, session_of

_MOST_NAME = 60
"""Characters of a token's name, at most."""
_TOLD = {
    "provisional: admitted": "admitted",
    "provisional: approved": "admitted",
    "refused: ": "refused",
    "overtaken: ": "overtaken",
}
"""What a feed tells, by how the line in the log begins."""
_MOST_TOLD = 50
"""Entries of a feed, at most."""
_CHUNK = 1024 * 1024
_ELSEWHERE = "Results of games are public, in the records of each season, under the names of bots."


def overview(request: Request) -> Response:
    """Show what opens an author's account."""
    session_of(request)
    return HTMLResponse(_account_page(request))


def _account_page(request: Request, error: RequestError | None = None, **shown: str) -> str:
    """Return the page; `shown` is a new `token` or `feed`, which is shown this once."""
    visitor = session_of(request)
    with Secrets(served_by(request).folder) as secrets:
        held = secrets.held(visitor.author)
    return page(
        request,
        "account.html",
        error=error,
        at=time.time(),
        sessions=[secret for secret in held if secret.kind is SecretKind.SESSION],
        feeds=[secret for secret in held if secret.kind is SecretKind.FEED],
        tokens=[secret for secret in held if secret.kind is SecretKind.TOKEN],
        this=own_secret(request),
        scopes=TOKEN_SCOPES,
        **{"token": "", "feed": "", **shown},
    )


@posted(session_of)
def token(request: Request, visitor: Visitor, form: Form) -> Response:
    """Show a new token, once."""
    try:
        word = _made(request, visitor.author, form)
    except RequestError as error:
        return HTMLResponse(_account_page(request, error), error.status, error.headers)
    return HTMLResponse(_account_page(request, token=word))


def _made(request: Request, author: str, form: Form) -> str:
    """Return a new token; raises RequestError if the form does not say which."""
    name = form.get("name", "").strip()
    scope = form.get("scope", Scope.SUBMIT)
    if not (1 <= len(name) <= _MOST_NAME and name.isprintable()):
        what = f"a token has a name of 1 to {_MOST_NAME} characters"
        raise RequestError(400, what, "name it after where it is used")
    if scope not in TOKEN_SCOPES:
        raise RequestError(400, "a token submits or reads", "choose one of the two")
    with Secrets(served_by(request).folder, writes=True) as secrets, refusing():
        return secrets.make_token(author, name, Scope(scope))


def new_feed(request: Request) -> Response:
    """Show the address of a new feed, once."""
    author = session_of(request).author
    with Secrets(served_by(request).folder, writes=True) as secrets:
        word = secrets.renew_feed(author)
    return HTMLResponse(_account_page(request, feed=word))


@posted(session_of)
def delete(request: Request, visitor: Visitor, form: Form) -> Response:
    """Delete an account, whose author typed their name."""
    author = visitor.author
    if form.get("name", "").strip() != author:
        error = RequestError(400, "this is not your name", f"type {author} to confirm")
        return HTMLResponse(_account_page(request, error), error.status)
    folder = served_by(request).folder
    with Door(folder, writes=True) as door:
        pseudonym = door.forget(author)
    with Secrets(folder, writes=True) as secrets:
        secrets.revoke(author)
    forget_cookie(request)
    request.state.visitor = None
    return HTMLResponse(page(request, "deleted.html", pseudonym=pseudonym))


@posted(session_of)
def end(request: Request, visitor: Visitor, form: Form) -> Response:
    """End a session or a token."""
    id_ = form.get("id", "")
    with Secrets(served_by(request).folder, writes=True) as secrets:
        secrets.end(visitor.author, id_)
    if id_ == own_secret(request):
        forget_cookie(request)
        return see_other("/")
    return see_other("/account")


# ------------------------------------------------------------ the feed


class _Entry(NamedTuple):
    event: Event
    word: str
    """What became of the version."""


def feed(request: Request) -> Response:
    """Send the feed whose secret is in the address."""
    word = request.path_params["secret"]
    secret = found_secret(request, word, SecretKind.FEED)
    if secret is None:
        raise RequestError(404, NOT_FOUND)
    with Book(served_by(request).folder) as book:
        events = book.newest_of(secret.author, tuple(_TOLD), _MOST_TOLD)
    entries = [
        _Entry(event, word)
        for event in events
        for begin, word in _TOLD.items()
        if event.text.startswith(begin)
    ]
    text = page(
        request,
        "feed.atom",
        author=secret.author,
        entries=entries,
        id=id_of(word),
        made=secret.made,
    )
    return HTMLResponse(text, media_type="application/atom+xml")


# ------------------------------------------------------------ the export


def export(request: Request) -> Response:
    """Send an author all that is stored about them."""
    author = session_of(request).author
    served = served_by(request)
    if author in served.exports:
        what = "all that is stored about you is being sent already"
        raise RequestError(429, what, "wait until it has come", {"Retry-After": "10"})
    headers = {"Content-Disposition": f'attachment; filename="{author}.zip"'}
    return StreamingResponse(_zipped(served, author), 200, headers, "application/zip")


class _Sink:
    """Takes what a zip is made of, until it is sent."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: `taken` empties it."""

    def close(self) -> None:
        """Do nothing, as there is nothing to close."""

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _zipped(served: Served, author: str) -> Iterator[bytes]:
    """Yield an archive, while it is noted that the author is being sent one."""
    sink = _Sink()
    served.exports.add(author)
    try:
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("account.json", _account(served.folder, author))
            yield sink.taken()
            for path, name in _files(served.folder, author):
                try:
                    with path.open("rb") as source, archive.open(name, "w") as target:
                        while chunk := source.read(_CHUNK):
                            target.write(chunk)
                            yield sink.taken()
                except FileNotFoundError:  # the ladder replaced it a moment ago
                    continue
        yield sink.taken()
    finally:
        served.exports.discard(author)


def _files(folder: Folder, author: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of an author, and their names in the archive."""
    root = folder.private / author
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path, f"pages/{path.relative_to(root).as_posix()}"
    with Door(folder) as door:
        uploads = [upload for upload in door.uploads() if upload.author == author]
    for upload in uploads:
        path = folder.upload(upload.sha256, upload.ending)
        if path.is_file():
            yield path, f"submitted/{upload.version}{upload.ending}"


def _account(folder: Folder, author: str) -> bytes:
    with (
        Door(folder) as door,
        Book(folder) as book,
        Secrets(folder) as secrets,
        book.snapshot(),
    ):
        orders = [order for order in door.orders() if author in {order.who, order.author}]
        versions = [version for version in book.versions() if version.author == author]
        names = {version.name for version in versions}
        account = {
            "author": door.author(author)._asdict(),
            "sessions, tokens and feeds": [secret._asdict() for secret in secrets.held(author)],
            "submissions": [one._asdict() for one in door.uploads() if one.author == author],
            "versions": [_version(version, book) for version in versions],
            "orders": [order._asdict() for order in orders],
            "log": [
                event._asdict()
                for event in book.events()
                if event.author == author or event.version in names
            ],
            "elsewhere": _ELSEWHERE,
        }
    return msgspec.json.format(msgspec.json.encode(account), indent=1)


def _version(version: Version, book: Book) -> dict[str, Any]:
    results = [decoded_check(check.result) for check in book.checks(version) if check.result]
    comparison = book.comparisons().get(version.id)
    twins = msgspec.Raw(comparison.result) if comparison else None
    return {**version._asdict(), "checks": results, "compared with the one before": twins}
