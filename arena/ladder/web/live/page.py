"""The page of the game that is shown."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.ladder.web.access.visitors import visitor_of
from arena.ladder.web.live.game import current_table
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import page

_RELOAD = 2
"""Seconds after which the page is loaded again without scripts."""


def live(request: Request) -> Response:
    """Show one game as it is played."""
    visitor_of(request)
    table = current_table(served_by(request).watch.now.game)
    return HTMLResponse(page(request, "live.html", table=table, reload=_RELOAD))
