"""The requests of a recorded seat put to live builds of bots, and their decisions."""

from collections.abc import Generator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fault, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.messages import Turn
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
    with Multiplexer([build.program for build in builds], sandbox, limits) as multiplexer:
        live = [LiveSeat(multiplexer, number) for number in range(len(builds))]
        for build, asked in zip(builds, live, strict=True):
            asked.greet(hello_to(seat, replace(fixture, seed=build.seed), rules, limits))
        for record in played.games:
            for moment in seat_moments(fixture, rules, record, seat):
                decisions = tuple([_decision(build, moment) for build in live])
                if moment.request and _leaves_choice(moment.request, live):
                    yield RecordedRequest(fixture, moment.request, decisions)


def _leaves_choice(request: Request, builds: Sequence[LiveSeat]) -> bool:
    """Tell whether any build is asked this, and could answer it in more than one way."""
    if isinstance(request, Turn):
        return bool(request.raises)
    return any(build.ready.calza for build in builds)


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
