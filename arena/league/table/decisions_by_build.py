"""The requests of a recorded seat put to live builds of bots: what each of them decides there."""

from collections.abc import Generator, Sequence
from typing import Literal, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fault, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.messages import Hello, Turn
from arena.league.table.live_seat import LiveSeat, Request, hello_to
from arena.league.table.recorded_seat import SeatMoment, seat_moments


class Build(NamedTuple):
    """A program, and the key of its own randomness."""

    program: Program
    seed: str


class BuildDecision(Struct, frozen=True):
    """An answer, or a fault instead of one."""

    action: Literal["bid", "dudo", "calza", "pass", "fault"]
    quantity: int = 0
    face: int = 0


class RecordedRequest(Struct, frozen=True):
    """A request of a recorded game that leaves a choice, and the builds' decisions."""

    fixture: Fixture
    request: Request
    decisions: tuple[BuildDecision | None, ...]
    """By build; None if it faulted before. A build that does not want offers of calza passes."""


def ask(
    played: PlayedFixture,
    rules: Rules,
    seat: int,
    builds: Sequence[Build],
    sandbox: Sandbox,
    limits: LimitsInfo,
) -> Generator[RecordedRequest, None, None]:
    """Put a seat's requests in all games of a fixture to builds, each in a process of its own.

    A build is told all that the seat was told, and asked no more once it has faulted. One build
    thinks at a time. Close the iterator to end them early.
    """
    fixture = played.fixture
    seeded = [replace(fixture, seed=build.seed) for build in builds]
    hellos = [hello_to(seat, own_fixture, rules, limits) for own_fixture in seeded]
    with _Builds([build.program for build in builds], sandbox, limits) as live_builds:
        live_builds.greet(hellos)
        for record in played.games:
            for moment in seat_moments(fixture, rules, record, seat):
                decisions = live_builds.decide(moment)
                if moment.request and live_builds.leaves_choice(moment.request):
                    yield RecordedRequest(fixture, moment.request, decisions)


class _Builds:
    """Live builds; a context manager that leaves no process behind."""

    def __init__(self, programs: Sequence[Program], sandbox: Sandbox, limits: LimitsInfo) -> None:
        self._multiplexer = Multiplexer(programs, sandbox, limits)
        self._builds = [LiveSeat(self._multiplexer, build) for build in range(len(programs))]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._multiplexer.__exit__()

    def greet(self, hellos: Sequence[Hello]) -> None:
        """Start every build."""
        for build, hello in zip(self._builds, hellos, strict=True):
            build.greet(hello)

    def leaves_choice(self, request: Request) -> bool:
        """Tell whether any build is asked this, and could answer it in more than one way."""
        if isinstance(request, Turn):
            return bool(request.raises)
        return any(build.ready.calza for build in self._builds)

    def decide(self, moment: SeatMoment) -> tuple[BuildDecision | None, ...]:
        """Put a moment to every build, one after another."""
        return tuple([_decision(build, moment) for build in self._builds])


def _decision(build: LiveSeat, moment: SeatMoment) -> BuildDecision | None:
    if not build.live:
        return None
    for notice in moment.news:
        build.tell(notice)
    if moment.request is None:
        return None
    reply = build.ask(moment.request)
    if isinstance(reply, Fault) or moment.illegal(reply):
        build.stop()
        return BuildDecision("fault")
    if reply.action == "bid":
        return BuildDecision("bid", reply.quantity, reply.face)
    return BuildDecision(reply.action)
