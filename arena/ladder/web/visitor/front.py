"""The front page, with the standings and what happens now, and the game that is shown."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.bots.runtimes import KITS
from arena.io.files import changed_at
from arena.ladder.book.live_standings import LiveRow
from arena.ladder.web.access.visitors import visitor_of
from arena.ladder.web.live.game import current_table
from arena.ladder.web.live.snapshot import Snapshot, ladder_info, versions_of
from arena.ladder.web.menu import published_items
from arena.ladder.web.served import Served, Shown, served_by
from arena.ladder.web.templates import page

_RELOAD, _RELOAD_LIVE = 10, 2
"""Seconds after which a page without scripts is loaded again, and that of the game shown."""
_SPREAD = 500
_SPREAD_EACH = 12
"""Milliseconds within which pages ask for what changed, and more for each that listens."""
_BESIDE = "front_beside.part"
_WATCH = "Watch"


def front(request: Request) -> Response:
    """Show how the ladder is now."""
    served, now = served_by(request), served_by(request).watch.now
    if visitor_of(request).author:
        return HTMLResponse(_page(request, now))
    published = changed_at(served.folder.site / _BESIDE)
    waited, shown = int(now.oldest() or 0), served.front
    if not shown or shown.now is not now or (shown.beside, shown.waited) != (published, waited):
        shown = served.front = Shown(now, published, waited, _page(request, now))
    return HTMLResponse(shown.text)


def live(request: Request) -> Response:
    """Show one game as it is played."""
    visitor_of(request)
    table = current_table(served_by(request).watch.now.game)
    return HTMLResponse(page(request, "live.html", table=table, reload=_RELOAD_LIVE))


def _page(request: Request, now: Snapshot) -> str:
    served = served_by(request)
    info = ladder_info(now, served.terms.name)
    watch = [item.href for item in published_items(served.folder.site) if item.label == _WATCH]
    return page(
        request,
        "front.html",
        info=info,
        live=now.live,
        table=current_table(now.game),
        state=_state(now),
        authors=len({version.author for version in info.playing}),
        mine=_mine(now, visitor_of(request).author),
        watch=watch[0] if watch else "",
        beside=_beside(served),
        kits=[kit.title for kit in KITS.values()],
        open=served.terms.door.open,
        reload=_RELOAD,
        spread=_SPREAD + _SPREAD_EACH * len(served.listeners),
    )


def _state(now: Snapshot) -> str:
    if not now.running:
        return "Stopped"
    asleep = now.divisions and all(division.asleep for division in now.divisions)
    return "Live" if now.live and now.live.per_minute and not asleep else "Asleep"


def _mine(now: Snapshot, author: str) -> list[LiveRow]:
    mine = {version.version for version in versions_of(now, author)} if author else set[str]()
    return [row for row in now.live.rows if row.version in mine] if now.live else []


def _beside(served: Served) -> str:
    """Return what the ladder published for the front page, beside the standings."""
    try:
        return (served.folder.site / _BESIDE).read_text(encoding="utf-8")
    except OSError:
        return ""
