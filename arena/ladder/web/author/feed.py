"""The feed of an author, at a secret address: what became of their versions, as Atom."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.ladder.book.book import Book
from arena.ladder.book.tables import Event
from arena.ladder.web.access.secrets import SecretKind, id_of
from arena.ladder.web.access.visitors import found_secret
from arena.ladder.web.problems import NOT_FOUND, RequestError
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import page

_TOLD = {
    "provisional: admitted": "admitted",
    "provisional: approved": "admitted",
    "refused: ": "refused",
    "overtaken: ": "overtaken",
}
"""What is told, by how the line in the log begins."""
_MOST = 50


class _Entry(NamedTuple):
    event: Event
    word: str


def feed(request: Request) -> Response:
    """Send the feed whose secret is in the address."""
    word = request.path_params["secret"]
    secret = found_secret(request, word, SecretKind.FEED)
    if secret is None:
        raise RequestError(404, NOT_FOUND)
    with Book(served_by(request).folder) as book:
        events = book.newest_of(secret.author, tuple(_TOLD), _MOST)
    entries = [_Entry(event, _word(event.text)) for event in events]
    text = page(
        request,
        "feed.atom",
        author=secret.author,
        entries=entries,
        id=id_of(word),
        made=secret.made,
    )
    return HTMLResponse(text, media_type="application/atom+xml")


def _word(text: str) -> str:
    return next(word for begin, word in _TOLD.items() if text.startswith(begin))
