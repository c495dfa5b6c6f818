"""The application: its routes, its guard, and its answers to errors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from arena.io.errors import ArenaError
from arena.ladder.folder import Folder
from arena.ladder.web.access.addresses import BehindProxy
from arena.ladder.web.access.guard import Guard, add_headers
from arena.ladder.web.problems import NOT_FOUND, RequestError, answer, refused
from arena.ladder.web.routes import routes
from arena.ladder.web.served import DoorLimits, Served, terms_of

_WORDS = {404: NOT_FOUND, 405: "this cannot be done with it"}


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
    add_headers(response.headers, request.url.scheme)  # it is made outside of the guard
    return response
