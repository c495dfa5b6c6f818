"""A table at which a person sits: the same requests and notices, answered without a process."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import SeatReply
from arena.game.records import LimitsInfo
from arena.game.rules.books import BGA, Rules
from arena.game.rules.odds import bid_exact, bid_holds
from arena.game.rules.round import Bid, wild_face
from arena.game.rules.view import View
from arena.game.wire.messages import (
    Answer,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    Ready,
    RoundEnd,
    ToBot,
    Turn,
)

_NO_PROGRAM = Program(Path("/"), ())


class LeftError(Exception):
    """The person left the table."""


class Person(Protocol):
    """The person's side of a table: gets the messages that a bot would get, and decides.

    Its methods raise LeftError once the person left.
    """

    def meet(self, names: Sequence[str]) -> None:
        """Take the names at the table, by seat; called first."""

    def hear(self, message: ToBot) -> None:
        """Take `hello`, or a message that wants no answer."""

    def decide(self, request: Turn | CalzaOffer) -> Answer:
        """Return a legal answer; there is no time limit."""


class TableWithPerson(Multiplexer):
    """A table with bots, and a person in the seat without a bot; the person has no time limit.

    While the person decides, no bot is asked anything.
    """

    def __init__(
        self,
        programs: Sequence[Program | None],
        sandbox: Sandbox,
        limits: LimitsInfo,
        person: Person,
    ) -> None:
        """`programs` has None in the person's seat."""
        super().__init__([program or _NO_PROGRAM for program in programs], sandbox, limits)
        self._seat = programs.index(None)
        self._person = person
        self._sits = False
        self._replies: list[SeatReply] = []
        self._requests: list[Turn | CalzaOffer] = []
        self._greeting = msgspec.json.Decoder(Hello).decode
        self._request = msgspec.json.Decoder(Turn | CalzaOffer).decode
        self._notice = msgspec.json.Decoder(ToBot).decode

    def live(self, seat: int) -> bool:
        """Return whether the seat's bot is running, or the person was greeted."""
        return self._sits if seat == self._seat else super().live(seat)

    def start(self, seat: int, hello: bytes) -> None:
        """Start a seat's bot and greet it, or greet the person."""
        if seat != self._seat:
            super().start(seat, hello)
            return
        greeting = self._greeting(hello)
        self._sits = True
        self._person.hear(greeting)
        self._replies.append((seat, READY, Ready(calza=greeting.rules.calza)))

    def tell(self, seat: int, line: bytes) -> None:
        """Tell a bot or the person something."""
        if seat == self._seat:
            self._person.hear(self._notice(line))
        else:
            super().tell(seat, line)

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        """Ask a bot or the person for an answer; `wait` returns it."""
        if seat != self._seat:
            super().ask(seat, id_, line, game)
            return
        self._requests.append(self._request(line))

    def wait(self) -> Sequence[SeatReply]:
        """Return the person's reply if one is due, else those of bots."""
        if self._replies:
            replies, self._replies = self._replies, []
            return replies
        if self._requests:
            request = self._requests.pop(0)
            return [(self._seat, request.id, self._person.decide(request))]
        return super().wait()


class Odds(NamedTuple):
    """Two probabilities of a bid, for someone who sees one hand."""

    holds: float
    exact: float


class DiceLeft:
    """Counts the dice of each seat; hear every message before you ask."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        """The dice of each seat; all of them again once a game is over."""
        self._at_start: list[int] = []
        self.rules: Rules = BGA
        """Those of `hello`."""

    def hear(self, message: ToBot) -> None:
        """Count what changed."""
        match message:
            case Hello():
                self.rules = message.rules
                self._at_start = [message.rules.starting_dice] * message.seats
                self.counts = list(self._at_start)
            case RoundEnd():
                if message.loser is not None:
                    self.counts[message.loser] -= 1
                if message.gainer is not None:
                    self.counts[message.gainer] += 1
            case FaultNotice():
                self.counts[message.seat] = 0
            case GameEnd():
                self.counts = list(self._at_start)
            case _:
                pass

    def wild(self, palifico_seat: int | None) -> int | None:
        """Return the wild face of a round, if one is wild."""
        return wild_face(self.rules, palifico_seat)

    def odds(self, bid: Bid, view: View) -> Odds:
        """Return the odds of a bid by the dice of a view alone."""
        unseen = sum(self.counts) - len(view.dice)
        wild = self.wild(view.palifico_seat)
        return Odds(
            holds=bid_holds(bid, view.dice, unseen, wild),
            exact=bid_exact(bid, view.dice, unseen, wild),
        )
