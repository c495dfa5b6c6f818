"""The page for the projector of a class, and the code by which telephones find the door."""

from io import BytesIO, StringIO
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.ladder.door.classroom import Classroom, read_class
from arena.ladder.door.door import Door
from arena.ladder.web.front import arrivals
from arena.ladder.web.live_game import current_table
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import page
from arena.ladder.web.visitors import visitor_of
from arena.ladder.web.where import address_of

if TYPE_CHECKING:
    from segno import QRCode

_RELOAD = 10
"""Seconds after which the page is loaded again where scripts do not run."""
_ROWS = 12
"""The lines of the standings that a wall has room for."""


def wall(request: Request) -> Response:
    """Show what a class looks at; the code and who is here are for administrators alone."""
    served = served_by(request)
    now = served.watch.now
    classroom = read_class(served.folder)
    joins = classroom if classroom and visitor_of(request).administrates else None
    address = address_of(request)
    text = page(
        request,
        "wall.html",
        table=current_table(now.game),
        rows=now.live.rows[:_ROWS] if now.live else (),
        arrivals=arrivals(now),
        here=_here(request, joins) if joins else None,
        expected=len(joins.names) if joins else 0,
        ends=classroom.ends if classroom else None,
        code=joins.code if joins else "",
        join=f"{address}/welcome",
        qr=_as_svg(join_link(address, joins)) if joins else "",
        reload=_RELOAD,
    )
    return HTMLResponse(text)


def _here(request: Request, classroom: Classroom) -> list[str]:
    """Return who of a class has joined."""
    with Door(served_by(request).folder) as door:
        authors = {author.name.lower() for author in door.authors()}
    return [name for name in classroom.names if name.lower() in authors]


def join_link(address: str, classroom: Classroom) -> str:
    """Return the address that a telephone reads: it has the code already."""
    return f"{address}/welcome?code={quote(classroom.code)}#title-join"


def _as_svg(link: str) -> str:
    drawn = BytesIO()
    options = {"xmldecl": False, "omitsize": True, "border": 2, "light": "#ffffff"}
    _code(link).save(drawn, kind="svg", **options)
    return drawn.getvalue().decode()


def on_terminal(link: str) -> str:
    """Return the QR code of a link in characters, for a terminal."""
    drawn = StringIO()
    _code(link).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()


def _code(link: str) -> "QRCode":
    import segno  # slow to import, and few doors are those of a class

    return segno.make(link, error="m", micro=False)
