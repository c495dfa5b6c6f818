"""The front page with the standings and what happens now, and the way to take part."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.bots.kit_files import kit_archive
from arena.bots.runtimes import KITS
from arena.io.errors import ArenaError
from arena.io.files import changed_at
from arena.ladder.book.tables import PLAYING, Version
from arena.ladder.door import access
from arena.ladder.door.access import (
    MAX_MAIL,
    MAX_WHY,
    Requests,
    Scope,
    SecretKind,
    check_free,
    joined_today,
)
from arena.ladder.door.classroom import Classroom, WrongCodeError, read_class
from arena.ladder.door.door import Door
from arena.ladder.web.live_game import current_table
from arena.ladder.web.problems import NOT_FOUND, RequestError, refused
from arena.ladder.web.served import Shown, client_of, see_other, served_by
from arena.ladder.web.site import REPLAY
from arena.ladder.web.snapshot import Snapshot, ladder_info, versions_of
from arena.ladder.web.templates import page, published_items
from arena.ladder.web.uploads import Form, posted
from arena.ladder.web.visitors import Visitor, visitor_of
from arena.ladder.web.where import Where, where_of

_RELOAD = 10
"""Seconds after which the page is loaded again where scripts do not run."""
_RELOAD_LIVE = 2
"""The same for the page of the game that is shown."""
_SPREAD = 500
"""Milliseconds within which pages ask for what changed."""
_SPREAD_EACH = 12
"""Milliseconds more for each page that listens."""
_BESIDE = "front_beside.part"
"""What the ladder publishes for the front page, beside the standings."""
_WATCH = "Watch"
_LIVE = "Live"
_ARRIVALS = 3
"""How many of the versions that came last are told."""
_NOTHING_PLAYED = "Programs play Perudo here, a game of dice and bluff: the first games come soon."
_MAIL = re.compile(r"[^@\s]+@[^@\s]+")
_TOMORROW = {"Retry-After": "3600"}


def front(request: Request) -> Response:
    """Show how the ladder is now."""
    served = served_by(request)
    now = served.watch.now
    if visitor_of(request).author:
        return HTMLResponse(_page(request, now))
    published = changed_at(served.folder.site / _BESIDE)
    waited = int(now.oldest() or 0)
    shown = served.front
    if not shown or shown.now is not now or (shown.beside, shown.waited) != (published, waited):
        shown = served.front = Shown(now, published, waited, _page(request, now))
    return HTMLResponse(shown.text)


def live(request: Request) -> Response:
    """Show one game as it is played; while none is, the highlights one after another."""
    visitor_of(request)
    served = served_by(request)
    now = served.watch.now
    table = current_table(now.game)
    nothing_new = _state(now) != _LIVE and (table is None or table.again)
    tours = nothing_new and (served.folder.site / REPLAY).is_file()
    return HTMLResponse(page(request, "live.html", table=table, tours=tours, reload=_RELOAD_LIVE))


def _page(request: Request, now: Snapshot) -> str:
    served = served_by(request)
    info = ladder_info(now, served.terms.name)
    items = published_items(served.folder.site)
    watch = next((item.href for item in items if item.label == _WATCH), "/live")
    author = visitor_of(request).author
    mine = {version.version for version in versions_of(now, author)} if author else ()
    rows = now.live.rows if now.live else ()
    try:
        beside = (served.folder.site / _BESIDE).read_text(encoding="utf-8")
    except OSError:
        beside = ""
    return page(
        request,
        "front.html",
        info=info,
        live=now.live,
        table=current_table(now.game),
        state=_state(now),
        authors=len({version.author for version in info.playing}),
        mine=[row for row in rows if row.version in mine],
        sentence=now.live.sentence if now.live else _NOTHING_PLAYED,
        arrivals=arrivals(now),
        ways=_ways(where_of(request), watch, has_guests=bool(served.terms.guests)),
        beside=beside,
        kits=[kit.title for kit in KITS.values()],
        open=served.terms.door.open or read_class(served.folder) is not None,
        reload=_RELOAD,
        spread=_SPREAD + _SPREAD_EACH * len(served.listeners),
    )


def _state(now: Snapshot) -> str:
    """Return in a word what the ladder does."""
    if not now.running:
        return "Stopped"
    asleep = now.divisions and all(division.asleep for division in now.divisions)
    if now.live and now.live.per_minute and not asleep:
        return _LIVE
    return "Checking" if now.queue else "Asleep"


class Arrival(NamedTuple):
    """A version that came to play, and its rank if it has one."""

    version: Version
    rank: int | None


def arrivals(now: Snapshot) -> list[Arrival]:
    """Return the versions that came last of those that play."""
    playing = [version for version in now.versions.values() if version.state in PLAYING]
    playing.sort(key=lambda version: version.received_at, reverse=True)
    ranks = {row.version: row.best for row in now.live.rows} if now.live else {}
    return [Arrival(version, ranks.get(version.name)) for version in playing[:_ARRIVALS]]


def _ways(where: Where, watch: str, *, has_guests: bool) -> list[tuple[str, str]]:
    """Return what a visitor can do, as addresses and labels."""
    play = [("/play", "Play against them")] if has_guests else []
    ways = [(watch, "▶ Watch"), *play, ("/welcome", "Enter your bot")]
    return [(where.path + address, label) for address, label in ways]


# ------------------------------------------------------------ how to take part


def welcome(request: Request) -> Response:
    """Show what this is, and how to take part."""
    visitor_of(request)
    return HTMLResponse(_welcome_page(request, {"code": request.query_params.get("code", "")[:20]}))


def _welcome_page(
    request: Request,
    typed: Mapping[str, str],
    error: RequestError | None = None,
    *,
    asked: bool = False,
) -> str:
    served = served_by(request)
    return page(
        request,
        "welcome.html",
        typed=typed,
        error=error,
        asked=asked,
        kits=KITS,
        has_rules=(served.folder.site / "rules.html").is_file(),
        terms=served.terms.door,
        limits=served.limits,
        most={"mail": MAX_MAIL, "why": MAX_WHY},
        is_class=read_class(served.folder) is not None,
    )


def kit(request: Request) -> Response:
    """Send the kit of a language."""
    language = request.path_params["language"]
    if language not in KITS:
        raise RequestError(404, NOT_FOUND)
    name = f'attachment; filename="my-bot-{language}.zip"'
    headers = {"Content-Disposition": name, "Cache-Control": "max-age=300"}
    return Response(kit_archive(language), headers=headers, media_type="application/zip")


@posted(visitor_of)
def join(request: Request, _who: Visitor, form: Form) -> Response:
    """Take a request for an invitation; or let in whoever asks, if the ladder is open."""
    served = served_by(request)
    try:
        if classroom := read_class(served.folder):
            return _join_class(request, classroom, form)
        name, mail, why = _asked(form)
        with Requests(served.folder) as requests:
            check_free(served.folder, name, [asked.name for asked in requests.waiting()])
        if not served.joins.take(client_of(request)):
            most = served.terms.door.of_address
            what = f"{most} people of this address asked already"
            raise RequestError(429, what, "try again tomorrow", _TOMORROW)
        if served.terms.door.open:
            joins = served.terms.door.joins
            if joined_today(served.folder) >= joins:
                what = f"{joins} people joined in the last 24 hours already"
                raise RequestError(429, what, "try again tomorrow", _TOMORROW)
            word, _ = access.invite(served.folder, name, Scope.AUTHOR, by=name)
            return see_other(f"/link/{word}")
        with Requests(served.folder, writes=True) as requests:
            requests.add(name, mail, why, served.terms.door.requests)
    except ArenaError as error:
        problem = refused(error)
        text = _welcome_page(request, form, problem)
        return HTMLResponse(text, problem.status, problem.headers)
    return HTMLResponse(_welcome_page(request, {}, asked=True))


def _join_class(request: Request, classroom: Classroom, form: Form) -> Response:
    """Let in who has the code and a name of the roster that nobody has used.

    A class is behind one address: only what may be a guess is counted there.
    """
    served = served_by(request)
    try:
        name = classroom.name(form.get("name", ""), form.get("code", ""))
    except WrongCodeError:
        if not served.tries[SecretKind.INVITATION].take(client_of(request)):
            raise RequestError(
                429, "too many tries", "wait a minute", {"Retry-After": "60"}
            ) from None
        raise
    with Door(served.folder) as door:
        is_here = door.find(name) is not None
    if is_here:
        raise ArenaError(f"'{name}' has joined already", hint="the teacher makes you a new link")
    word, _ = access.invite(served.folder, name, Scope.AUTHOR, by=name)
    return see_other(f"/link/{word}")


class _Asked(NamedTuple):
    """What somebody writes who asks for an invitation."""

    name: str
    mail: str
    why: str


def _asked(form: Form) -> _Asked:
    """Return what a form says; raises RequestError for what cannot be read."""
    mail = form.get("mail", "").strip()
    if mail and (len(mail) > MAX_MAIL or not _MAIL.fullmatch(mail) or not mail.isprintable()):
        raise RequestError(400, "the mail address cannot be read", "leave it out, or mend it")
    why = " ".join(form.get("why", "").split())
    if not why.isprintable():
        raise RequestError(400, "the reason has signs that cannot be read", "write plain text")
    if len(why) > MAX_WHY:
        raise RequestError(400, f"the reason has more than {MAX_WHY} characters", "shorten it")
    return _Asked(form.get("name", "").strip(), mail, why)
