"""A live bot that is asked what a seat was asked in recorded games, whatever it answers."""

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec
from msgspec import Struct

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sandboxes.passing import ObservedSandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import MAX_STDERR
from arena.game.records import Cause, Fault, Fixture, GameRecord, LimitsInfo
from arena.game.rules.books import Rules
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, Bye, CalzaOffer, Hello, Ready
from arena.league.table.recorded_seat import Reply, Request, SeatMoment, seat_moments
from arena.league.table.seats import hello_to


class StoredSeat(Struct, frozen=True):
    """A seat of a stored fixture, and the games of it that are looked at."""

    fixture: Fixture
    rules: Rules
    limits: LimitsInfo
    """What `hello` says."""
    games: Sequence[GameRecord]
    seat: int

    @property
    def hello(self) -> Hello:
        """What the seat's bot was greeted with."""
        return hello_to(self.seat, self.fixture, self.rules, self.limits)

    def moments(self) -> Iterator[SeatMoment]:
        """Yield what the seat was told and asked; raises ReplayError."""
        for record in self.games:
            yield from seat_moments(self.fixture, self.rules, record, self.seat)


class Decision(Struct, frozen=True):
    """What a seat was asked, what it answered in the stored game, and what the bot answers now."""

    step: int
    """The place of what came of the stored answer among the events of the game, from 0."""
    request: Request
    stored: Reply | None
    """None if nobody knows, because another seat faulted in that moment."""
    now: Reply
    came: str = ""
    """The last line that the bot wrote, if it faulted."""
    stderr: str = ""
    """What its process had written to standard error, its end, if it faulted."""

    @property
    def differs(self) -> bool:
        """Whether the bot decides differently; faults of the same cause are the same."""
        return self.stored is not None and _plain(self.stored) != _plain(self.now)


class Watcher:
    """Is told how a bot is asked again, and may end it; this one only lets it happen."""

    def started(self, pid: int | None) -> None:
        """Handle a new process of the bot, greeted and not yet ready."""

    def asking(self, request: Request) -> bool:  # noqa: ARG002 (subclasses show it)
        """Return whether to go on; called before each request is written."""
        return True

    def wrote(self, text: str) -> None:
        """Handle what the bot wrote to standard error, as it comes."""

    def decided(self, decision: Decision) -> None:
        """Handle an answer."""


def ask_again(
    stored: StoredSeat, program: Program, sandbox: Sandbox, limits: LimitsInfo, watcher: Watcher
) -> tuple[list[Decision], str]:
    """Ask a bot all that a seat was asked; returns its decisions, and why not all were asked.

    It is told what the seat was told, and sees the stored answers in `bids`, not its own. After a
    fault it goes on at the next request, in a new process that hears the news of the game again;
    after an illegal action in the same one. It gets offers of calza if it asks for them. Not all is
    asked if it does not start, has used up its restarts, or the watcher ends it.
    """
    asker = _Asker(stored, program, sandbox, limits, watcher)
    why = asker.run()
    return asker.decisions, why


class _Asker:
    def __init__(
        self,
        stored: StoredSeat,
        program: Program,
        sandbox: Sandbox,
        limits: LimitsInfo,
        watcher: Watcher,
    ) -> None:
        self.decisions: list[Decision] = []
        self._stored = stored
        self._limits = limits
        self._watcher = watcher
        self._sandbox = ObservedSandbox(sandbox)
        self._multiplexer = Multiplexer([program], self._sandbox, limits, self._hear)
        self._ready = Ready()
        self._news: list[bytes] = []
        """Of the game so far, for a process that starts while it is under way."""
        self._came = ""
        self._stderr = ""
        self._starts = 0

    def run(self) -> str:
        """Ask; returns why not all was asked, "" if it was."""
        with self._multiplexer as multiplexer:
            for moment in self._stored.moments():
                self._tell(moment)
                if moment.request is None:
                    self._news.clear()
                elif why := self._go_through(moment, moment.request):
                    return why
            multiplexer.bye(encode(Bye()))
        return ""

    def _go_through(self, moment: SeatMoment, request: Request) -> str:
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
        self._multiplexer.ask(0, request.id, encode(request), request.game)
        reply = cast("Reply", self._wait())
        fault = moment.illegal(reply) if isinstance(reply, Answer) else None
        self._note(moment, request, fault or reply)
        return ""

    def _start(self) -> Fault | None:
        self._starts += 1
        self._came = self._stderr = ""
        if fault := self._multiplexer.start(0, encode(self._stored.hello)):
            return fault
        self._watcher.started(self._sandbox.running.pid())
        reply = self._wait()
        if isinstance(reply, Fault):
            return reply
        self._ready = cast("Ready", reply)
        for line in self._news:
            self._multiplexer.tell(0, line)
        return None

    def _wait(self) -> Reply | Ready:
        [(_, _, reply)] = self._multiplexer.wait()
        return reply

    def _tell(self, moment: SeatMoment) -> None:
        lines = [encode(notice) for notice in moment.news]
        self._news += lines
        for line in lines:
            self._multiplexer.tell(0, line)

    def _note(self, moment: SeatMoment, request: Request, reply: Reply) -> None:
        came = stderr = ""
        if isinstance(reply, Fault):
            if reply.cause is not Cause.ILLEGAL_ACTION:
                self._multiplexer.stop(0)
            came, stderr = self._came, self._stderr
        decision = Decision(moment.step, request, moment.answer, reply, came, stderr)
        self.decisions.append(decision)
        self._watcher.decided(decision)

    def _hear(self, _: int, direction: str, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace")
        if direction == ">>":
            self._came = ""
        elif direction == "<<":
            self._came = text.rstrip("\r\n")
        else:
            self._stderr = (self._stderr + text)[-MAX_STDERR:]
            self._watcher.wrote(text)


def lines_for_tests(stored: StoredSeat, decisions: Sequence[Decision]) -> Iterator[bytes]:
    """Yield the conversation with the seat, as a bot would read it, with the answers beside it.

    Of the requests it has those that were decided. Each has two fields more, `stored` and `now`:
    what was answered, as the protocol has it but for the id, or the cause of a fault.
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
    """Return what counts of an answer or a fault, as plain data."""
    if reply is None:
        return None
    if isinstance(reply, Fault):
        return {"fault": reply.cause.value}
    if reply.action != "bid":
        return {"action": reply.action}
    return {"action": "bid", "quantity": reply.quantity, "face": reply.face}
