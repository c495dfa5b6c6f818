"""A board of seats without processes: they play at random, whatever dice they hold.

It takes the place of the arena's board, so that what a table writes to each seat can be read
byte by byte.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import msgspec
import pytest

from arena.match import referee, table
from arena.match.table import play_fixture
from arena.perudo.dice import Hand, roll
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo
from arena.sandboxes.process import ProcessSandbox
from arena.submissions.manifest import Bot
from arena.wire.messages import Answer, Ready

Deal = Callable[[int, int, Hand], Hand]
"""From a round, a seat and the dice it rolled to those that it gets instead."""
SEED = "a seed"


class ScriptedBoard:
    """Seats that answer at once; `lines` holds what each of them was sent, in order."""

    def __init__(self, players: int, rng: Random, calza_seats: float, risk: float) -> None:
        self.lines: list[list[bytes]] = [[] for _ in range(players)]
        self.stderr = ("",) * players
        self.keeping: set[int] = set()
        self._live: set[int] = set()
        self._replies: list[tuple[int, int, Ready | Answer]] = []
        self._rng = rng
        self._calza_takers = calza_seats
        self._risk = risk

    def __enter__(self) -> "ScriptedBoard":
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to stop."""

    def live(self, seat: int) -> bool:
        return seat in self._live

    def start(self, seat: int, hello: bytes) -> None:
        self._live.add(seat)
        self.lines[seat].append(hello)
        self._replies.append((seat, -1, Ready(calza=self._rng.random() < self._calza_takers)))

    def stop(self, seat: int) -> None:
        self._live.discard(seat)

    def end_game(self, game: int) -> None:
        """There is no time bank."""

    def tell(self, seat: int, line: bytes) -> None:
        if seat in self._live:
            self.lines[seat].append(line)

    def bye(self, line: bytes) -> None:
        for seat in self._live:
            self.tell(seat, line)

    def ask(self, seat: int, id_: int, line: bytes, game: int) -> None:
        self.lines[seat].append(line)
        self._replies.append((seat, id_, self._answer(id_, msgspec.json.decode(line))))

    def wait(self) -> list[tuple[int, int, Ready | Answer]]:
        found, self._replies = self._replies, []
        self._rng.shuffle(found)
        return found

    def _answer(self, id_: int, asked: dict[str, Any]) -> Answer:
        """Something legal or, at the risk of the table, a bid that never is."""
        if self._rng.random() < self._risk:
            return Answer(id=id_, action="bid", quantity=1000, face=2)
        if asked["type"] == "calza":
            return Answer(id=id_, action="calza" if self._rng.random() < 0.1 else "pass")
        if asked["dudo"] and (not asked["raises"] or self._rng.random() < 0.25):
            return Answer(id=id_, action="dudo")
        span = self._rng.choice(asked["raises"])
        quantity = self._rng.randint(span["min"], min(span["max"], span["min"] + 2))
        return Answer(id=id_, action="bid", quantity=quantity, face=span["face"])


def as_rolled(number: int, seat: int, hand: Hand) -> Hand:
    """The deal that changes nothing."""
    return hand


def written_to_seats(
    rules: Rules, players: int, script: int, risk: float, deal: Deal = as_rolled
) -> list[list[bytes]]:
    """Play a game by `play_fixture` with these seats and dice; returns the lines to each seat."""
    board = ScriptedBoard(players, Random(script), 0.7, risk)
    names = tuple(f"bot{seat}" for seat in range(players))
    fixture = Fixture("f", 0, rules.name, names, SEED, 1)
    bots: Sequence[Bot] = []
    with in_place(board, deal):
        play_fixture(fixture, rules, bots, ProcessSandbox(), LimitsInfo())
    return board.lines


@contextmanager
def in_place(board: ScriptedBoard, deal: Deal) -> Iterator[None]:
    """Make tables use this board and these dice."""

    def dealt(seed: str, game: int, number: int, seat: int, quantity: int) -> Hand:
        return deal(number, seat, roll(seed, game, number, seat, quantity))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "Multiplexer", lambda *_: board)
        patch.setattr(referee, "roll", dealt)
        yield
