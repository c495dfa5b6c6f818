"""The pages of administrators: the ladder at a glance, a version, an author."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request

from arena.io.numbers import whole_number
from arena.ladder.book.book import Book
from arena.ladder.book.quota import MOST
from arena.ladder.book.tables import ALLOWED, OF_AUTHORS, Action, Author, Version, allowed
from arena.ladder.door.door import Door
from arena.ladder.door.requests import Requests
from arena.ladder.folder import Folder
from arena.ladder.web.administration.machine import machine_of
from arena.ladder.web.api.rest import quota_of
from arena.ladder.web.live.snapshot import Snapshot, versions_of
from arena.ladder.web.problems import NOT_FOUND, RequestError
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import page

TYPED = "typed"
"""The field in which the name is typed of what an order that cannot be undone is about."""
_PAGE = 50
"""Versions, and authors, of a page."""
_LINES = 25
"""Of the log, the newest."""
_NO_FORM: Mapping[str, str] = {}


class Page(NamedTuple):
    """Some of a list, and the addresses of the pages beside."""

    items: Sequence[Any]
    first: int
    """The number of the first of them, from 1."""
    of: int
    before: str
    """"" for the first page."""
    after: str


def _page_of(request: Request, key: str, items: Sequence[Any]) -> Page:
    """Return the page of a list that the address names, the last one if there are fewer."""
    last = max(1, -(-len(items) // _PAGE))
    number = min(last, max(1, whole_number(request.query_params.get(key, "")) or 1))

    def address(other: int) -> str:
        query = urlencode({**request.query_params, key: other})
        return f"/administration?{query}" if 1 <= other <= last else ""

    begin = (number - 1) * _PAGE
    shown = items[begin : begin + _PAGE]
    return Page(shown, begin + 1, len(items), address(number - 1), address(number + 1))


def season_name(now: Snapshot) -> str:
    """Return what is typed to close the season."""
    return f"season {now.season}"


def author_of(folder: Folder, name: str) -> Author:
    """Return an author; raises RequestError for one who was not invited."""
    with Door(folder) as door:
        if author := door.find(name):
            return author
    raise RequestError(404, f"there is no author {name[:80]!a}")


def overview(
    request: Request, typed: Mapping[str, str] = _NO_FORM, error: RequestError | None = None
) -> str:
    """Return the page of the ladder at a glance; with an error, what was typed stays in it."""
    served = served_by(request)
    now = served.watch.look_again()
    sought = request.query_params.get("q", "").strip()
    with Door(served.folder) as door, Book(served.folder) as book:
        authors = door.authors()
        waiting = door.orders(book.last_order())
        lines = book.events(after=max(0, book.last_event() - _LINES))[::-1]
        facts = book.facts()
    with Requests(served.folder) as asked:
        requests = len(asked.waiting())
    return page(
        request,
        "administration.html",
        requests=requests,
        typed=typed,
        error=error,
        now=now,
        machine=machine_of(served.folder, facts, now),
        season=season_name(now),
        sought=sought,
        states=Counter(version.state for version in now.versions.values()),
        versions=_page_of(request, "versions", [*_found_versions(now, sought.lower())]),
        people=_page_of(request, "people", [*_found_authors(now, authors, sought.lower())]),
        waiting=waiting,
        lines=lines,
    )


def _found_versions(now: Snapshot, sought: str) -> Iterator[Version]:
    """Yield the versions with a text in their name, author or state, the newest first."""
    for version in sorted(now.versions.values(), key=lambda version: -version.id):
        if any(sought in text.lower() for text in (version.name, version.author, version.state)):
            yield version


def _found_authors(
    now: Snapshot, authors: Sequence[Author], sought: str
) -> Iterator[tuple[Author, int]]:
    """Yield the authors with a text in their name or role, each with the number of versions."""
    for author in authors:
        if sought in author.name.lower() or sought in author.role:
            yield author, len(versions_of(now, author.name))


def version(
    request: Request,
    name: str,
    typed: Mapping[str, str] = _NO_FORM,
    error: RequestError | None = None,
) -> str:
    """Return the page of a version, with the orders that there are for it."""
    served = served_by(request)
    found = served.watch.look_again().version(name)
    if found is None:
        raise RequestError(404, NOT_FOUND)
    actions = [what for what in ALLOWED if what not in OF_AUTHORS and allowed(found, what)]
    with Book(served.folder) as book:
        lines = book.events(found.name)
    return page(
        request,
        "administration_version.html",
        typed=typed,
        error=error,
        version=found,
        actions=[what for what in actions if what is not Action.STRIKE],
        may_strike=Action.STRIKE in actions,
        lines=lines,
    )


def person(
    request: Request,
    name: str,
    typed: Mapping[str, str] = _NO_FORM,
    error: RequestError | None = None,
    **news: str,
) -> str:
    """Return the page of an author; `news` is what was done: a `link` was made, or `told`."""
    served = served_by(request)
    author = author_of(served.folder, name)
    return page(
        request,
        "administration_person.html",
        typed=typed,
        error=error,
        author=author,
        quota=quota_of(served, author.name),
        most=MOST,
        versions=versions_of(served.watch.look_again(), author.name),
        has_private=(served.folder.private / author.name / "index.html").is_file(),
        link=news.get("link", ""),
        told=news.get("told", ""),
    )


def refused(request: Request, form: Mapping[str, str], error: RequestError) -> str:
    """Return the page whose form was refused, with what was typed."""
    served = served_by(request)
    if served.watch.look_again().version(name := form.get("version", "")):
        return version(request, name, form, error)
    name = form.get("author", "") or form.get("revoked", "")
    with Door(served.folder) as door:
        is_known = door.find(name) is not None
    if is_known:
        return person(request, name, form, error)
    return overview(request, form, error)
