"""Recorded games put to live builds: what each decides in a stored seat, whatever was played."""

from collections.abc import Generator, Sequence
from typing import Literal, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fault, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, CalzaOffer, Hello, Ready, Turn
from arena.league.table.recorded_seat import Request, SeatMoment, seat_moments
from arena.league.table.seats import hello_to


class Build(NamedTuple):
    """A program, and what keys its own randomness."""

    program: Program
    seed: str


class Decision(Struct, frozen=True):
    """An answer, or a fault instead of one."""

    action: Literal["bid", "dudo", "calza", "pass", "fault"]
    quantity: int = 0
    face: int = 0


class Position(Struct, frozen=True):
    """A request of a recorded game that leaves a choice."""

    fixture: Fixture
    request: Request
    decisions: tuple[Decision | None, ...]
    """By build; None if it faulted before. One that asks for no calza passes."""


def ask(
    played: PlayedFixture,
    rules: Rules,
    seat: int,
    builds: Sequence[Build],
    sandbox: Sandbox,
    limits: LimitsInfo,
) -> Generator[Position, None, None]:
    """Put a seat's requests in all games of a fixture to builds, each in a process of its own.

    A build hears all that the seat heard, so its memory is that of the games. It is asked no more
    once it has faulted. The builds take turns to think. Close the iterator to end them early.
    """
    fixture = played.fixture
    seeded = [replace(fixture, seed=build.seed) for build in builds]
    hellos = [hello_to(seat, one, rules, limits) for one in seeded]
    with _Builds([build.program for build in builds], sandbox, limits) as live:
        live.greet(hellos)
        for record in played.games:
            for moment in seat_moments(fixture, rules, record, seat):
                decisions = live.decide(moment)
                if moment.request and live.leaves_choice(moment.request):
                    yield Position(fixture, moment.request, decisions)


class _Builds:
    """Live builds; a context manager that leaves no process behind."""

    def __init__(self, programs: Sequence[Program], sandbox: Sandbox, limits: LimitsInfo) -> None:
        self._all = range(len(programs))
        self._calza: set[int] = set()
        self._live = Multiplexer(programs, sandbox, limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__()

    def greet(self, hellos: Sequence[Hello]) -> None:
        """Start every build."""
        for build, hello in enumerate(hellos):
            if self._live.start(build, encode(hello)):
                continue
            reply = self._reply()
            if isinstance(reply, Ready) and reply.calza:
                self._calza.add(build)
            elif isinstance(reply, Fault):
                self._live.stop(build)

    def leaves_choice(self, request: Request) -> bool:
        """Tell whether any build is asked this, and could answer it in more than one way."""
        return bool(request.raises if isinstance(request, Turn) else self._calza)

    def decide(self, moment: SeatMoment) -> tuple[Decision | None, ...]:
        """Put a moment to every build, one after another."""
        return tuple([self._decide(build, moment) for build in self._all])

    def _decide(self, build: int, moment: SeatMoment) -> Decision | None:
        if not self._live.live(build):
            return None
        for notice in moment.news:
            self._live.tell(build, encode(notice))
        request = moment.request
        if request is None:
            return None
        if isinstance(request, CalzaOffer) and build not in self._calza:
            return Decision("pass")
        self._live.ask(build, request.id, encode(request), request.game)
        reply = self._reply()
        if not isinstance(reply, Answer) or moment.illegal(reply):
            self._live.stop(build)
            return Decision("fault")
        if reply.action == "bid":
            return Decision("bid", reply.quantity, reply.face)
        return Decision(reply.action)

    def _reply(self) -> Answer | Ready | Fault:
        """Wait for the one build that was asked."""
        [(_, _, reply)] = self._live.wait()
        return reply
