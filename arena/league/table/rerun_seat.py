"""The requests of a recorded seat put to a live bot again, whatever it answers."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sandboxes.passing import ObservedSandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import MAX_STDERR
from arena.game.records import Cause, Fault, LimitsInfo
from arena.game.referee import Notice
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, Bye, CalzaOffer
from arena.league.table.live_seat import LiveSeat, Request
from arena.league.table.recorded_seat import Reply, SeatMoment, StoredSeat

_ILLEGAL = 10
"""Illegal actions of which the lines and the standard error are kept."""


class RerunDecision(Struct, frozen=True):
    """A request, the answer in the stored game, and the answer of the bot now."""

    step: int
    """The place of the event after the stored answer in the game, from 0."""
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


def ask_again(
    stored: StoredSeat, program: Program, sandbox: Sandbox, limits: LimitsInfo, watcher: Watcher
) -> tuple[list[RerunDecision], str]:
    """Put all requests of a seat to a bot; returns its decisions, and why some are missing.

    The bot gets the seat's notices, and sees the stored answers in `bids`, not its own. After a
    fault it goes on at the next request, in a new process that gets the notices of the game again;
    after an illegal action it goes on in the same one. It gets offers of calza if it asks for them.
    Decisions are missing if the bot does not start, has used up its restarts, or the watcher stops
    it; else the reason is "".
    """
    seat_rerun = _SeatRerun(stored, program, sandbox, limits, watcher)
    why = seat_rerun.run()
    return seat_rerun.decisions, why


class _SeatRerun:
    def __init__(
        self,
        stored: StoredSeat,
        program: Program,
        sandbox: Sandbox,
        limits: LimitsInfo,
        watcher: Watcher,
    ) -> None:
        self.decisions: list[RerunDecision] = []
        self._stored = stored
        self._limits = limits
        self._watcher = watcher
        self._sandbox = ObservedSandbox(sandbox)
        self._multiplexer = Multiplexer([program], self._sandbox, limits, self._log)
        self._bot = LiveSeat(self._multiplexer)
        self._notices: list[Notice] = []
        """Of the game so far, for a process that starts while it is under way."""
        self._last_line = ""
        self._stderr = b""
        self._starts = 0
        self._illegal = 0
        """Illegal actions so far."""

    def run(self) -> str:
        """Put the requests to the bot; returns why some were not, "" if all were."""
        with self._multiplexer as multiplexer:
            for moment in self._stored.moments():
                self._notices += moment.news
                for notice in moment.news:
                    self._bot.tell(notice)
                if moment.request is None:
                    self._notices.clear()
                elif why := self._ask(moment, moment.request):
                    return why
            multiplexer.bye(encode(Bye()))
        return ""

    def _ask(self, moment: SeatMoment, request: Request) -> str:
        """Put one request to the bot; returns why the next one cannot be, "" if it can."""
        if not self._bot.live:
            if self._starts > self._limits.restarts:
                return "it has used up its restarts"
            if fault := self._start():
                self._note(moment, request, fault)
                return "it does not start"
        if isinstance(request, CalzaOffer) and not self._bot.ready.calza:
            return ""
        if not self._watcher.asking(request):
            return "stopped"
        reply = self._bot.ask(request)
        fault = moment.illegal(reply) if isinstance(reply, Answer) else None
        self._note(moment, request, fault or reply)
        return ""

    def _start(self) -> Fault | None:
        self._starts += 1
        self._last_line, self._stderr = "", b""
        if fault := self._bot.start(self._stored.hello):
            return fault
        self._watcher.started(self._sandbox.running.pid())
        if fault := self._bot.wait_until_ready():
            return fault
        for notice in self._notices:
            self._bot.tell(notice)
        return None

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
