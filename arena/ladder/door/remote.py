"""Submitting a bot to a ladder over HTTP, and following what becomes of it."""

import os
import ssl
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, quote

import msgspec
from msgspec import Struct

from arena.bots.folder import canonical
from arena.io.errors import ArenaError
from arena.ladder.book.names import check_name, is_called
from arena.ladder.book.tables import WAITING, CheckResult
from arena.ladder.door.address import door_address
from arena.ladder.door.api import EVENTS, LogLine, Problem, Receipt, VersionInfo
from arena.ladder.door.submit import read_bot

_Answer = TypeVar("_Answer")
_VARIABLE = "ARENA_TOKEN"
_GET_A_TOKEN = "make one on the page 'Account' of the door"  # noqa: S105 - a hint
_TIMEOUT = 90.0
_PAUSE = 2.0
_TRIES = 10
"""How often the events are asked for again, one after another, when they break off."""
_MOST = 65_536
"""Bytes that are read of an answer, and of a line of events."""
_MOST_EVENTS = 1_048_576
"""Bytes that are read of all events of a version, and of the result of its check."""
_SHOWN = 500
"""Characters that are shown of each part of a refusal."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_LOCAL = {"localhost", "127.0.0.1", "::1"}


def is_url(target: str) -> bool:
    """Tell whether a ladder is reached over HTTP."""
    return target.startswith(("https://", "http://"))


def token_file() -> Path:
    """Return where the token is looked for if it is not in ARENA_TOKEN."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(home).expanduser() / "arena" / "token"


def read_token() -> str:
    """Return the token for the command line; raises ArenaError if there is none, or all read it."""
    if token := os.environ.get(_VARIABLE, "").strip():
        return _sendable(token, _VARIABLE)
    path = token_file()
    try:
        with path.open(encoding="ascii") as file:
            mode = os.fstat(file.fileno()).st_mode
            token = file.read(1_000).strip()
    except (OSError, ValueError):
        raise ArenaError("there is no token", f"{_VARIABLE} or {path}", _GET_A_TOKEN) from None
    if mode & 0o077:
        raise ArenaError("other users may read the token", str(path), f"chmod 600 {path}")
    return _sendable(token, str(path))


def _sendable(token: str, where: str) -> str:
    if not (token.isascii() and token.isprintable() and " " not in token and token):
        raise ArenaError("this is not a token", where, _GET_A_TOKEN)
    return token


class Remote:
    """The door of a ladder at a URL."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._parts = _parts(url)
        self._heard = 0
        """Bytes of events that came so far."""

    def submit(self, source: Path, note: str = "") -> Receipt:
        """Submit a bot's folder or archive; returns when it is on the disk to stay.

        Raises ArenaError if it is no bot, if it is refused, or if the door cannot be reached.
        """
        bot = read_bot(source)
        check_name(bot.name, "on a ladder the name of a bot")
        content = canonical(bot)
        digest = b64encode(sha256(content).digest()).decode()
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Digest": f"sha-256=:{digest}:",
        }
        path = f"/api/v1/bots/{bot.name}/versions" + (f"?note={quote(note)}" if note else "")
        with closing(self._connection()) as connection:
            body = self._ask(connection, "PUT", path, headers, content).read(_MOST)
        receipt = self._decoded(body, Receipt)
        name, _, number = receipt.version.rpartition("@")
        if not (is_called(name, bot.name) and number.isascii() and number.isdigit()):
            raise self._unreadable()
        return receipt

    def check_result(self, version: str) -> CheckResult | None:
        """Return the result of the last check of a version.

        None if the door has none, or cannot be reached any more: the verdict is known then. Raises
        ArenaError for an answer that cannot be read.
        """
        path = f"/api/v1/versions/{version}/check"
        try:
            with closing(self._connection()) as connection:
                body = self._ask(connection, "GET", path, {}).read(_MOST_EVENTS)
        except (ArenaError, OSError, HTTPException):
            return None
        return self._decoded(body, CheckResult)

    def follow(self, version: str) -> Iterator[LogLine | VersionInfo]:
        """Yield the log of a version and how it is, until its check is over or no ladder runs."""
        last = 0
        tries = 0
        while True:
            try:
                for event in self._events(version, last):
                    tries = 0
                    if isinstance(event, LogLine):
                        last = event.n
                        yield event
                    elif isinstance(event, VersionInfo):
                        yield event
                        if event.state not in WAITING or not event.running:
                            return
            except (OSError, HTTPException):
                tries += 1
            if tries > _TRIES:
                hint = f"{version} is received all the same: look at its page"
                raise ArenaError("the door does not answer any more", self._url, hint)
            time.sleep(_PAUSE)

    def _events(self, version: str, last: int) -> Iterator[Struct]:
        path = f"/api/v1/versions/{version}/events"
        name = ""
        with closing(self._connection()) as connection:
            response = self._ask(connection, "GET", path, {"Last-Event-ID": str(last)})
            while line := response.readline(_MOST):
                self._heard += len(line)
                if len(line) == _MOST:
                    raise self._unreadable()
                if self._heard > _MOST_EVENTS:
                    hint = "look at the version's page"
                    raise ArenaError("the door says too much", self._url, hint)
                key, _, value = line.strip().partition(b": ")
                if key == b"event":
                    name = value.decode("ascii", "replace")
                elif key == b"data" and name in EVENTS:
                    yield self._decoded(value, EVENTS[name].payload)

    def _connection(self) -> HTTPConnection:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return HTTPConnection(host, self._parts.port, timeout=_TIMEOUT)
        context = ssl.create_default_context()
        return HTTPSConnection(host, self._parts.port, timeout=_TIMEOUT, context=context)

    def _ask(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
    ) -> HTTPResponse:
        """Send a request; raises ArenaError for what is refused."""
        known = {"Authorization": f"Bearer {self._token}", **headers}
        broken = None
        try:
            try:
                connection.request(method, self._parts.path + path, body, known)
            except (BrokenPipeError, ConnectionResetError) as error:
                broken = error  # it was refused before all was sent
            response = connection.getresponse()
        except (OSError, HTTPException) as error:
            if method == "GET":
                raise
            what = f"the door cannot be reached: {broken or error}"
            raise ArenaError(what, self._url, "look whether arena serve runs") from None
        if response.status >= 300:
            raise self._refusal(response)
        return response

    def _refusal(self, response: HTTPResponse) -> ArenaError:
        try:
            problem = msgspec.json.decode(response.read(_MOST), type=Problem)
        except _UNREADABLE:
            what = f"it answers {response.status} {response.reason[:_SHOWN]}"
            return ArenaError(what, self._url, "name the address of a door")
        return ArenaError(problem.what[:_SHOWN], self._url, problem.hint[:_SHOWN])

    def _decoded(self, body: bytes, kind: type[_Answer]) -> _Answer:
        try:
            return msgspec.json.decode(body, type=kind)
        except _UNREADABLE:
            raise self._unreadable() from None

    def _unreadable(self) -> ArenaError:
        hint = "use the arena of the same version"
        return ArenaError("its answer cannot be read", self._url, hint)


def _parts(url: str) -> SplitResult:
    """Take a URL apart; raises ArenaError for one to which no token may be sent."""
    parts = door_address(url, "--to")
    if parts.scheme == "http" and parts.hostname not in _LOCAL:
        raise ArenaError("the token would be sent as plain text", url, "use https://")
    return parts
