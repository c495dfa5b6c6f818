"""The application: which address leads where."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from arena.io import shipped
from arena.io.errors import ArenaError
from arena.ladder.folder import Folder
from arena.ladder.web import (
    account,
    administration,
    export,
    feed,
    front,
    guests,
    own_versions,
    pages,
    welcome,
)
from arena.ladder.web.access.addresses import BehindProxy
from arena.ladder.web.access.guard import Guard, add_headers
from arena.ladder.web.api import events, rest
from arena.ladder.web.live.page import live
from arena.ladder.web.problems import NOT_FOUND, RequestError, answer, refused
from arena.ladder.web.served import DoorLimits, Served, terms_of
from arena.ladder.web.site import published

_WORDS = {404: NOT_FOUND, 405: "this cannot be done with it"}
_ASSETS = (
    "door/author.css",
    "door/author.js",
    "door/desk.css",
    "door/door.css",
    "door/door.js",
    "door/front.css",
    "door/live.css",
    "door/times.js",
    "door/upload.js",
    "style.css",
)
"""What the pages of the door need beside themselves."""


def make_app(
    folder: Folder,
    origins: frozenset[str],
    limits: DoorLimits | None = None,
    *,
    behind_proxy: bool = False,
) -> Starlette:
    """Return the door of a ladder, reached at these addresses (`https://ladder.example.org`)."""
    served = Served(folder, terms_of(folder), limits or DoorLimits(), origins)

    @asynccontextmanager
    async def watching(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(served.watch.run())
        try:
            yield
        finally:
            task.cancel()

    app = Starlette(
        routes=_routes(folder),
        middleware=[*([Middleware(BehindProxy)] if behind_proxy else []), Middleware(Guard)],
        exception_handlers={
            ArenaError: _on_arena_error,
            HTTPException: _on_http_error,
            Exception: _on_bug,
        },
        lifespan=watching,
    )
    app.state.served = served
    return app


def _routes(folder: Folder) -> list[Route | Mount]:
    v1 = "/api/v1"
    return [
        Route("/", front.front),
        Route("/link/{secret}", pages.link, methods=["GET"]),
        Route("/link/{secret}", pages.spend, methods=["POST"]),
        Route("/welcome", welcome.welcome, methods=["GET"]),
        Route("/welcome", welcome.join, methods=["POST"]),
        Route("/kits/{language}.zip", welcome.kit),
        Route("/leave", pages.leave, methods=["POST"]),
        Route("/live", live),
        Route("/play", guests.offer, methods=["GET"]),
        Route("/play", guests.ask, methods=["POST"]),
        Route("/play/{secret}/", guests.table, methods=["GET"]),
        Route("/play/{secret}/", guests.click, methods=["POST"]),
        Route("/play/{secret}/{file}", guests.file),
        Route("/played/{id}/{path:path}", guests.played),
        Route("/me", pages.me),
        Route("/account", account.overview),
        Route("/token", account.token, methods=["POST"]),
        Route("/token", lambda _: RedirectResponse("/account"), methods=["GET"]),
        Route("/account/end", account.end, methods=["POST"]),
        Route("/account/feed", account.feed, methods=["POST"]),
        Route("/feed/{secret}", feed.feed),
        Route("/account/export", export.export),
        Route("/account/delete", account.delete, methods=["POST"]),
        Route("/upload", pages.upload, methods=["POST"]),
        Route("/versions/{version}", pages.version, methods=["GET"]),
        Route("/versions/{version}", own_versions.order, methods=["POST"]),
        Route("/private/{author}/{path:path}", pages.private),
        Route("/administration", administration.overview, methods=["GET"]),
        Route("/administration", administration.order, methods=["POST"]),
        Route("/administration/invite", administration.invite, methods=["POST"]),
        Route("/administration/revoke", administration.revoke, methods=["POST"]),
        Route("/administration/versions/{version}", administration.version),
        Route("/administration/people/{author}", administration.person),
        Route("/administration/requests", welcome.desk, methods=["GET"]),
        Route("/administration/requests", welcome.decide, methods=["POST"]),
        Route(f"{v1}/bots/{{bot}}/versions", rest.put_version, methods=["PUT"]),
        Route(f"{v1}/me", rest.me),
        Route(f"{v1}/ladder", rest.ladder),
        Route(f"{v1}/ladder/standings", rest.standings),
        Route(f"{v1}/ladder/events", events.ladder_events),
        Route(f"{v1}/versions/{{version}}", rest.version),
        Route(f"{v1}/versions/{{version}}/check", rest.check),
        Route(f"{v1}/versions/{{version}}/archive", own_versions.archive),
        Route(f"{v1}/versions/{{version}}/events", events.version_events),
        Route(f"{v1}/orders", rest.post_order, methods=["POST"]),
        Route(f"{v1}/openapi.json", rest.openapi),
        Route("/healthz", rest.health),
        *(Route(f"/assets/{path.rpartition('/')[2]}", _asset(path)) for path in _ASSETS),
        Route("/site", lambda _: RedirectResponse("/site/")),
        Mount("/site", published(folder.site)),
    ]


def _asset(path: str) -> Callable[[Request], Response]:
    def send(_: Request) -> Response:
        file = shipped.folder("reports") / path
        return FileResponse(file, headers={"Cache-Control": "max-age=300"})

    return send


def _on_arena_error(request: Request, error: Exception) -> Response:
    return answer(request, refused(cast("ArenaError", error), 503))


def _on_http_error(request: Request, error: Exception) -> Response:
    http_error = cast("HTTPException", error)
    what = _WORDS.get(http_error.status_code, http_error.detail)
    return answer(request, RequestError(http_error.status_code, what, headers=http_error.headers))


def _on_bug(request: Request, _: Exception) -> Response:
    hint = "try again, and tell the operator: the log of the door has more"
    response = answer(request, RequestError(500, "internal error of the door", hint))
    add_headers(response.headers, request.url.scheme)  # it is made outside of the guard
    return response
