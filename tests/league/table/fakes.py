"""Multiplexers without processes: what a table writes to each seat can be read byte by byte."""

import hashlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sessions.clock import READY, FixtureBank
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import SeatReply
from arena.game.records import Cause, Fault, LimitsInfo, PlayedFixture
from arena.game.rules.books import MAX_PLAYERS, Rules
from arena.game.rules.dice import Hand, roll_all
from arena.game.wire.messages import Answer, Ready
from arena.league.table.play_fixture import play_fixture
from tests.support import records

SEED = "a seed"


class FakeMultiplexer(Multiplexer):
    """Seats without processes; who answers what is up to a subclass."""

    def __init__(self, limits: LimitsInfo) -> None:
        super().__init__([], ProcessSandbox(), limits)
        self.running: set[int] = set()
        self._banks = [FixtureBank(limits) for _ in range(MAX_PLAYERS)]

    def asks_models(self, seat: int) -> bool:
        return False

    def live(self, seat: int) -> bool:
        return seat in self.running

    def stop(self, seat: int) -> None:
        self.running.discard(seat)

    def bye(self, line: bytes) -> None:
        for seat in self.running:
            self.tell(seat, line)


def legal_answer(id_: int, request: dict[str, Any], rng: Random) -> Answer:
    if request["type"] == "calza":
        return Answer(id=id_, action="calza" if rng.random() < 0.1 else "pass")
    if request["dudo"] and (not request["raises"] or rng.random() < 0.25):
        return Answer(id=id_, action="dudo")
    span = rng.choice(request["raises"])
    quantity = rng.randint(span["min"], min(span["max"], span["min"] + 2))
    return Answer(id=id_, action="bid", quantity=quantity, face=span["face"])


def illegal_answer(id_: int) -> Answer:
    return Answer(id=id_, action="bid", quantity=1000, face=2)


# ---------------------------------------------------------------- one game, whatever the dice

Deal = Callable[[int, int, Hand], Hand]
"""Maps a round, a seat and its rolled dice to the dice that it gets instead."""


class BlindSeats(FakeMultiplexer):
    """Seats that play at random and never look at their dice; `lines` is what each was sent."""

    def __init__(self, players: int, rng: Random, calza_share: float, fault_rate: float) -> None:
        super().__init__(LimitsInfo())
        self.lines: list[list[bytes]] = [[] for _ in range(players)]
        self._replies: list[SeatReply] = []
        self._rng = rng
        self._calza_share = calza_share
        self._fault_rate = fault_rate

    def start(self, seat: int, hello: bytes) -> None:
        self.running.add(seat)
        self.lines[seat].append(hello)
        self._replies.append((seat, READY, Ready(calza=self._rng.random() < self._calza_share)))

    def tell(self, seat: int, line: bytes) -> None:
        if seat in self.running:
            self.lines[seat].append(line)

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        self.lines[seat].append(line)
        faults = self._rng.random() < self._fault_rate
        request = msgspec.json.decode(line)
        answer = illegal_answer(id_) if faults else legal_answer(id_, request, self._rng)
        self._replies.append((seat, id_, answer))

    def wait(self) -> list[SeatReply]:
        replies, self._replies = self._replies, []
        self._rng.shuffle(replies)
        return replies


def as_rolled(number: int, seat: int, hand: Hand) -> Hand:
    """The deal that changes nothing."""
    return hand


def written_to_seats(
    rules: Rules, players: int, script: int, fault_rate: float, deal: Deal = as_rolled
) -> list[list[bytes]]:
    """Play one game with such seats and dice; returns the lines to each seat."""

    def roll_and_deal(seed: str, game: int, number: int, dice: tuple[int, ...]) -> tuple[Hand, ...]:
        hands = roll_all(seed, game, number, dice)
        return tuple([deal(number, seat, hand) for seat, hand in enumerate(hands)])

    names = tuple(f"bot{seat}" for seat in range(players))
    fixture = records.fixture(names, variant=rules.name, seed=SEED)
    with BlindSeats(players, Random(script), 0.7, fault_rate) as seats:
        play_fixture(fixture, rules, seats, roll=roll_and_deal)
    return seats.lines


# ---------------------------------------------------------------- many games at a time


class Temper(Struct, frozen=True):
    """The players at a table."""

    fault_rate: float = 0.0
    """The probability that a careless seat faults at a request."""
    careless: int = 0
    """The seats below this one are careless."""
    calza: bool = False
    false_starts: bool = False
    """Careless seats never get ready."""
    slow: int = 0
    """The seats below this one take a second of wall time for each answer."""


class _Process(Struct):
    """A seat's bot from a start to its end."""

    queue: list[tuple[int, bytes]] = []
    notices: dict[int, list[bytes]] = {}
    """The notices it was sent, by game."""


class ReproducibleSeats(FakeMultiplexer):
    """Seats that play each game alike, whatever else is under way; replies come in any order.

    A seat's answer depends on its request and on the notices of that game, and on nothing else.
    Some seats crash, are late or cheat. Each answers its own requests in the order they came.
    """

    def __init__(self, temper: Temper, order: Random, limits: LimitsInfo) -> None:
        super().__init__(limits)
        self.starts = 0
        self.most_open = 0
        self._temper = temper
        self._order = order
        self._processes: dict[int, _Process] = {}

    def start(self, seat: int, hello: bytes) -> None:
        assert seat not in self.running
        self.running.add(seat)
        self.starts += 1
        self._processes[seat] = _Process(queue=[(READY, hello)])

    def stop(self, seat: int) -> None:
        super().stop(seat)
        self._processes.pop(seat, None)

    def tell(self, seat: int, line: bytes) -> None:
        notice: dict[str, Any] = msgspec.json.decode(line)
        if "game" in notice:
            self._processes[seat].notices.setdefault(notice["game"], []).append(line)

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        process = self._processes[seat]
        assert id_ not in dict(process.queue)
        assert READY not in dict(process.queue)
        process.queue.append((id_, line))
        self.most_open = max(self.most_open, len(process.queue))

    def wait(self) -> list[SeatReply]:
        """Let some seats answer some of their requests; a fault is a seat's last reply."""
        asked = [seat for seat, process in self._processes.items() if process.queue]
        replies: list[SeatReply] = []
        for seat in self._order.sample(asked, self._order.randint(1, len(asked))):
            queue = self._processes[seat].queue
            for _ in range(self._order.randint(1, len(queue))):
                replies.append(self._answer(seat, *queue.pop(0)))
                if isinstance(replies[-1][2], Fault):
                    queue.clear()
                    break
        return replies

    def _answer(self, seat: int, id_: int, line: bytes) -> SeatReply:
        request: dict[str, Any] = msgspec.json.decode(line)
        careless = seat < self._temper.careless
        if id_ == READY:
            if careless and self._temper.false_starts:
                return seat, id_, Fault(Cause.TIMEOUT, "not ready")
            return seat, id_, Ready(calza=self._temper.calza, concurrent_games=1024)
        notices = b"".join(self._processes[seat].notices.get(request["game"], []))
        rng = Random(hashlib.sha256(line + notices).digest())
        if seat < self._temper.slow and not self._take_a_second(seat, request["game"]):
            return seat, id_, Fault(Cause.TIMEOUT, "used up")
        if careless and rng.random() < self._temper.fault_rate:
            cause = rng.choice(list(Cause))
            illegal = cause is Cause.ILLEGAL_ACTION
            return seat, id_, illegal_answer(id_) if illegal else Fault(cause, f"at request {id_}")
        return seat, id_, legal_answer(id_, request, rng)

    def _take_a_second(self, seat: int, game: int) -> bool:
        """Charge a second to a seat; returns whether it had one."""
        bank = self._banks[seat]
        if not bank.used_up:
            bank.wall -= 1
            bank.game(game).wall -= 1
            return True
        return False


def play_reproducibly(
    rules: Rules, seats: Sequence[str], games: int, temper: Temper, limits: LimitsInfo, order: int
) -> tuple[PlayedFixture, ReproducibleSeats]:
    """Play a fixture with such seats; `order` seeds who answers first."""
    fixture = records.fixture(seats, games, variant=rules.name, seed=SEED)
    with ReproducibleSeats(temper, Random(order), limits) as multiplexer:
        return play_fixture(fixture, rules, multiplexer), multiplexer
