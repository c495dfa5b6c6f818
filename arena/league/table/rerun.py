"""Stored games put to live bots again: a whole fixture, or the requests of one seat."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, cast

import msgspec
from msgspec import Struct

from arena.bots.bot import StagedBot
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import ObservedSandbox, Program, Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import MAX_STDERR
from arena.game.records import Cause, Event, Fault, GameRecord, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, Bye, CalzaOffer, Ready
from arena.league.table.live_seat import Request
from arena.league.table.recorded_game import Reply, SeatMoment, StoredSeat
from arena.league.table.transcript import OfGame, conversation


class Difference(Struct, frozen=True):
    """The first difference of a game; events are in their stored form, "" if missing."""

    game: int
    step: int
    """The first event that differs, from 0."""
    stored: str
    now: str


class Rerun(Struct, frozen=True):
    """The result of playing a fixture again."""

    fixture: int
    """The fixture's index in the schedule, from 0."""
    seats: tuple[str, ...]
    games: int
    """Games that were compared."""
    differences: list[Difference]
    transcript: list[str]
    """The conversation of the one game asked for, with the starts of its bots."""


def rerun(
    stored: PlayedFixture,
    rules: Rules,
    bots: Sequence[StagedBot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    game: int | None = None,
    gateway: Gateway | None = None,
) -> Rerun:
    """Play all games of a fixture again on the same dice; `bots` are in the order of its seats.

    With `game`, which must be among those stored, only that game is compared, and its conversation
    is returned.
    """
    wanted = (lambda _: False) if game is None else OfGame(game)
    played, lines, _ = conversation(stored.fixture, rules, bots, sandbox, limits, wanted, gateway)
    records = {record.game: record for record in played.games}
    compared = [record for record in stored.games if game in (None, record.game)]
    differences = [first_difference(record, records[record.game]) for record in compared]
    return Rerun(
        fixture=stored.fixture.index,
        seats=stored.fixture.seats,
        games=len(compared),
        differences=[difference for difference in differences if difference],
        transcript=[str(line) for line in lines],
    )


def first_difference(stored: GameRecord, now: GameRecord) -> Difference | None:
    """Return the first difference of two records of a game, None if they are the same."""
    for step, (old, new) in enumerate(zip_longest(stored.events, now.events)):
        if old != new:
            return Difference(stored.game, step, _json(old), _json(new))
    return None


def _json(event: Event | None) -> str:
    return "" if event is None else msgspec.json.encode(event).decode()


_ILLEGAL = 10
"""Illegal actions of which the lines and the standard error are kept."""


class AskedMoment(NamedTuple):
    """A moment of a seat, and the lines in which a bot is told and asked of it."""

    moment: SeatMoment
    news: tuple[bytes, ...]
    line: bytes
    """The request; b"" at the end of a game."""


class RerunDecision(Struct, frozen=True):
    """A request, the answer in the stored game, and the answer of the bot now."""

    step: int
    """The place of the event after the stored answer in the game, from 0; the line of a file."""
    request: Request
    stored: Reply | None
    """None if it is unknown, because another seat faulted in that moment."""
    now: Reply
    came: str = ""
    """The last line that the bot wrote, if it faulted; "" after many illegal actions."""
    stderr: str = ""
    """The last 64 KiB of its standard error since the fault before; "" as for `came`."""

    @property
    def differs(self) -> bool:
        """Whether the bot decides differently; faults of the same cause are the same."""
        return self.stored is not None and _plain(self.stored) != _plain(self.now)


class Watcher:
    """Follows a rerun of a seat, and may stop it; this one does nothing."""

    def started(self, pid: int | None) -> None:
        """Handle a new process of the bot, greeted and not yet ready."""

    def asking(self, request: Request) -> bool:  # noqa: ARG002 (subclasses show it)
        """Return whether to go on; called before each request is written."""
        return True

    def wrote(self, chunk: bytes) -> None:
        """Handle a piece of the bot's standard error, as it comes."""

    def decided(self, decision: RerunDecision) -> None:
        """Handle an answer."""


def asked_moments(stored: StoredSeat) -> Iterator[AskedMoment]:
    """Yield the moments of a stored seat with their lines; raises ReplayError."""
    for moment in stored.moments():
        line = encode(moment.request) if moment.request else b""
        yield AskedMoment(moment, tuple(map(encode, moment.news)), line)


def ask_again(
    hello: bytes,
    moments: Iterable[AskedMoment],
    program: Program,
    sandbox: Sandbox,
    limits: LimitsInfo,
    watcher: Watcher,
    gateway: Gateway | None = None,
) -> tuple[list[RerunDecision], str]:
    """Greet a bot and put all requests of a seat to it.

    Returns its decisions, and why some are missing. The bot gets the seat's notices, and sees the
    stored answers in `bids`, not its own. After a fault it goes on at the next request, in a new
    process that gets the notices of the game again; after an illegal action it goes on in the same
    one. It gets offers of calza if it asks for them. Decisions are missing if the bot does not
    start, has used up its restarts, or the watcher stops it; else the reason is "".
    """
    seat_rerun = _SeatRerun(hello, program, sandbox, limits, watcher, gateway)
    why = seat_rerun.run(moments)
    return seat_rerun.decisions, why


class _SeatRerun:
    def __init__(
        self,
        hello: bytes,
        program: Program,
        sandbox: Sandbox,
        limits: LimitsInfo,
        watcher: Watcher,
        gateway: Gateway | None,
    ) -> None:
        self.decisions: list[RerunDecision] = []
        self._hello = hello
        self._limits = limits
        self._watcher = watcher
        self._sandbox = ObservedSandbox(sandbox)
        self._multiplexer = Multiplexer(
            [program], self._sandbox, limits, self._log, gateway=gateway
        )
        self._ready = Ready()
        """The bot's last answer to `hello`."""
        self._notices: list[bytes] = []
        """The notices of the game so far, for a process that starts while it is under way."""
        self._last_line = ""
        self._stderr = b""
        self._starts = 0
        self._illegal = 0
        """Illegal actions so far."""

    def run(self, moments: Iterable[AskedMoment]) -> str:
        """Put the requests to the bot; returns why some were not, "" if all were."""
        with self._multiplexer as multiplexer:
            for asked in moments:
                self._notices += asked.news
                for notice in asked.news:
                    multiplexer.tell(0, notice)
                if asked.moment.request is None:
                    self._notices.clear()
                elif why := self._ask(asked.moment, asked.moment.request, asked.line):
                    return why
            if not self._starts and (fault := self._start()):  # it was told nothing but `hello`
                return f"it does not start: {fault.detail}"
            multiplexer.bye(encode(Bye()))
        return ""

    def _ask(self, moment: SeatMoment, request: Request, line: bytes) -> str:
        """Put one request to the bot; returns why the next one cannot be, "" if it can."""
        if not self._multiplexer.live(0):
            if self._starts > self._limits.restarts:
                return "it has used up its restarts"
            if fault := self._start():
                self._note(moment, request, fault)
                return "it does not start"
        if isinstance(request, CalzaOffer) and not self._ready.calza:
            return ""
        if not self._watcher.asking(request):
            return "stopped"
        self._multiplexer.ask(0, request.id, line, request.game)
        reply = self._reply()
        fault = moment.illegal(reply) if isinstance(reply, Answer) else None
        self._note(moment, request, fault or cast("Reply", reply))
        return ""

    def _start(self) -> Fault | None:
        self._starts += 1
        self._last_line, self._stderr = "", b""
        self._multiplexer.start(0, self._hello)
        self._watcher.started(self._sandbox.running.pid())
        reply = self._reply()
        if isinstance(reply, Fault):
            return reply
        self._ready = cast("Ready", reply)
        for notice in self._notices:
            self._multiplexer.tell(0, notice)
        return None

    def _reply(self) -> Ready | Answer | Fault:
        """Wait for what the bot says; a bot that faults is stopped."""
        [(_, _, reply)] = self._multiplexer.wait()
        if isinstance(reply, Fault):
            self._multiplexer.stop(0)
        return reply

    def _note(self, moment: SeatMoment, request: Request, reply: Reply) -> None:
        came = stderr = ""
        if isinstance(reply, Fault):
            self._illegal += reply.cause is Cause.ILLEGAL_ACTION
            if reply.cause is not Cause.ILLEGAL_ACTION or self._illegal <= _ILLEGAL:
                came, stderr = self._last_line, self._stderr.decode("utf-8", "backslashreplace")
            self._stderr = b""
        decision = RerunDecision(moment.step, request, moment.answer, reply, came, stderr)
        self.decisions.append(decision)
        self._watcher.decided(decision)

    def _log(self, _: int, direction: str, line: bytes) -> None:
        if direction == ">>":
            self._last_line = ""
        elif direction == "<<":
            self._last_line = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
        else:
            self._stderr = (self._stderr + line)[-MAX_STDERR:]
            self._watcher.wrote(line)


def lines_for_tests(stored: StoredSeat, decisions: Sequence[RerunDecision]) -> Iterator[bytes]:
    """Yield the messages to the seat, as a bot would read them, with the answers beside them.

    Requests without a decision are left out. The others have two more fields, `stored` and `now`:
    the answer as in the protocol but without the id, or the cause of a fault.
    """
    decided = {decision.request.id: decision for decision in decisions}
    yield encode(stored.hello)
    for moment in stored.moments():
        yield from map(encode, moment.news)
        if moment.request and (decision := decided.get(moment.request.id)):
            answers = {"stored": _plain(decision.stored), "now": _plain(decision.now)}
            line = {**msgspec.to_builtins(moment.request), **answers}
            yield msgspec.json.encode(line) + b"\n"
    yield encode(Bye())


def _plain(reply: Reply | None) -> dict[str, object] | None:
    """Return an answer without its id, or a fault without its detail, as plain data."""
    if reply is None:
        return None
    if isinstance(reply, Fault):
        return {"fault": reply.cause.value}
    if reply.action != "bid":
        return {"action": reply.action}
    return {"action": "bid", "quantity": reply.quantity, "face": reply.face}
