"""Bots of tests that talk to the socket of their models from this process."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from arena.bots.models.config import Model, Price
from arena.bots.models.gateway import Gateway
from arena.bots.models.model_socket import ModelSocket

HELLO = [{"role": "user", "content": "Hello"}]


class Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("models", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self._path))


class Got(NamedTuple):
    status: int
    body: dict[str, Any]

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def text(self) -> str:
        return str(self.body["choices"][0]["message"]["content"])


class Seat(NamedTuple):
    """A bot that is asked for an answer in game 0, round 2."""

    socket: ModelSocket

    def ask(self, connection: Connection | None = None, **fields: Any) -> Got:
        body = json.dumps({"model": "small", "messages": HELLO, **fields}).encode()
        return self.send("POST", "/v1/chat/completions", body, connection)

    def send(
        self, method: str, path: str, body: bytes = b"", connection: Connection | None = None
    ) -> Got:
        used = connection or Connection(self.socket.path)
        try:
            used.request(method, path, body or None)
            response = used.getresponse()
            return Got(response.status, json.loads(response.read()))
        finally:
            if used is not connection:
                used.close()

    def next_game(self, game: int) -> None:
        self.socket.answered(1)
        self.socket.asked(1, game, b'{"round": 2}')


def model(url: str, **changes: Any) -> Model:
    fields = {"model": "there", "retries": 0, "timeout": 5, **changes}
    return Model(url=url, price=Price(input=1, output=10), **fields)


@contextmanager
def table(models: dict[str, Model], *granted: tuple[str, ...]) -> Iterator[tuple[Gateway, Any]]:
    """Yield a gateway and a seat for each tuple of models that are granted."""
    names = [f"bot{number}" for number in range(len(granted))]
    with Gateway(models, names) as gateway:
        yield gateway, open_seats(gateway, *granted)


def open_seats(gateway: Gateway, *granted: tuple[str, ...]) -> list[Seat]:
    """Return seats of bots that are on turn, one for each tuple of models that are granted."""
    seats = [
        Seat(gateway.open(seat, tuple(wanted), time.monotonic))
        for seat, wanted in enumerate(granted)
    ]
    for seat in seats:
        seat.socket.asked(1, 0, b'{"round": 2}')
    return seats
