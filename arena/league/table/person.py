"""A table at which a person sits: the same requests and notices, answered without a process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.replies import SeatReply
from arena.game.records import LimitsInfo
from arena.game.wire.messages import Answer, CalzaOffer, Hello, Ready, ToBot, Turn

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
