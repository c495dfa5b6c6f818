"""The pages and orders of administrators."""

import shutil
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.io.files import stat_of
from arena.io.text import whole_number
from arena.ladder.book.book import Book
from arena.ladder.book.quota import MOST
from arena.ladder.book.shown import PublishedCase, published_pairs
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
from arena.ladder.door.api import OrderRequest
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.api import give_order, quota_of
from arena.ladder.web.problems import NOT_FOUND, RequestError, refusing
from arena.ladder.web.served import Served, see_other, served_by
from arena.ladder.web.snapshot import Snapshot, versions_of
from arena.ladder.web.templates import link_to, page
from arena.ladder.web.uploads import Form, posted
from arena.ladder.web.visitors import Visitor, administrator_of

_TYPED = "typed"
"""The field of a form in which a name is typed, before what cannot be undone is done."""
_FINAL = {Action.STRIKE, Action.CLOSE_SEASON}
"""Orders that cannot be undone."""
_PAGE = 50
"""Versions, and authors, of a page."""
_LINES = 25
"""The newest lines of the log, which are shown."""
_NO_FORM: Form = {}


def overview(request: Request) -> Response:
    """Show how the ladder is, and its versions and authors page by page."""
    administrator_of(request)
    return HTMLResponse(_overview(request))


def _overview(request: Request, typed: Form = _NO_FORM, error: RequestError | None = None) -> str:
    """Return the page of the ladder at a glance; with an error, what was typed stays in it."""
    served = served_by(request)
    now = served.watch.look_again()
    sought = request.query_params.get("q", "").strip()
    with Door(served.folder) as door, Book(served.folder) as book, book.snapshot():
        authors = door.authors()
        waiting = door.orders(book.last_order())
        lines = book.events(after=max(0, book.last_event() - _LINES))[::-1]
        facts = book.facts()
    with Requests(served.folder) as asked:
        requests = len(asked.waiting())
    text = sought.lower()
    found_versions = [
        version
        for version in sorted(now.versions.values(), key=lambda version: -version.id)
        if any(text in of.lower() for of in (version.name, version.author, version.state))
    ]
    found_authors = [
        (author, len(versions_of(now, author.name)))
        for author in authors
        if text in author.name.lower() or text in author.role
    ]
    return page(
        request,
        "administration.html",
        requests=requests,
        typed=typed,
        error=error,
        now=now,
        machine=_machine(served.folder, facts, now),
        season=_season_name(now),
        sought=sought,
        states=Counter(version.state for version in now.versions.values()),
        versions=_page_of(request, "versions", found_versions),
        people=_page_of(request, "people", found_authors),
        waiting=waiting,
        helped=_helped(served, now),
        lines=lines,
    )


class Helped(NamedTuple):
    """A version to which others lose too often."""

    version: Version
    by: Sequence[tuple[Version, PublishedCase]]
    """Those that do, the clearest first."""

    @property
    def authors(self) -> int:
        """How many authors they are of, itself apart."""
        return len({loser.author for loser, _ in self.by} - {self.version.author})


def _helped(served: Served, now: Snapshot) -> list[Helped]:
    """Return the versions that others may help, those with the most of such first."""
    found: dict[str, list[tuple[Version, PublishedCase]]] = {}
    for case in published_pairs(served.folder.site):
        loser, rival = now.version(case.bot), now.version(case.opponent or "")
        if loser and rival:
            found.setdefault(rival.name, []).append((loser, case))
    helped = [Helped(now.versions[name.lower()], by) for name, by in found.items()]
    return sorted(helped, key=lambda one: -len(one.by))


def _season_name(now: Snapshot) -> str:
    """Return what is typed to close the season."""
    return f"season {now.season}"


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
        return f"?{query}" if 1 <= other <= last else ""

    begin = (number - 1) * _PAGE
    return Page(
        items=items[begin : begin + _PAGE],
        first=begin + 1,
        of=len(items),
        before=address(number - 1),
        after=address(number + 1),
    )


class Machine(Struct, frozen=True, kw_only=True):
    """What an operator looks at; ages in seconds, None for what never happened."""

    health: Health | None
    """What the ladder noted of itself; None before its first note."""
    running: bool
    disk_free: int
    """Bytes that are free."""
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


def _machine(folder: Folder, facts: Mapping[str, str], now: Snapshot) -> Machine:
    """Return how the machine of a ladder is, as far as the door's user may see."""
    disk = shutil.disk_usage(folder.root)
    health = msgspec.json.decode(facts[HEALTH], type=Health) if HEALTH in facts else None
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


def version(request: Request) -> Response:
    """Show a version with the orders that there are for it."""
    administrator_of(request)
    return HTMLResponse(_version(request, request.path_params["version"]))


def _version(
    request: Request,
    name: str,
    typed: Form = _NO_FORM,
    error: RequestError | None = None,
) -> str:
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


def person(request: Request) -> Response:
    """Show an author with what may be done about them."""
    administrator_of(request)
    return HTMLResponse(_person(request, request.path_params["author"]))


def _person(
    request: Request,
    name: str,
    typed: Form = _NO_FORM,
    error: RequestError | None = None,
    *,
    link: str = "",
    told: str = "",
) -> str:
    """Return the page of an author; `link` was made for them, `told` says what was done."""
    served = served_by(request)
    author = _author(served.folder, name)
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
        link=link,
        told=told,
    )


def _author(folder: Folder, name: str) -> Author:
    """Return an author; raises RequestError for one who was not invited."""
    with Door(folder) as door:
        if author := door.find(name):
            return author
    raise RequestError(404, f"there is no author {name[:80]!a}")


# ------------------------------------------------------------ forms


def _form(
    work: Callable[[Request, str, Form], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that does what a form asks for, in the name of an administrator.

    A form that is refused is shown again, with what was typed.
    """

    @posted(administrator_of)
    def handler(request: Request, visitor: Visitor, form: Form) -> Response:
        try:
            return work(request, visitor.author, form)
        except RequestError as error:
            return HTMLResponse(_refused(request, form, error), error.status, error.headers)

    return handler


def _refused(request: Request, form: Form, error: RequestError) -> str:
    """Return the page whose form was refused, with what was typed."""
    served = served_by(request)
    if served.watch.look_again().version(name := form.get("version", "")):
        return _version(request, name, form, error)
    name = form.get("author", "") or form.get("revoked", "")
    with Door(served.folder) as door:
        is_known = door.find(name) is not None
    if is_known:
        return _person(request, name, form, error)
    return _overview(request, form, error)


def _check_typed(form: Form, name: str) -> None:
    """Raise RequestError for what cannot be undone, unless the name of its subject was typed."""
    if form.get(_TYPED, "").strip() != name:
        raise RequestError(400, "this cannot be undone, and the name was not typed", f"type {name}")


@_form
def order(request: Request, who: str, form: Form) -> Response:
    """Leave an order that a form asks for."""
    served = served_by(request)
    fields: dict[str, Any] = {key: value for key, value in form.items() if key != _TYPED}
    try:
        asked = msgspec.convert(fields, OrderRequest, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the form cannot be read: {error}") from None
    if asked.what in _FINAL:
        _check_typed(form, asked.version or _season_name(served.watch.look_again()))
    give_order(served, who, asked)
    if asked.version:
        return see_other(f"/administration/versions/{asked.version}")
    if asked.author:
        return see_other(f"/administration/people/{asked.author}")
    return see_other("/administration")


@_form
def invite(request: Request, who: str, form: Form) -> Response:
    """Invite an author, or make another link for one, and show the link once."""
    folder = served_by(request).folder
    name = form.get("invited", "").strip()
    with refusing(400):
        with Door(folder) as door:
            is_known = door.find(name) is not None
        if not name:
            raise RequestError(400, "nobody is named", "write the name of an author")
        if is_known and "again" not in form:
            hint = "another link is made on their own page"
            raise RequestError(409, f"{name} was invited already", hint)
        word, _ = access.invite(folder, name, Scope.AUTHOR, by=who)
    return HTMLResponse(_person(request, name, link=link_to(request, word)))


@_form
def revoke(request: Request, who: str, form: Form) -> Response:
    """Make the links, sessions and tokens of an author invalid."""
    folder = served_by(request).folder
    author = _author(folder, form.get("revoked", "")).name
    _check_typed(form, author)
    with Secrets(folder, writes=True) as secrets:
        count = secrets.revoke(author, by=who)
    told = f"{count} links, sessions and tokens of {author} are invalid now"
    return HTMLResponse(_person(request, author, told=told))


# ------------------------------------------------------------ requests for an invitation


def waiting_requests(request: Request) -> Response:
    """Show the requests that wait, to an administrator."""
    administrator_of(request)
    return HTMLResponse(_requests_page(request))


def _requests_page(request: Request, link: str = "", said: str = "", mail: str = "") -> str:
    with Requests(served_by(request).folder) as requests:
        waiting = requests.waiting()
    return page(request, "requests.html", requests=waiting, link=link, said=said, mail=mail)


@posted(administrator_of)
def decide(request: Request, who: Visitor, form: Form) -> Response:
    """Approve a request or decline it, as an administrator asks."""
    folder = served_by(request).folder
    number = whole_number(form.get("request", ""))
    what = form.get("what")
    if what not in {"approve", "decline"} or number is None:
        raise RequestError(400, "the form cannot be read", "use the form of the page")
    with Requests(folder, writes=True) as requests:
        asked = requests.take(number)
    if asked is None:
        raise RequestError(404, "this request was decided before", "look at the list again")
    if what == "decline":
        return HTMLResponse(_requests_page(request, said=f"{asked.name} was declined."))
    word, _ = access.invite(folder, asked.name, Scope.AUTHOR, by=who.author)
    said = f"{asked.name} may take part."
    return HTMLResponse(_requests_page(request, link_to(request, word), said, asked.mail))
