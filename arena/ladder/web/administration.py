"""The pages and orders of administrators."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.io.files import stat_of
from arena.io.text import whole_number
from arena.ladder.book.book import Book
from arena.ladder.book.quota import MOST
from arena.ladder.book.tables import (
    ALLOWED,
    HEALTH,
    OF_AUTHORS,
    Action,
    Author,
    Health,
    Version,
    allowed,
)
from arena.ladder.door import access
from arena.ladder.door.access import Requests, Scope, Secrets
from arena.ladder.door.access import invite as invite_author
from arena.ladder.door.api import OrderRequest
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.api import give_order, quota_of
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import see_other, served_by
from arena.ladder.web.snapshot import Snapshot, versions_of
from arena.ladder.web.templates import link_to, page
from arena.ladder.web.uploads import form_of
from arena.ladder.web.visitors import administrator_of

_decoded = msgspec.json.Decoder(Health).decode


class Machine(Struct, frozen=True, kw_only=True):
    """What an operator looks at; ages in seconds, None for what never was."""

    health: Health | None
    """What the ladder noted of itself; None before its first note."""
    running: bool
    disk_free: int
    """Bytes."""
    disk_size: int
    published: float | None
    publishes_in: float | None
    """Seconds to the next publication; None if nothing new is to be published."""
    backed_up: float | None
    verified: float | None
    """Since when a backup was read again and found whole."""

    @property
    def backup_is_late(self) -> bool:
        """Whether the last backup is older than ladder.yaml allows."""
        allowed = self.health.backup_interval if self.health else float("inf")
        return self.backed_up is None or self.backed_up > allowed


def machine_of(folder: Folder, facts: Mapping[str, str], now: Snapshot) -> Machine:
    """Return how the machine of a ladder is, as far as the door's user may see."""
    disk = shutil.disk_usage(folder.root)
    health = _decoded(facts[HEALTH]) if HEALTH in facts else None
    due = health.next_publication if health and now.running else None
    published = facts.get("published_at")
    return Machine(
        health=health,
        running=now.running,
        disk_free=disk.free,
        disk_size=disk.total,
        published=_since(float(published)) if published else None,
        publishes_in=None if due is None else max(0.0, due - time.time()),
        backed_up=_age(folder.last_backup),
        verified=_age(folder.last_verified),
    )


def _age(mark: Path) -> float | None:
    """Return how long ago a file was touched."""
    return _since(found.st_mtime) if (found := stat_of(mark)) else None


def _since(at: float) -> float:
    return max(0.0, time.time() - at)


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


def overview_page(
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
        states=Counter(version_page.state for version_page in now.versions.values()),
        versions=_page_of(request, "versions", [*_found_versions(now, sought.lower())]),
        people=_page_of(request, "people", [*_found_authors(now, authors, sought.lower())]),
        waiting=waiting,
        lines=lines,
    )


def _found_versions(now: Snapshot, sought: str) -> Iterator[Version]:
    """Yield the versions with a text in their name, author or state, the newest first."""
    for version_page in sorted(now.versions.values(), key=lambda version_page: -version_page.id):
        if any(
            sought in text.lower()
            for text in (version_page.name, version_page.author, version_page.state)
        ):
            yield version_page


def _found_authors(
    now: Snapshot, authors: Sequence[Author], sought: str
) -> Iterator[tuple[Author, int]]:
    """Yield the authors with a text in their name or role, each with the number of versions."""
    for author in authors:
        if sought in author.name.lower() or sought in author.role:
            yield author, len(versions_of(now, author.name))


def version_page(
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


def person_page(
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


def refused_page(request: Request, form: Mapping[str, str], error: RequestError) -> str:
    """Return the page whose form was refused, with what was typed."""
    served = served_by(request)
    if served.watch.look_again().version(name := form.get("version", "")):
        return version_page(request, name, form, error)
    name = form.get("author", "") or form.get("revoked", "")
    with Door(served.folder) as door:
        is_known = door.find(name) is not None
    if is_known:
        return person_page(request, name, form, error)
    return overview_page(request, form, error)


_FINAL = {Action.STRIKE, Action.CLOSE_SEASON}
"""Orders that cannot be undone."""


def overview(request: Request) -> Response:
    """Show how the ladder is, and its versions and authors page by page."""
    administrator_of(request)
    return HTMLResponse(overview_page(request))


def version(request: Request) -> Response:
    """Show a version with the orders that there are for it."""
    administrator_of(request)
    return HTMLResponse(version_page(request, request.path_params["version"]))


def person(request: Request) -> Response:
    """Show an author with what may be done about them."""
    administrator_of(request)
    return HTMLResponse(person_page(request, request.path_params["author"]))


async def order(request: Request) -> Response:
    """Leave an order that a form asks for."""
    return await _done(request, _order)


async def invite(request: Request) -> Response:
    """Invite an author, or make another link for one, and show the link once."""
    return await _done(request, _invite)


async def revoke(request: Request) -> Response:
    """Make the links, sessions and tokens of an author invalid."""
    return await _done(request, _revoke)


async def _done(
    request: Request, work: Callable[[Request, str, Mapping[str, str]], Response]
) -> Response:
    """Do what a form asks for, in the name of an administrator; a refused form is shown again."""
    visitor = await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    try:
        return await run_in_threadpool(work, request, visitor.author, form)
    except RequestError as error:
        text = await run_in_threadpool(refused_page, request, form, error)
        return HTMLResponse(text, error.status, error.headers)


def _order(request: Request, who: str, form: Mapping[str, str]) -> Response:
    served = served_by(request)
    fields: dict[str, Any] = {key: value for key, value in form.items() if key != TYPED}
    try:
        asked = msgspec.convert(fields, OrderRequest, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the form cannot be read: {error}") from None
    if asked.what in _FINAL:
        _check_typed(form, asked.version or season_name(served.watch.look_again()))
    give_order(served, who, asked)
    return see_other(_sheet_of(asked))


def _sheet_of(asked: OrderRequest) -> str:
    """Return the address of the page on which an order is given."""
    if asked.version:
        return f"/administration/versions/{asked.version}"
    return f"/administration/people/{asked.author}" if asked.author else "/administration"


def _invite(request: Request, _who: str, form: Mapping[str, str]) -> Response:
    folder, name = served_by(request).folder, form.get("invited", "").strip()
    with refusing(400):
        with Door(folder) as door:
            is_known = door.find(name) is not None
        if not name:
            raise RequestError(400, "nobody is named", "write the name of an author")
        if is_known and "again" not in form:
            hint = "another link is made on their own page"
            raise RequestError(409, f"{name} was invited already", hint)
        word, _ = invite_author(folder, name, Scope.AUTHOR)
    return HTMLResponse(person_page(request, name, link=link_to(request, word)))


def _revoke(request: Request, _who: str, form: Mapping[str, str]) -> Response:
    folder, name = served_by(request).folder, form.get("revoked", "")
    author = author_of(folder, name).name
    _check_typed(form, author)
    with Secrets(folder, writes=True) as secrets:
        count = secrets.revoke(author)
    told = f"{count} links, sessions and tokens of {author} are invalid now"
    return HTMLResponse(person_page(request, author, told=told))


def _check_typed(form: Mapping[str, str], name: str) -> None:
    """Raise RequestError for what cannot be undone, unless the name of its subject was typed."""
    if form.get(TYPED, "").strip() != name:
        raise RequestError(400, "this cannot be undone, and the name was not typed", f"type {name}")


def waiting_requests(request: Request) -> Response:
    """Show the requests that wait, to an administrator."""
    administrator_of(request)
    return HTMLResponse(_requests_page(request))


def _requests_page(request: Request, link: str = "", said: str = "", mail: str = "") -> str:
    with Requests(served_by(request).folder) as requests:
        waiting = requests.waiting()
    return page(request, "requests.html", requests=waiting, link=link, said=said, mail=mail)


async def decide(request: Request) -> Response:
    """Approve a request or decline it, as an administrator asks."""
    await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    return HTMLResponse(await run_in_threadpool(_decided, request, form))


def _decided(request: Request, form: Mapping[str, str]) -> str:
    folder, number = served_by(request).folder, whole_number(form.get("request", ""))
    what = form.get("what")
    if what not in {"approve", "decline"} or number is None:
        raise RequestError(400, "the form cannot be read", "use the form of the page")
    with Requests(folder, writes=True) as requests:
        asked = requests.take(number)
    if asked is None:
        raise RequestError(404, "this request was decided before", "look at the list again")
    if what == "decline":
        return _requests_page(request, said=f"{asked.name} was declined.")
    word, _ = access.invite(folder, asked.name, Scope.AUTHOR)
    return _requests_page(
        request, link_to(request, word), f"{asked.name} may take part.", asked.mail
    )
