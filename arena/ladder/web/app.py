"""The application of the web door: its routes, its guard, and its answers to errors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.io import shipped
from arena.io.errors import ArenaError
from arena.ladder.folder import Folder
from arena.ladder.web import account, administration, api, author, front, guests
from arena.ladder.web.metrics import metrics
from arena.ladder.web.problems import NOT_FOUND, RequestError, answer, refused
from arena.ladder.web.served import BehindProxy, DoorLimits, Served, client_of, served_by, terms_of
from arena.ladder.web.site import is_embedded, published
from arena.ladder.web.visitors import deletion, forgets_cookie
from arena.ladder.web.wall import wall
from arena.ladder.web.where import Where, path_of, where_of

_WORDS = {404: NOT_FOUND, 405: "this cannot be done with it"}
_SAFE = {"GET", "HEAD", "OPTIONS"}
_NO_FRAME = "frame-ancestors 'none'"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-src 'self'",
        _NO_FRAME,
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_MONITORED = {"/healthz", "/metrics"}
"""Programs beside the door ask for these pages without knowing the door's name."""
_LISTED = {"/", "/welcome", "/live", "/play"}
"""Pages that search engines may list where the operator wants that, beside those of the site."""
_SITE = "/site/"
_CARDS = "/site/cards/"
"""Pictures that other sites may show."""
_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}
_ASSETS = (
    "door/author.css",
    "door/author.js",
    "door/administration.css",
    "door/door.css",
    "door/door.js",
    "door/front.css",
    "door/live.css",
    "door/times.js",
    "door/upload.js",
    "door/wall.css",
    "door/wall.js",
    "style.css",
    "table.css",
)
"""What the pages of the door need beside themselves."""


class Guard:
    """Refuses requests that a page of another site may have made, and adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        served = served_by(request)
        where = where_of(request)
        if request.url.path.startswith(f"{where.path}/"):
            scope["root_path"] = where.path

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                served.answers[message["status"]] += 1
                _complete(MutableHeaders(scope=message), request, message["status"])
            await send(message)

        try:
            _check(request, where, served)
        except RequestError as error:
            await answer(request, error)(scope, receive, send_guarded)
            return
        if request.url.path == where.path:
            await RedirectResponse("/")(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def _complete(headers: MutableHeaders, request: Request, status: int) -> None:
    """Add to an answer what every one has; addresses in it get the path of the door."""
    path = path_of(request)
    add_headers(headers, request.url.scheme)
    if status == 200 and is_embedded(request):
        headers["Content-Security-Policy"] = _POLICY.replace(_NO_FRAME, "frame-ancestors *")
        del headers["X-Frame-Options"]
    if where_of(request).plain:
        # There only `Origin` tells whose page asks, and browsers heed no opener policy.
        headers["Referrer-Policy"] = "same-origin"
        del headers["Cross-Origin-Opener-Policy"]
    if path.startswith(_CARDS):
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if not _is_listed(path, served_by(request)):
        headers["X-Robots-Tag"] = "noindex"
    if forgets_cookie(request):
        headers.setdefault("Set-Cookie", deletion(request))
    if (to := headers.get("location", "")).startswith("/"):
        headers["location"] = where_of(request).path + to


def add_headers(headers: MutableHeaders, scheme: str) -> None:
    """Add what every answer says to browsers."""
    headers.update(_HEADERS)
    if scheme == "https":
        headers.update(_HTTPS)
    headers.setdefault("Cache-Control", "no-store")


def _is_listed(path: str, served: Served) -> bool:
    """Tell whether search engines may list a page."""
    return served.terms.searchable and (path in _LISTED or path.startswith(_SITE))


def _check(request: Request, where: Where, served: Served) -> None:
    """Raise RequestError for a request that is not for the door, or not from its pages."""
    host = request.headers.get("host", "")
    is_monitored = path_of(request) in _MONITORED
    if host.lower() not in where.hosts and not is_monitored:
        raise RequestError(421, "there is nothing under this name here")
    if not (f"{request.url.path}/".startswith(f"{where.path}/") or is_monitored):
        hint = f"the door is at {where.path}/, which a proxy must leave in the path"
        raise RequestError(404, NOT_FOUND, hint)
    if not served.requests.take(client_of(request)):
        raise RequestError(429, "too many requests", "wait a moment", {"Retry-After": "1"})
    if request.method in _SAFE or "authorization" in request.headers:
        return
    # Without a token, only pages of the door may change anything.
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    # Old browsers send no Sec-Fetch-Site.
    if not (site == "same-origin" if site is not None else origin in where.origins):
        hint = "use the pages of the door, or a token: Authorization: Bearer TOKEN"
        raise RequestError(403, "the request was not made by a page of the door", hint)


class _VersionName(Convertor[str]):
    """`mine@1`, or `ann/mine@1`: no other part of an address has an `@`."""

    regex = r"(?:[^/@]+/)?[^/]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("version", _VersionName())
_V1 = "/api/v1"
_FOR_VISITORS = [
    Route("/", front.front),
    Route("/welcome", front.welcome, methods=["GET"]),
    Route("/welcome", front.join, methods=["POST"]),
    Route("/kits/{language}.zip", front.kit),
    Route("/live", front.live),
    Route("/wall", wall),
    Route("/play", guests.offer, methods=["GET"]),
    Route("/play", guests.ask, methods=["POST"]),
    Route("/play/{secret}/", guests.table, methods=["GET"]),
    Route("/play/{secret}/", guests.click, methods=["POST"]),
    Route("/play/{secret}/{file}", guests.file),
    Route("/played/{id}/{path:path}", guests.played),
    Route("/feed/{secret}", account.feed),
]
_FOR_AUTHORS = [
    Route("/link/{secret}", author.link, methods=["GET"]),
    Route("/link/{secret}", author.spend, methods=["POST"]),
    Route("/leave", author.leave, methods=["POST"]),
    Route("/me", author.me),
    Route("/account", account.overview),
    Route("/token", account.token, methods=["POST"]),
    Route("/token", lambda _: RedirectResponse("/account"), methods=["GET"]),
    Route("/account/end", account.end, methods=["POST"]),
    Route("/account/feed", account.new_feed, methods=["POST"]),
    Route("/account/export", account.export),
    Route("/account/delete", account.delete, methods=["POST"]),
    Route("/upload", author.upload, methods=["POST"]),
    Route("/versions/{version:version}", author.version, methods=["GET"]),
    Route("/versions/{version:version}", author.order, methods=["POST"]),
    Route("/private/{author}/{path:path}", author.private),
]
_FOR_ADMINISTRATORS = [
    Route("/administration", administration.overview, methods=["GET"]),
    Route("/administration", administration.order, methods=["POST"]),
    Route("/administration/invite", administration.invite, methods=["POST"]),
    Route("/administration/revoke", administration.revoke, methods=["POST"]),
    Route("/administration/versions/{version:version}", administration.version),
    Route("/administration/people/{author}", administration.person),
    Route("/administration/requests", administration.waiting_requests, methods=["GET"]),
    Route("/administration/requests", administration.decide, methods=["POST"]),
]
_FOR_PROGRAMS = [
    Route(f"{_V1}/bots/{{bot}}/versions", api.put_version, methods=["PUT"]),
    Route(f"{_V1}/me", api.me),
    Route(f"{_V1}/ladder", api.ladder),
    Route(f"{_V1}/ladder/standings", api.standings),
    Route(f"{_V1}/ladder/events", api.ladder_events),
    Route(f"{_V1}/ladder/replays/{{fixture}}/{{game}}", api.replay),
    Route(f"{_V1}/versions/{{version:version}}", api.version),
    Route(f"{_V1}/versions/{{version:version}}/check", api.check),
    Route(f"{_V1}/versions/{{version:version}}/archive", author.archive),
    Route(f"{_V1}/versions/{{version:version}}/why", author.why),
    Route(f"{_V1}/versions/{{version:version}}/games", author.games),
    Route(f"{_V1}/versions/{{version:version}}/events", api.version_events),
    Route(f"{_V1}/orders", api.post_order, methods=["POST"]),
    Route(f"{_V1}/openapi.json", api.openapi),
    Route("/healthz", api.health),
    Route("/metrics", metrics),
]


def _asset(path: str) -> Route:
    """Return the route of a file that the pages of the door need."""

    def send(_: Request) -> Response:
        file = shipped.folder("reports") / path
        return FileResponse(file, headers={"Cache-Control": "max-age=300"})

    return Route(f"/assets/{path.rpartition('/')[2]}", send)


def _font(_: Request) -> Response:
    """Send the display face; the address that pages name has its hash."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(shipped.font_css(), headers=headers, media_type="text/css")


def routes(folder: Folder) -> list[Route | Mount]:
    """Return all routes of a ladder's door."""
    return [
        *_FOR_VISITORS,
        *_FOR_AUTHORS,
        *_FOR_ADMINISTRATORS,
        *_FOR_PROGRAMS,
        *map(_asset, _ASSETS),
        Route("/assets/font.css", _font),
        Route("/site", lambda _: RedirectResponse(_SITE)),
        Mount("/site", published(folder.site)),
    ]


def make_app(
    folder: Folder,
    where: Where,
    limits: DoorLimits | None = None,
    *,
    behind_proxy: bool = False,
) -> Starlette:
    """Return the door of a ladder."""
    served = Served(folder, terms_of(folder), limits or DoorLimits())

    @asynccontextmanager
    async def watching(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(served.watch.run())
        try:
            yield
        finally:
            task.cancel()

    app = Starlette(
        routes=routes(folder),
        middleware=[*([Middleware(BehindProxy)] if behind_proxy else []), Middleware(Guard)],
        exception_handlers={
            ArenaError: _on_arena_error,
            HTTPException: _on_http_error,
            Exception: _on_bug,
        },
        lifespan=watching,
    )
    app.state.served = served
    app.state.where = where
    return app


def _on_arena_error(request: Request, error: Exception) -> Response:
    return answer(request, refused(cast("ArenaError", error), 503))


def _on_http_error(request: Request, error: Exception) -> Response:
    http_error = cast("HTTPException", error)
    what = _WORDS.get(http_error.status_code, http_error.detail)
    return answer(request, RequestError(http_error.status_code, what, headers=http_error.headers))


def _on_bug(request: Request, _: Exception) -> Response:
    hint = "try again, and tell the operator: the log of the door has more"
    response = answer(request, RequestError(500, "internal error of the door", hint))
    served_by(request).answers[500] += 1
    add_headers(response.headers, request.url.scheme)  # it is made outside of the guard
    return response
