"""The requests of a recorded seat put to live builds of bots, and their decisions."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Literal, NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.game.records import Fault, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, Hello, Turn
from arena.league.table.live_seat import LiveSeat, Request, hello_to
from arena.league.table.recorded_game import SeatMoment, seat_moments

_AT_A_TIME = 4
"""Games: with more, many requests are asked in vain if only the first ones are wanted."""


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
    """The decision of each build; None if it faulted before.

    A build that does not want offers of calza passes."""


def ask(
    played: PlayedFixture,
    rules: Rules,
    seat: int,
    builds: Sequence[Build],
    sandbox: Sandbox,
    limits: LimitsInfo,
    pool: WarmPool | None = None,
) -> Generator[RecordedRequest, None, None]:
    """Put a seat's requests in all games of a fixture to builds, each in a process of its own.

    A build is told all that the seat was told, and asked no more once it has faulted. One build
    thinks at a time. If all can play several games at a time, they are asked in a few at once, in
    fewer messages; should one fault then, all are asked again, game after game. Processes come
    from the `pool` if there is one, and those that may serve again return to it. Close the iterator
    to end them early.
    """
    asked = _Asked(played, rules, seat, builds, sandbox, limits, pool)
    yielded = 0
    try:
        for request in asked.requests(_AT_A_TIME):
            yield request
            yielded += 1
    except _FaultedError:
        yield from islice(asked.requests(1), yielded, None)


class _FaultedError(Exception):
    """A build faulted while it was asked in several games at a time."""


class _Asked(NamedTuple):
    """What is asked, and whom."""

    played: PlayedFixture
    rules: Rules
    seat: int
    builds: Sequence[Build]
    sandbox: Sandbox
    limits: LimitsInfo
    pool: WarmPool | None

    def requests(self, most: int) -> Iterator[RecordedRequest]:
        """Start the builds, and ask them in up to so many games at a time; yield game by game.

        Raises _FaultedError if one faults while it is asked in more than one.
        """
        seeded = [replace(self.played.fixture, seed=build.seed) for build in self.builds]
        hellos = [hello_to(self.seat, fixture, self.rules, self.limits) for fixture in seeded]
        programs = [build.program for build in self.builds]
        dice = TableDice(self.played.fixture.dice_key)
        pool = TablePool(self.pool, dice) if self.pool else None
        with _Builds(programs, self.sandbox, self.limits, pool) as live_builds:
            live_builds.greet(hellos)
            at_a_time = min(most, live_builds.concurrent_games)
            games = iter(self.played.games)
            while batch := [*islice(games, at_a_time)]:
                of_games = self._alone if at_a_time == 1 else self._together
                moments = [
                    seat_moments(self.played.fixture, self.rules, game, self.seat) for game in batch
                ]
                yield from of_games(live_builds, moments)

    def _alone(
        self, live_builds: "_Builds", games: list[Iterator[SeatMoment]]
    ) -> Iterator[RecordedRequest]:
        for moment in chain.from_iterable(games):
            [decisions] = live_builds.decide([moment])
            if moment.request and live_builds.leaves_choice(moment.request):
                yield RecordedRequest(self.played.fixture, moment.request, decisions)

    def _together(
        self, live_builds: "_Builds", games: list[Iterator[SeatMoment]]
    ) -> Iterator[RecordedRequest]:
        found: list[list[RecordedRequest]] = [[] for _ in games]
        while under_way := [
            (requests, moment)
            for requests, moments in zip(found, games, strict=True)
            if (moment := next(moments, None))
        ]:
            decided = live_builds.decide([moment for _, moment in under_way])
            if BuildDecision("fault") in chain.from_iterable(decided):
                raise _FaultedError
            for (requests, moment), decisions in zip(under_way, decided, strict=True):
                if moment.request and live_builds.leaves_choice(moment.request):
                    one = RecordedRequest(self.played.fixture, moment.request, decisions)
                    requests.append(one)
        yield from chain.from_iterable(found)


class _Builds:
    """Live builds; a context manager that leaves no process behind but those in the pool."""

    def __init__(
        self,
        programs: Sequence[Program],
        sandbox: Sandbox,
        limits: LimitsInfo,
        pool: TablePool | None,
    ) -> None:
        self._multiplexer = Multiplexer(programs, sandbox, limits, pool=pool)
        self._builds = [LiveSeat(self._multiplexer, build) for build in range(len(programs))]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for seat, build in enumerate(self._builds):
            if build.ready.reusable:
                self._multiplexer.reusable.add(seat)
            else:
                build.stop()
        self._multiplexer.bye(b"")
        self._multiplexer.__exit__()

    @property
    def concurrent_games(self) -> int:
        """How many games all of them can play at a time."""
        return min(build.ready.concurrent_games for build in self._builds)

    def greet(self, hellos: Sequence[Hello]) -> None:
        """Start every build."""
        for build, hello in zip(self._builds, hellos, strict=True):
            build.greet(hello)

    def leaves_choice(self, request: Request) -> bool:
        """Tell whether any build is asked this, and could answer it in more than one way."""
        if isinstance(request, Turn):
            return bool(request.raises)
        return any(build.ready.calza for build in self._builds)

    def decide(self, moments: Sequence[SeatMoment]) -> list[tuple[BuildDecision | None, ...]]:
        """Put moments of different games to every build, one build after another."""
        by_build = [_decisions(build, moments) for build in self._builds]
        return [*zip(*by_build, strict=True)]


def _decisions(build: LiveSeat, moments: Sequence[SeatMoment]) -> list[BuildDecision | None]:
    """Return what a build decides in each moment; after a fault it is not running."""
    if not build.live:
        return [None] * len(moments)
    for notice in chain.from_iterable(moment.news for moment in moments):
        build.tell(notice)
    requests = [moment.request for moment in moments if moment.request]
    answers = build.ask_all([one for one in requests if isinstance(one, Turn) or build.ready.calza])
    if isinstance(answers, Fault):
        return [BuildDecision("fault") if moment.request else None for moment in moments]
    return [_decision(build, moment, answers) for moment in moments]


def _decision(
    build: LiveSeat, moment: SeatMoment, answers: Mapping[int, Answer]
) -> BuildDecision | None:
    if moment.request is None:
        return None
    reply = answers.get(moment.request.id)
    if reply is None:  # it wants no offers of calza
        return BuildDecision("pass")
    if moment.illegal(reply):
        build.stop()
        return BuildDecision("fault")
    if reply.action == "bid":
        return BuildDecision("bid", reply.quantity, reply.face)
    return BuildDecision(reply.action)
