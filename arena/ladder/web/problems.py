"""What is refused: the same what / where / hint as at the terminal, with a status of HTTP."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from math import ceil

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.io.errors import ArenaError
from arena.ladder.book.book_file import BusyError, FileError
from arena.ladder.door.api import MIME, Problem
from arena.ladder.door.door import NoRoomError, QuotaError
from arena.ladder.web.templates import page
from arena.ladder.web.where import path_of

NOT_FOUND = "there is no such page here"
_TELL = "try again later, and tell the operator: the log of the door has more"
_log = logging.getLogger(__name__)
_SOON = "5"
"""Seconds after which a file that was in use is tried again."""
_LATER = "600"
"""Seconds after which there may be room: submissions are removed an hour after their check."""
_HEADINGS = {
    401: "Log in first",
    403: "Not allowed",
    404: "Nothing here",
    413: "Too large",
    429: "Too much at once",
    503: "Not at the moment",
    507: "No room at the moment",
}


class RequestError(ArenaError):
    """A request that is not carried out."""

    def __init__(
        self, status: int, what: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(what, hint=hint)
        self.status = status
        self.headers = dict(headers or {})


def refused(error: ArenaError, status: int = 409) -> RequestError:
    """Return an error of the ladder without the paths of its machine."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, QuotaError):
        seconds = max(1, ceil(error.until - time.time()))
        return RequestError(429, error.what, error.hint, {"Retry-After": str(seconds)})
    if isinstance(error, NoRoomError):
        code = 429 if error.of_sender else 507
        return RequestError(code, error.what, error.hint, {"Retry-After": _LATER})
    if isinstance(error, BusyError):
        return RequestError(503, error.what, error.hint, {"Retry-After": _SOON})
    if isinstance(error, FileError):
        _log.error("%s", error)
        return RequestError(503, "the door cannot use its files", _TELL)
    return RequestError(status, error.what, error.hint)


@contextmanager
def refusing(status: int = 409) -> Iterator[None]:
    """Answer with `refused` what the ladder refuses."""
    try:
        yield
    except ArenaError as error:
        raise refused(error, status) from None


def answer(request: Request, error: RequestError) -> Response:
    """Return problem details (RFC 9457) to programs, a page to people."""
    where = path_of(request)
    title = HTTPStatus(error.status).phrase
    problem = Problem(
        title=title,
        status=error.status,
        detail=" / ".join(filter(None, (error.what, where, error.hint))),
        what=error.what,
        where=where,
        hint=error.hint,
    )
    if for_programs(where):
        body, kind = msgspec.json.encode(problem), MIME
        return Response(body, error.status, error.headers, kind)
    text = page(request, "problem.html", problem=problem, heading=heading(error.status))
    return Response(text, error.status, error.headers, "text/html; charset=utf-8")


def heading(status: int) -> str:
    """Return what went wrong, in a few words for people."""
    return _HEADINGS.get(status, "This did not work")


def for_programs(path: str) -> bool:
    """Tell whether what is at a path is read by programs."""
    return path.split("/")[1] in {"api", "healthz", "metrics"}
