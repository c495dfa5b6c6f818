"""The server of one table: this machine alone, a secret in the address, forms of its own page.

It is the standard library's: one person, one page and a few files need no framework, and so
`arena play --me --web` works without an extra.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from socket import socket
from sys import exception
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from arena.author.web_table.page import closed_html, table_html
from arena.author.web_table.person import WebPerson
from arena.io import shipped
from arena.io.container import own_address
from arena.io.files import os_errors
from arena.io.text import whole_number

_HOST = "127.0.0.1"
"""The host in the page's address, on the person's own machine."""
_POLL = 20.0
"""Seconds that a request waits for a change."""
_IDLE = 60.0
"""Seconds that a connection may say nothing."""
_MAX_FORM = 1000
"""Bytes of a form, at most."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; font-src data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer a browser sends no origin with a form.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_LAST_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:;"
    " frame-ancestors 'none'"
)
"""The policy of the last page, which may load nothing: the server is gone."""


class TableServer(ThreadingHTTPServer):
    """Serves the page of one person; it listens as soon as it is made."""

    def __init__(self, person: WebPerson, port: int = 0) -> None:
        """`port` 0 is any that is free; raises ArenaError for one that cannot be had."""
        self.person = person
        self.secret = token_urlsafe(32)
        hint = "choose another with --port"
        with os_errors("no page can be served there", f"port {port}", hint):
            super().__init__((own_address(), port), _Handler)

    @property
    def hosts(self) -> set[str]:
        """The values of `Host` that are answered: no name that somebody else may point here."""
        return {f"{name}:{self.server_port}" for name in (_HOST, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{_HOST}:{self.server_port}/{self.secret}/"

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Be silent about connections that were closed: tabs are."""
        if not isinstance(exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def serving(server: TableServer) -> Iterator[TableServer]:
    """Serve in a thread of its own."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    with server:
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: TableServer
    timeout = _IDLE

    def do_GET(self) -> None:  # as the library calls it
        if (name := self._path()) is None:
            return
        if not name:
            self._show()
        elif name == "font.css":
            self._send(shipped.font_css(), "text/css")
        elif name in shipped.FILES_OF_A_TABLE:
            kind = "text/javascript" if name.endswith(".js") else "text/css"
            self._send(_file(name), kind)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:  # as the library calls it
        name = self._path()
        if name is None:
            return
        if self.headers.get("Origin") != f"http://{self.headers['Host']}":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif name:
            self._refuse(HTTPStatus.NOT_FOUND)
        else:
            self._act()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as the library's
        """Say nothing: the terminal is for the games."""

    def _path(self) -> str | None:
        """Return the path behind the secret; None if the request was refused."""
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        path, prefix = urlsplit(self.path).path, f"/{self.server.secret}/"
        if not compare_digest(path[: len(prefix)].encode(), prefix.encode()):
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        return path[len(prefix) :]

    def _show(self) -> None:
        """Send the page, or that nothing changed since that of the number `after`."""
        after = parse_qs(urlsplit(self.path).query).get("after", [""])[0]
        shown = self.server.person.shown(whole_number(after), _POLL)
        if shown is None:
            self._answer(HTTPStatus.NO_CONTENT, {})
        else:
            self._send(table_html(shown))

    def _act(self) -> None:
        form = self._form()
        if form is None:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        number, move = form
        shown = self.server.person.shown()
        if move == "leave":
            # Leaving ends the command, so the last page is sent before.
            stored = shown is not None and shown.over
            self._send(closed_html(stored=stored), policy=_LAST_POLICY)
            self.wfile.flush()
            self.server.person.leave()
            return
        self.server.person.act(number, move)
        self._answer(HTTPStatus.SEE_OTHER, {"Location": f"/{self.server.secret}/"})

    def _form(self) -> tuple[int, str] | None:
        length = whole_number(self.headers.get("Content-Length", ""))
        if length is None or length > _MAX_FORM:
            return None
        form = parse_qs(self.rfile.read(length).decode("ascii", "replace"))
        number = whole_number(form.get("number", [""])[0])
        return None if number is None else (number, form.get("move", [""])[0])

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(f"{status.phrase}\n", "text/plain", status)

    def _send(
        self,
        text: str,
        kind: str = "text/html",
        status: HTTPStatus = HTTPStatus.OK,
        policy: str = _POLICY,
    ) -> None:
        body = text.encode()
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy,
        }
        self._answer(status, headers)
        self.wfile.write(body)

    def _answer(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()


@cache
def _file(name: str) -> str:
    path = shipped.folder("reports") / shipped.FILES_OF_A_TABLE[name]
    return path.read_text(encoding="utf-8")
