"""The addresses of the web door."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from arena.io import shipped
from arena.ladder.folder import Folder
from arena.ladder.web.administration import actions, requests
from arena.ladder.web.api import events, rest
from arena.ladder.web.author import account, export, feed, pages, versions
from arena.ladder.web.site import published
from arena.ladder.web.visitor import front, guests, welcome

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
    "style.css",
)
"""What the pages of the door need beside themselves."""


def routes(folder: Folder) -> list[Route | Mount]:
    """Return all routes of a ladder's door."""
    return [
        *_of_visitors(),
        *_of_authors(),
        *_of_administrators(),
        *_of_programs(),
        *(Route(f"/assets/{path.rpartition('/')[2]}", _asset(path)) for path in _ASSETS),
        Route("/site", lambda _: RedirectResponse("/site/")),
        Mount("/site", published(folder.site)),
    ]


def _of_visitors() -> list[Route]:
    return [
        Route("/", front.front),
        Route("/welcome", welcome.welcome, methods=["GET"]),
        Route("/welcome", welcome.join, methods=["POST"]),
        Route("/kits/{language}.zip", welcome.kit),
        Route("/live", front.live),
        Route("/play", guests.offer, methods=["GET"]),
        Route("/play", guests.ask, methods=["POST"]),
        Route("/play/{secret}/", guests.table, methods=["GET"]),
        Route("/play/{secret}/", guests.click, methods=["POST"]),
        Route("/play/{secret}/{file}", guests.file),
        Route("/played/{id}/{path:path}", guests.played),
        Route("/feed/{secret}", feed.feed),
    ]


def _of_authors() -> list[Route]:
    return [
        Route("/link/{secret}", pages.link, methods=["GET"]),
        Route("/link/{secret}", pages.spend, methods=["POST"]),
        Route("/leave", pages.leave, methods=["POST"]),
        Route("/me", pages.me),
        Route("/account", account.overview),
        Route("/token", account.token, methods=["POST"]),
        Route("/token", lambda _: RedirectResponse("/account"), methods=["GET"]),
        Route("/account/end", account.end, methods=["POST"]),
        Route("/account/feed", account.feed, methods=["POST"]),
        Route("/account/export", export.export),
        Route("/account/delete", account.delete, methods=["POST"]),
        Route("/upload", pages.upload, methods=["POST"]),
        Route("/versions/{version}", pages.version, methods=["GET"]),
        Route("/versions/{version}", versions.order, methods=["POST"]),
        Route("/private/{author}/{path:path}", pages.private),
    ]


def _of_administrators() -> list[Route]:
    return [
        Route("/administration", actions.overview, methods=["GET"]),
        Route("/administration", actions.order, methods=["POST"]),
        Route("/administration/invite", actions.invite, methods=["POST"]),
        Route("/administration/revoke", actions.revoke, methods=["POST"]),
        Route("/administration/versions/{version}", actions.version),
        Route("/administration/people/{author}", actions.person),
        Route("/administration/requests", requests.overview, methods=["GET"]),
        Route("/administration/requests", requests.decide, methods=["POST"]),
    ]


def _of_programs() -> list[Route]:
    v1 = "/api/v1"
    return [
        Route(f"{v1}/bots/{{bot}}/versions", rest.put_version, methods=["PUT"]),
        Route(f"{v1}/me", rest.me),
        Route(f"{v1}/ladder", rest.ladder),
        Route(f"{v1}/ladder/standings", rest.standings),
        Route(f"{v1}/ladder/events", events.ladder_events),
        Route(f"{v1}/versions/{{version}}", rest.version),
        Route(f"{v1}/versions/{{version}}/check", rest.check),
        Route(f"{v1}/versions/{{version}}/archive", versions.archive),
        Route(f"{v1}/versions/{{version}}/events", events.version_events),
        Route(f"{v1}/orders", rest.post_order, methods=["POST"]),
        Route(f"{v1}/openapi.json", rest.openapi),
        Route("/healthz", rest.health),
    ]


def _asset(path: str) -> Callable[[Request], Response]:
    def send(_: Request) -> Response:
        file = shipped.folder("reports") / path
        return FileResponse(file, headers={"Cache-Control": "max-age=300"})

    return send
