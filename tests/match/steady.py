"""A board of seats without processes that play each game alike, whatever else is under way.

What a seat says depends on its request and on what it was told of that game, and on nothing else.
Some crash, are late or cheat in the middle of a game. Replies come in any order, as from processes.
"""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from arena.match import table
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Cause, Fault, Fixture, LimitsInfo, PlayedFixture
from arena.sandboxes.process import ProcessSandbox
from arena.sessions.clock import READY
from arena.wire.messages import Answer, Ready

Tagged = tuple[int, int, Answer | Ready | Fault]


class Temper(Struct, frozen=True):
    """What sort of players sit at a table."""

    risk: float = 0.0
    """The chance that a seat faults at a request."""
    careless: int = 0
    """Seats below this one run that risk; the others none."""
    calza: bool = False
    false_starts: bool = False
    """Careless seats never get ready."""


class _Process(Struct):
    """A seat's bot from a start to its end."""

    queue: list[tuple[int, bytes]] = []
    news: dict[int, list[bytes]] = {}
    """What it was told, by game."""


class SteadyBoard:
    """Seats that answer in any order among each other, each in the order it was asked."""

    def __init__(self, temper: Temper, order: Random) -> None:
        self.stderr: tuple[str, ...] = ()
        self.keeping: set[int] = set()
        self.starts = 0
        self.most_open = 0
        self._temper = temper
        self._order = order
        self._live: dict[int, _Process] = {}

    def __enter__(self) -> "SteadyBoard":
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to stop."""

    def live(self, seat: int) -> bool:
        return seat in self._live

    def start(self, seat: int, hello: bytes) -> None:
        assert seat not in self._live
        self.starts += 1
        self._live[seat] = _Process(queue=[(READY, hello)])

    def stop(self, seat: int) -> None:
        self._live.pop(seat, None)

    def end_game(self, game: int) -> None:
        """There is no time bank."""

    def tell(self, seat: int, line: bytes) -> None:
        told: dict[str, Any] = msgspec.json.decode(line)
        self._live[seat].news.setdefault(told["game"], []).append(line)

    def bye(self, line: bytes) -> None:
        """Nobody listens."""

    def ask(self, seat: int, id_: int, line: bytes, game: int) -> None:
        process = self._live[seat]
        assert id_ not in dict(process.queue)
        assert READY not in dict(process.queue)
        process.queue.append((id_, line))
        self.most_open = max(self.most_open, len(process.queue))

    def wait(self) -> list[Tagged]:
        """Let some seats answer some of what they were asked; a fault is a seat's last word."""
        asked = [seat for seat, process in self._live.items() if process.queue]
        found = []
        for seat in self._order.sample(asked, self._order.randint(1, len(asked))):
            queue = self._live[seat].queue
            for _ in range(self._order.randint(1, len(queue))):
                found.append(self._answer(seat, *queue.pop(0)))
                if isinstance(found[-1][2], Fault):
                    queue.clear()
                    break
        return found

    def _answer(self, seat: int, id_: int, line: bytes) -> Tagged:
        asked: dict[str, Any] = msgspec.json.decode(line)
        careless = seat < self._temper.careless
        if id_ == READY:
            if careless and self._temper.false_starts:
                return seat, id_, Fault(Cause.TIMEOUT, "not ready")
            return seat, id_, Ready(calza=self._temper.calza, concurrent_games=1024)
        told = b"".join(self._live[seat].news.get(asked["game"], []))
        rng = Random(hashlib.sha256(line + told).digest())
        if careless and rng.random() < self._temper.risk:
            return seat, id_, _strange(id_, rng)
        return seat, id_, _legal(id_, asked, rng)


def _strange(id_: int, rng: Random) -> Answer | Fault:
    cause = rng.choice(list(Cause))
    if cause is Cause.ILLEGAL_ACTION:
        return Answer(id=id_, action="bid", quantity=1000, face=2)
    return Fault(cause, f"at request {id_}")


def _legal(id_: int, asked: dict[str, Any], rng: Random) -> Answer:
    if asked["type"] == "calza":
        return Answer(id=id_, action="calza" if rng.random() < 0.1 else "pass")
    if asked["dudo"] and (not asked["raises"] or rng.random() < 0.25):
        return Answer(id=id_, action="dudo")
    span = rng.choice(asked["raises"])
    quantity = rng.randint(span["min"], min(span["max"], span["min"] + 2))
    return Answer(id=id_, action="bid", quantity=quantity, face=span["face"])


def play_steadily(
    rules: Rules, seats: Sequence[str], games: int, temper: Temper, limits: LimitsInfo, order: int
) -> tuple[PlayedFixture, SteadyBoard]:
    """Play a fixture among such seats; `order` seeds who answers first."""
    board = SteadyBoard(temper, Random(order))
    fixture = Fixture("f", 0, rules.name, tuple(seats), "a seed", games)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "Multiplexer", lambda *_: board)
        return play_fixture(fixture, rules, [], ProcessSandbox(), limits), board
