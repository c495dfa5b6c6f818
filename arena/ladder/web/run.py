"""The door as a process, alone or beside the ladder: its address, how it begins and ends."""

import asyncio
import ipaddress
import logging
import os
import re
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import h11
import uvicorn
from msgspec import Struct
from msgspec.structs import replace
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.io.job import Job, JobDiedError
from arena.io.rare_log import log_rarely
from arena.io.signals import ignored
from arena.ladder.door.access import Secrets
from arena.ladder.door.address import note_address
from arena.ladder.folder import Folder, held
from arena.ladder.web.app import make_app
from arena.ladder.web.served import DoorLimits, terms_of
from arena.ladder.web.uploads import forget_parts
from arena.ladder.web.where import Where

_USUAL_PORTS = {"http": ":80", "https": ":443"}
"""What clients may leave out (RFC 9110, section 4.2)."""
_PORT = re.compile(r":\d+$")
_GRACE = 10
"""Seconds that requests have to end when the door is stopped."""
_END = 2.0 * _GRACE
"""Seconds that a door beside the ladder has to end."""

Say = Callable[[str], None]


class Address(Struct, frozen=True, kw_only=True):
    """Where the door listens."""

    host: str = "127.0.0.1"
    port: int = 8500
    url: str = ""
    """Where browsers reach it, also below a path; "" if that is where it listens."""
    behind_proxy: bool = False
    certificate: Path | None = None
    key: Path | None = None
    plain_http: bool = False
    """Whether links and sessions may cross a private network as plain text."""

    @property
    def base(self) -> str:
        """Return the address that is printed and opened."""
        if self.url:
            return self.url.rstrip("/")
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def path(self) -> str:
        """Return the path below which everything is, as `/perudo`; "" if it is the whole host's."""
        return urlsplit(self.base).path

    def origins(self) -> frozenset[str]:
        """Return the addresses under which browsers may ask, with the usual port or without."""
        parts = urlsplit(self.base)
        scheme, host = parts.scheme, parts.netloc.lower()
        hosts = {host}
        if _is_loopback(_host_of(self.base)):
            port = _PORT.search(host)
            hosts |= {f"{name}{port[0] if port else ''}" for name in ("localhost", "127.0.0.1")}
        usual = _USUAL_PORTS.get(scheme, "")
        bare = {host.removesuffix(usual) for host in hosts}
        with_port = {host if _PORT.search(host) else host + usual for host in bare}
        return frozenset(f"{scheme}://{host}" for host in bare | with_port)


def serve(folder: Folder, address: Address, say: Say) -> None:
    """Serve until SIGINT or SIGTERM, on the cores that the workers of the ladder leave.

    Raises ArenaError if it cannot.
    """
    log_rarely(logging.WARNING)
    with opened(folder, address) as door:
        if spare := terms_of(folder).spare_cores:
            os.sched_setaffinity(0, spare)
        say(f"the door is open: {door.base}")
        with suppress(KeyboardInterrupt):  # the signal that ended it comes once more
            door.run()


class Opened:
    """A door that listens."""

    def __init__(
        self, folder: Folder, address: Address, limits: DoorLimits, listening: socket.socket
    ) -> None:
        self.base = address.base
        self.port = address.port
        self._listening = listening
        where = Where(address.origins(), address.path, plain=address.plain_http)
        app = make_app(folder, where, limits, behind_proxy=address.behind_proxy)
        self._server = _Server(_config(app, address, limits))

    def run(self) -> None:
        """Answer until it is stopped."""
        self._server.run([self._listening])

    def stop(self) -> None:
        """Finish what was begun, and end."""
        self._server.should_exit = True


@contextmanager
def opened(folder: Folder, address: Address, limits: DoorLimits | None = None) -> Iterator[Opened]:
    """Open the door of a ladder; raises ArenaError if that cannot be."""
    _check(address)
    taken = ArenaError("another door is open here", str(folder.root), "one is enough")
    with (
        held(folder.inbox, taken),
        _bound(address) as listening,
        Secrets(folder, writes=True),
    ):
        forget_parts(folder)
        door = replace(address, port=listening.getsockname()[1])
        note_address(folder, door.base)
        yield Opened(folder, door, limits or DoorLimits(), listening)


def _config(app: Any, address: Address, limits: DoorLimits) -> uvicorn.Config:
    class Timed(_Timed):
        seconds = limits.head_seconds

    return uvicorn.Config(
        app,
        http=Timed,
        ws="none",
        lifespan="on",
        access_log=False,  # it would have the secrets of links
        server_header=False,
        log_config=None,  # else each request that is no HTTP would write a line
        log_level="warning",
        proxy_headers=False,  # it would believe what visitors write
        timeout_keep_alive=20,
        timeout_graceful_shutdown=_GRACE,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )


class _Server(uvicorn.Server):
    """Ends what would go on for long when it is stopped: streams of events, slow bodies."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Be stopped by signals, but for those that were ignored; only the main thread gets any."""
        is_main = threading.current_thread() is threading.main_thread()
        before = ignored(signal.SIGINT, signal.SIGTERM) if is_main else []
        with super().capture_signals():
            for number in before:
                signal.signal(number, signal.SIG_IGN)
            yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking requests and finish those that were taken."""
        self.config.app.state.served.stop()  # type: ignore[union-attr]
        await super().shutdown(sockets)


class _Timed(H11Protocol):
    """Closes connections on which the head of a request does not come in time."""

    seconds = 15.0
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._time()

    def data_received(self, data: bytes) -> None:
        """Take some bytes in."""
        super().data_received(data)
        self._time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request."""
        super().connection_lost(exc)
        if self._end:
            self._end.cancel()

    def _time(self) -> None:
        """Wait for the head of a request, unless one has come."""
        if self.conn.their_state is not h11.IDLE:
            if self._end:
                self._end.cancel()
                self._end = None
        elif self._end is None:
            self._end = self.loop.call_later(self.seconds, self.transport.close)


def _check(address: Address) -> None:
    """Raise ArenaError for an address at which secrets would go over a network as plain text."""
    if bool(address.certificate) != bool(address.key):
        raise ArenaError("a certificate needs its key", "--certificate", "--key FILE")
    if address.certificate:
        with os_errors("it cannot be used", address.certificate, "name PEM files"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(address.certificate, address.key)
    if address.behind_proxy and not address.url.startswith("https://"):
        what = "behind a proxy the door must know where browsers reach it"
        raise ArenaError(what, "--behind-proxy", "--url https://ladder.example.org")
    # What is reached at this machine's own address alone may listen elsewhere: in a container.
    own = _is_loopback(address.host) or _is_loopback(_host_of(address.url))
    if address.plain_http and not _is_private(address.host):
        what = f"{address.host} is not the address of a private network"
        raise ArenaError(what, "--plain-http", "--certificate FILE --key FILE")
    own |= address.plain_http
    if not (own or address.behind_proxy or address.certificate):
        what = f"{address.host} is reached over a network: links and sessions need HTTPS"
        hint = "--behind-proxy if a proxy speaks HTTPS, or --certificate FILE --key FILE"
        raise ArenaError(what, "--host", hint)


def _host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_private(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private and not address.is_unspecified


def _bound(address: Address) -> socket.socket:
    try:
        (family, kind, _, _, to), *_ = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listening = socket.socket(family, kind)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(to)
            listening.listen(2048)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        what = f"the door cannot listen there: {error.strerror}"
        hint = "choose another with --host and --port"
        raise ArenaError(what, f"{address.host}:{address.port}", hint) from None
    return listening


# ------------------------------------------------------------ beside the ladder


@contextmanager
def door_process(
    folder: Folder, address: Address, stop: threading.Event, say: Say
) -> Iterator[None]:
    """Keep the door of a ladder open as long as the block lasts; `stop` is set if it ends before.

    `say` is called in the process of the door, too. Raises ArenaError if the door cannot be opened,
    and after the block if it ended before.
    """
    ours, theirs = Pipe(duplex=False)
    with ours:
        with theirs:
            door = Job(partial(_serve_beside, folder, address, say, theirs))
        try:
            ours.recv_bytes()
        except EOFError:
            raise _end_of(door, folder) from None
    ending = threading.Event()

    def watch() -> None:
        door.wait()
        if not ending.is_set():
            say("the web door has ended: the ladder stops after what is being played")
            stop.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        ended = door.is_over()
        ending.set()
        door.stop(_END)
        watcher.join()
    if ended:
        raise _end_of(door, folder)


def _serve_beside(folder: Folder, address: Address, say: Say, opened: Connection) -> None:
    """Be the door; its process leaves Ctrl-C at the terminal to the ladder's."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def tell(text: str) -> None:
        say(text)
        opened.send_bytes(b"open")

    with opened:
        serve(folder, address, tell)


def _end_of(door: Job, folder: Folder) -> ArenaError:
    """Return why a door ended that the ladder had not stopped."""
    why = "it was told to"
    try:
        door.result()
    except ArenaError as error:
        return error
    except JobDiedError as death:
        why = str(death)
    hint = "start both again: arena ladder run --serve"
    return ArenaError(f"the web door has ended: {why}", str(folder.root), hint)
