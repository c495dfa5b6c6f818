"""Steps in which games go on with what the bot answers, as in a league."""

import time
from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from arena.author.check.budget import BudgetedMultiplexer, Charge
from arena.author.check.context import Bench
from arena.author.check.faults import finding_of
from arena.author.check.findings import Finding, Findings
from arena.author.check.live_seat import Tape
from arena.author.check.pace import STEP_SECONDS
from arena.author.check.probe import Probe
from arena.author.check.steps.positions import moments, random_player
from arena.author.check.tables import BY_BOOK, FOR_TWO, CheckTable
from arena.bots.models.gateway import Gateway
from arena.bots.sessions.replies import SeatReply
from arena.game.records import Cause, Fault, Faulted, PlayedFixture
from arena.game.wire.messages import Ready
from arena.league.table.play_fixture import play_fixture

_CONCURRENT_GAMES = 16


class _FaultError(Exception):
    def __init__(self, seat: int, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.seat = seat
        self.fault = fault


class _HaltingMultiplexer(BudgetedMultiplexer):
    """Raises _FaultError at the first fault: the other seats need not play on for minutes.

    `starting` is how long it waited for bots to be ready, in seconds.
    """

    starting = 0.0

    def wait(self) -> Sequence[SeatReply]:
        began = time.monotonic()
        replies = super().wait()
        if any(isinstance(reply, Ready) for _, _, reply in replies):
            self.starting += time.monotonic() - began
        for seat, _, reply in replies:
            if isinstance(reply, Fault):
                raise _FaultError(seat, reply)
        return replies


def first_game(bench: Bench) -> Findings:
    """Play one game of two, against itself."""
    yield from _play(bench, FOR_TWO, 1)


def table_sizes(bench: Bench) -> Findings:
    """Play a game at tables of every size, under the rule books in turn, among random players."""
    sizes = (FOR_TWO, *BY_BOOK)
    until = time.monotonic() + STEP_SECONDS
    for begun, table in enumerate(sizes):
        if time.monotonic() > until:
            bench.notes.append(f"{begun} of {len(sizes)} games: it takes long")
            return
        bench.tell(f"{table.players} players")
        yield from _play_among_random(bench, table, until)
    bench.notes.append(f"{len(sizes)} games")


def _play_among_random(bench: Bench, table: CheckTable, until: float) -> Findings:
    """Play a game that goes on with what the bot answers, as far as that is legal.

    Nothing is asked any more after `until`, by the monotonic clock.
    """
    recorded = moments(table, random_player)
    moment = next(recorded)
    with Probe(bench, table) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            yield ready
            return
        while moment.request:
            if time.monotonic() > until:
                probe.tell_rest(chain([moment], recorded))
                return
            for notice in moment.news:
                probe.tell(notice)
            answer = probe.ask(moment.request)
            if isinstance(answer, Finding):
                yield answer
                return
            fault = moment.illegal(answer)
            if fault:
                yield probe.finding(fault)
            moment = recorded.send(None if fault else answer)
        for notice in moment.news:
            probe.tell(notice)


def concurrent_games(bench: Bench) -> Findings:
    """Play several games at a time, if the bot promises that."""
    if bench.ready and bench.ready.concurrent_games > 1:
        yield from _play(bench, FOR_TWO, _CONCURRENT_GAMES)


def no_models(bench: Bench) -> Findings:
    """Play a game in which each request to a model is refused, as when a cap is reached."""
    if bench.models:
        yield from _play(bench, FOR_TWO, 1, bench.models.refusing)


def _play(bench: Bench, table: CheckTable, games: int, gateway: Gateway | None = None) -> Findings:
    tapes = [Tape() for _ in range(table.players)]
    programs = [bench.staged.program] * table.players
    limits = replace(bench.request.limits, restarts=0).complete(games)
    fixture = table.fixture(bench.bot.name, games)

    def log(seat: int, direction: str, line: bytes) -> None:
        tapes[seat].add(direction, line)

    bench.start_ahead()
    pool, seats = bench.processes.for_table(), range(table.players)
    with _HaltingMultiplexer(
        programs,
        bench.sandbox,
        limits,
        log,
        pool,
        gateway or bench.gateway,
        charge=Charge(bench.budget, seats, bench.pace),
    ) as multiplexer:
        try:
            faults = _faults(play_fixture(fixture, table.rules, multiplexer))
        except _FaultError as error:
            faults = [(error.seat, error.fault)]
    for seat, fault in faults:
        said = multiplexer.stderr[seat] if fault.cause is not Cause.ILLEGAL_ACTION else ""
        yield finding_of(bench, table._replace(seat=seat), fault, tapes[seat], said)
    bench.meter.starting += multiplexer.starting
    bench.keep_stderr(multiplexer)


def _faults(played: PlayedFixture) -> list[tuple[int, Fault]]:
    """Return who faulted how; only illegal actions do not end a game here."""
    return [
        (event.seat, Fault(event.cause, event.detail))
        for record in played.games
        for event in record.events
        if isinstance(event, Faulted) and event.cause is Cause.ILLEGAL_ACTION
    ]
