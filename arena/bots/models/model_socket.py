"""The socket of one bot's process: HTTP over a UNIX stream socket, for its models alone."""

import os
import socket as sockets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from arena.bots.models.chat import (
    MAX_BODY,
    Asked,
    CapReachedError,
    Completion,
    RequestError,
    completion_body,
    models_body,
    read_request,
)
from arena.game.records import DecidedBy, Decision

NAME = "socket"
_CONNECTIONS = 8
"""Connections of a bot at a time; more of them wait."""
_LOOK_SECONDS = 0.5
"""Time between looks whether the socket was closed, while all connections are in use."""
_IDLE_SECONDS = 60.0
"""Time without a byte after which a connection is closed."""
_MOST_DISCARDED = 1 << 24
"""Bytes that are read of a request that is refused for its length."""
_ASK = "/v1/chat/completions"
_LIST = "/v1/models"


class Caller(NamedTuple):
    """Who asks at a socket."""

    seat: int
    bot: str
    granted: tuple[str, ...]
    """The models that it may ask."""


class Turn(NamedTuple):
    """The decision for which a bot asks a model."""

    game: int
    round: int
    number: int
    """The id of the request."""
    bids: int
    """How many bids of the round were made before."""


class _Request(Struct, frozen=True):
    round: int = 0
    bids: tuple[msgspec.Raw, ...] = ()


_requests = msgspec.json.Decoder(_Request)
_ASKED: dict[object, int] = {DecidedBy.MODEL: 1, DecidedBy.RETRY: 2}
"""Answers of models that a decision needs, by who made it as the bot says."""
Answerer = Callable[["ModelSocket", Asked], tuple[int, Completion]]
"""Answers a request with a number and a completion; raises RequestError."""


class ModelSocket:
    """Listens at `path`, alone in its folder, as long as its bot's process lives."""

    def __init__(
        self, folder: Path, caller: Caller, answer: Answerer, now: Callable[[], float]
    ) -> None:
        self.path = folder / NAME
        self.caller = caller
        self.waits = Waits(now)
        self._answer = answer
        self.decisions: list[Decision] = []
        """Who made the decisions of the bot."""
        self._open: dict[int, tuple[int, bytes]] = {}
        self._lock = Lock()
        self._unspent = 0
        """Answers of models that no decision was credited with."""
        self._capped: set[int] = set()
        """The ids of the open requests for which a cap refused to ask a model."""
        self._server = _Server(self.path, self)
        # Bots are other users; only their own sandbox shows them the folder.
        self.path.chmod(0o666)
        self.closed = False
        Thread(target=self._serve, daemon=True).start()

    @property
    def turn(self) -> Turn | None:
        """The oldest request that the bot has to answer, None if there is none."""
        for id_ in [*self._open]:
            if turn := self._turn(id_):
                return turn
        return None

    def _turn(self, id_: int) -> Turn | None:
        game, line = self._open.get(id_, (0, b""))
        with suppress(msgspec.MsgspecError):
            request = _requests.decode(line)
            return Turn(game, request.round, id_, len(request.bids))
        return None

    def asked(self, id_: int, game: int, line: bytes) -> None:
        """Take note that the bot was asked for an answer in a game."""
        self._open[id_] = game, line
        self.waits.begin_answer()

    def answered(self, id_: int, by: str | UnsetType = UNSET) -> None:
        """Take note that it answered, and who decided, as it says."""
        if turn := self._turn(id_):
            decided = self._decided(id_, by)
            self.decisions.append(
                Decision(self.caller.seat, turn.game, turn.round, id_, turn.bids, decided)
            )
        self._open.pop(id_, None)
        if not self._open:
            self._unspent = 0
        self.waits.begin_answer()

    def _decided(self, id_: int, by: str | UnsetType) -> DecidedBy:
        """Return who decided, as the bot says if models answered it often enough.

        A bot with several open requests may use what models answer for any of them, so each
        answer counts for one decision, and no matter which.
        """
        capped = id_ in self._capped
        self._capped.discard(id_)
        with self._lock:
            if by in _ASKED and self._unspent:
                asked = min(self._unspent, _ASKED[by])
                self._unspent -= asked
                return DecidedBy.RETRY if asked > 1 else DecidedBy.MODEL
            if capped:
                return DecidedBy.CAPPED
            return DecidedBy.UNSAID if by is UNSET and self._unspent else DecidedBy.FALLBACK

    def answer(self, asked: Asked) -> bytes:
        """Return the body for a request; raises RequestError."""
        turn = self.turn
        try:
            with self.waits.holding():
                number, completion = self._answer(self, asked)
        except CapReachedError:
            if turn:
                self._capped.add(turn.number)
            raise
        with self._lock:
            self._unspent += 1
        return completion_body(asked.model, number, completion)

    def close(self) -> None:
        """Take no more connections."""
        if not self.closed:
            self.closed = True
            # It wakes the thread that waits for a connection.
            with suppress(OSError):
                self._server.socket.shutdown(sockets.SHUT_RDWR)

    def _serve(self) -> None:
        while not self.closed:
            self._server.handle_request()
        self._server.server_close()


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024

    def __init__(self, path: Path, owner: ModelSocket) -> None:
        self.owner = owner
        self._places = BoundedSemaphore(_CONNECTIONS)
        # By way of its folder's descriptor: the path of a socket has 107 bytes at most.
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            super().__init__(f"/proc/self/fd/{folder}/{path.name}", _Handler)
        finally:
            os.close(folder)

    def process_request(self, request: Any, client_address: Any) -> None:
        while not self._places.acquire(timeout=_LOOK_SECONDS):
            if self.owner.closed:
                self.shutdown_request(request)
                return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a bot that hangs up harms itself alone."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "arena", ""
    timeout = _IDLE_SECONDS

    def address_string(self) -> str:
        return "bot"

    def log_message(self, *_: object) -> None:
        """Do not log requests."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse another method or protocol, in OpenAI's form."""
        del explain
        self.close_connection = True
        self._refuse(RequestError(code, "not_supported", message or "not supported"))

    def do_GET(self) -> None:
        if self.path != _LIST:
            self._refuse(self._unknown())
        else:
            self._send(200, models_body(self.server.owner.caller.granted))

    def do_POST(self) -> None:
        try:
            body = self._read_body()
            if self.path != _ASK:
                raise self._unknown()
            answer = self.server.owner.answer(read_request(body))
        except RequestError as refusal:
            self._refuse(refusal)
        else:
            self._send(200, answer)

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 12):
            self.close_connection = True
            raise RequestError(411, "no_length", "a request needs a Content-Length")
        if int(length) > MAX_BODY:
            # Clients that have to write on would not come to read the refusal.
            self.close_connection = True
            left = min(int(length), _MOST_DISCARDED)
            while left > 0 and (piece := self.rfile.read(min(left, MAX_BODY))):
                left -= len(piece)
            what = f"a request has at most {MAX_BODY:,} bytes, not {int(length):,}"
            raise RequestError(413, "too_large", what)
        return self.rfile.read(int(length))

    def _unknown(self) -> RequestError:
        what = f"there is no {self.command} {self.path[:80]!a}: only POST {_ASK} and GET {_LIST}"
        return RequestError(404, "unknown_route", what)

    def _refuse(self, refusal: RequestError) -> None:
        self._send(refusal.status, refusal.body())

    def _send(self, status: int, body: bytes) -> None:
        with suppress(sockets.error):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)


class _Span:
    """Counts the seconds in which at least one request was at some place."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._inside = 0
        self._since = 0.0
        self._seconds = 0.0

    def enter(self) -> None:
        if not self._inside:
            self._since = self._now()
        self._inside += 1

    def leave(self, *, counts: bool) -> None:
        self._inside -= 1
        if not self._inside and counts:
            self._seconds += max(0.0, self._now() - self._since)

    def seconds(self) -> float:
        running = self._now() - self._since if self._inside else 0.0
        return self._seconds + max(0.0, running)


class Waits:
    """How long one bot waits for its models, with any number of requests at a time.

    `held` is how long the gateway had a request of the bot: in that time the bot's own clock stands
    still. `for_answer` is the part in which a server worked for the answer that the bot is to give,
    without queues and failed attempts: `limits.model` limits it.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._lock = Lock()
        self._held = _Span(now)
        self._served = _Span(now)
        self._before = 0.0
        """Seconds in which servers worked for earlier answers."""

    @property
    def held(self) -> float:
        """Seconds in all so far."""
        with self._lock:
            return self._held.seconds()

    @property
    def for_answer(self) -> float:
        """Seconds since `begin_answer`; an attempt counts until it fails."""
        with self._lock:
            return self._served.seconds() - self._before

    def begin_answer(self) -> None:
        """Take note that the bot begins with another answer."""
        with self._lock:
            self._before = self._served.seconds()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Count the time of a request."""
        with self._lock:
            self._held.enter()
        try:
            yield
        finally:
            with self._lock:
                self._held.leave(counts=True)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Count the time of an attempt, unless it raises something."""
        with self._lock:
            self._served.enter()
        counts = False
        try:
            yield
            counts = True
        finally:
            with self._lock:
                self._served.leave(counts=counts)
