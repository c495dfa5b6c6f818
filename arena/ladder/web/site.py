"""The published site, as the door serves it: under its header, compressed, kept by browsers.

Its front page is that of the door.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from os import PathLike, stat_result
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import see_other
from arena.ladder.web.templates import page
from arena.ladder.web.visitors import session_word, visitor_of
from arena.ladder.web.where import path_of, where_of

_ASK_AGAIN = "no-cache"
_LEVEL = 5
"""The level of gzip: higher ones take twice the time for a hundredth less."""
_NO_GZIP = re.compile(rb"gzip\s*;\s*q=0(\.0*)?\s*(?=,|$)", re.IGNORECASE)
_FRONT = {".", "index.html"}
_SEASONS = "seasons/"
"""Sites of closed seasons: they keep their own menu below that of the door."""
_POLICIES = re.compile(r'<meta (?:http-equiv="Content-Security-Policy"|name="referrer")[^>]*>\n?')
"""The door sends its own, by which its forms work."""
_FONT = re.compile(r'href="[^"]*font\.css\?')
"""All pages at the door take the same one, which browsers keep."""
REPLAY = "replay.html"
_HEADER = re.compile(r'<header class="site">(.*?)</header>', re.DOTALL)


def is_embedded(request: Request) -> bool:
    """Tell whether a replay is asked for as other pages show it: they may, and it has no forms."""
    path = path_of(request)
    of_site = path.startswith("/site/") and path.rpartition("/")[2] == REPLAY
    return of_site and "embed" in request.query_params


def published(site: Path) -> ASGIApp:
    """Return the application that serves the site in a folder, which need not be there yet."""
    # A site has links to those of closed seasons beside it.
    files = _Site(directory=site, html=True, check_dir=False, follow_symlink=True)
    compressed = GZipMiddleware(files, compresslevel=_LEVEL)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await compressed({**scope, "headers": list(_meant(scope["headers"]))}, receive, send)

    return answer


def _meant(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield headers as Starlette reads them: it takes `gzip;q=0` for gzip, and only byte ranges.

    A range in other units is ignored (RFC 9110, section 14.2).
    """
    for name, value in headers:
        if name == b"range" and not value.lower().startswith(b"bytes="):
            continue
        yield name, _NO_GZIP.sub(b"", value) if name == b"accept-encoding" else value


def framed(request: Request, text: str, *, own_menu: bool = False) -> str:
    """Return a page of the site, or one that the ladder wrote for an author, as one of the door.

    With `own_menu` its menu stays, below that of the door.
    """
    known = page(request, "frame.html", site_page="" if own_menu else text)
    head, header = known.split("<!-- body -->\n")
    text = _POLICIES.sub("", text, count=2)
    text = _FONT.sub(f'href="{where_of(request).path}/assets/font.css?', text, count=1)
    text = text.replace("</head>", f"{head}</head>", 1)
    match = _HEADER.search(text)
    if match is None:
        dice = page(request, "dice.html")
        return text.replace("<body>", f"<body>\n{dice}\n{header}", 1)
    kept = f'<div class="site season">{match[1]}</div>' if own_menu else ""
    return f"{text[: match.start()]}{header}{kept}{text[match.end() :]}"


class _Site(StaticFiles):
    async def check_config(self) -> None:
        """Take the folder as it is: it comes with the first publication."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of the site; pages are framed."""
        if path in _FRONT:
            return see_other("/")
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code == 404 and not Path(str(self.directory)).is_dir():
                raise RequestError(
                    404, "nothing is published yet", "results come after the first games"
                ) from None
            raise
        if isinstance(response, FileResponse) and Path(response.path).suffix == ".html":
            request = Request(scope)
            return await run_in_threadpool(_page, request, Path(response.path), path)
        return response

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return a file, or that it is the one that the browser has."""
        if Path(full_path).suffix == ".html":  # it depends on who asks
            return FileResponse(full_path, status_code, stat_result=stat)
        response = super().file_response(full_path, stat, scope, status_code)
        response.headers["Cache-Control"] = _ASK_AGAIN
        # The same tag stands for compressed and plain bytes: it is a weak one.
        response.headers["ETag"] = f"W/{response.headers['ETag']}"
        return response


def _page(request: Request, file: Path, path: str) -> Response:
    """Return a page under the header of whoever asks, or that it is the one that they have."""
    if is_embedded(request):
        return FileResponse(file, headers={"Cache-Control": _ASK_AGAIN})
    if session_word(request) and "authorization" not in request.headers:
        visitor_of(request)
    text = file.read_text(encoding="utf-8")
    content = framed(request, text, own_menu=path.startswith(_SEASONS)).encode()
    tag = f'W/"{sha256(content).hexdigest()[:32]}"'
    headers = {"Cache-Control": f"private, {_ASK_AGAIN}", "Vary": "Cookie", "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    return Response(content, headers=headers, media_type="text/html")
