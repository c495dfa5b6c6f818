"""One bot alone at a table that the check plays for it, and its faults there."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Self, cast

from msgspec.structs import replace

from arena.author.check.bench import Bench, Seated, Tape
from arena.author.check.findings import Finding
from arena.author.check.hints.fault import Evidence, hint_for, named
from arena.author.check.outside import why_no_start
from arena.author.check.positions import GAMES, SHARED, CheckMoment, CheckTable
from arena.author.check.timeout_cause import wait_longer
from arena.bots.sandboxes.base import Running
from arena.game.records import Cause, Fault
from arena.game.referee import Notice
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer, CalzaOffer, Ready, Turn
from arena.league.table.live_seat import hello_to


def finding_of(
    bench: Bench, table: CheckTable, fault: Fault, tape: Tape, stderr: str, late: str = ""
) -> Finding:
    """Return a fault at a table, with how to mend it; `late` is the kind of `Late`."""
    evidence = Evidence(
        fault.cause,
        fault.detail,
        tape.came,
        stderr,
        late=late,
        runtime=bench.language,
        in_image=not bench.sandbox.uses_host_programs,
        files=tuple(bench.files),
        sent=tuple(tape.sent),
        interpreter=bench.interpreter,
        told=tuple(tape.told),
    )
    return Finding(
        what=f"{fault.cause}: {fault.detail}",
        where=str(table),
        hint=why_no_start(bench, fault.detail, stderr) or hint_for(evidence),
        sent=evidence.sent,
        came=tape.came,
        told=evidence.told,
        stderr=stderr,
    )


class Probe:
    """A live bot at a table; a context manager.

    At the end its process goes on to another table if it is reusable. If it is not, it waits at
    its table if later steps use that, and is stopped otherwise. `edit` changes every line before
    it is sent; such a process is stopped, too, unless it is reusable. After a finding of `start`,
    `ask` or `ask_all` the bot has been stopped.
    """

    def __init__(
        self, bench: Bench, table: CheckTable, edit: Callable[[bytes], bytes] | None = None
    ) -> None:
        self._bench = bench
        self._table = table
        self._edit = edit or (lambda line: line)
        self._asked_at = 0.0
        self._stays = not edit and table in SHARED
        waiting = bench.seated.pop(table, None) if self._stays else None
        limits = bench.request.limits.complete(GAMES)
        program, pool = bench.staged.program, bench.processes.for_table()
        self._seated = waiting or Seated(
            program, bench.sandbox, limits, pool, bench.budget, bench.pace, bench.gateway
        )
        self._multiplexer = self._seated.multiplexer
        # The games of each step are numbered from 0, their requests from 1.
        self._games, self._requests = self._seated.games, self._seated.requests

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        seated = self._seated
        goes_on = seated.ready is not None and self._multiplexer.live(0)
        if goes_on and seated.ready and seated.ready.reusable:
            self._bench.meter.look(self.running)
            self._multiplexer.reusable.add(0)
            self._multiplexer.bye(b"")
            self._bench.keep_stderr(self._multiplexer)
        elif goes_on and self._stays:
            self.running.freeze(frozen=True)
            self._bench.seated[self._table] = seated
            return
        self._stop()
        self._multiplexer.__exit__()

    @property
    def running(self) -> Running:
        """The bot's program."""
        return self._seated.running

    def start(self) -> Ready | Finding:
        """Start the bot and greet it, unless it waits at this table already."""
        seated = self._seated
        if seated.ready:
            self.running.freeze(frozen=False)
            return seated.ready
        fixture = self._table.fixture(self._bench.bot.name, GAMES)
        multiplexer = self._multiplexer
        hello = hello_to(
            self._table.seat,
            fixture,
            self._table.rules,
            multiplexer.limits,
            models=multiplexer.asks_models(0),
        )
        if not (self._bench.ready and self._bench.ready.reusable):
            self._bench.start_ahead()
        self._asked_at = began = time.monotonic()
        multiplexer.start(0, self._edit(encode(hello)))
        seated.running = self._multiplexer.running(0)
        [(_, _, reply)] = self._multiplexer.wait()
        if isinstance(reply, Fault):
            return self.finding(reply)
        self._bench.meter.started(time.monotonic() - began)
        seated.ready = cast("Ready", reply)
        return seated.ready

    def tell(self, notice: Notice) -> None:
        """Tell the bot something, with its next request."""
        told = replace(notice, game=self._number(notice.game))
        self._multiplexer.tell(0, self._edit(encode(told)))

    def tell_rest(self, recorded: Iterable[CheckMoment]) -> None:
        """Tell the bot how the game in progress went on: its process may play another one."""
        for moment in recorded:
            for notice in moment.news:
                self.tell(notice)
            if moment.request is None:
                return

    def tell_line(self, line: bytes) -> None:
        """Send a line as it is, with the next request."""
        self._multiplexer.tell(0, line)

    def ask(self, request: Turn | CalzaOffer) -> Answer | Finding:
        """Ask for one answer, and measure it."""
        meter = self._bench.meter
        before, began = self.running.cpu_time(), time.perf_counter()
        replies = self.ask_all([request])
        if isinstance(replies, Finding):
            return replies
        after = self.running.cpu_time()
        meter.by_cpu = before is not None and after is not None
        passed = time.perf_counter() - began
        meter.decisions.append(passed if before is None or after is None else after - before)
        return replies[request.id]

    def ask_all(self, requests: Sequence[Turn | CalzaOffer]) -> dict[int, Answer] | Finding:
        """Ask several requests in one write; returns the answers by id."""
        self._asked_at = time.monotonic()
        for request in requests:
            id_, game = self._requests + request.id, self._number(request.game)
            self._seated.requests = max(self._seated.requests, id_)
            line = self._edit(encode(replace(request, id=id_, game=game)))
            self._multiplexer.ask(0, id_, line, game)
        answers: dict[int, Answer] = {}
        while len(answers) < len(requests):
            for _, id_, reply in self._multiplexer.wait():
                if isinstance(reply, Fault):
                    return self.finding(reply)
                answers[id_ - self._requests] = cast("Answer", reply)
        return answers

    def _number(self, game: int) -> int:
        """Return the number by which the bot knows a game of this step."""
        number = self._games + game
        self._seated.games = max(self._seated.games, number + 1)
        return number

    def finding(self, fault: Fault) -> Finding:
        """Return a fault with all that belongs to it; the bot is stopped unless it may go on."""
        tape = self._seated.tape
        kind = ""
        if fault.cause is Cause.TIMEOUT and self._multiplexer.live(0):
            before = time.monotonic() - self._asked_at
            late = wait_longer(self.running, self._bench.request.patience)
            kind, tape.came = late.kind, late.text
            fault = replace(fault, detail=fault.detail + named(late, before))
        stderr = ""
        if fault.cause is not Cause.ILLEGAL_ACTION:
            stderr = self._stop()
        return finding_of(self._bench, self._table, fault, tape, stderr, kind)

    def bye(self, line: bytes) -> None:
        """Say goodbye and end the input."""
        self._seated.ready = None
        self._multiplexer.bye(line)

    def _stop(self) -> str:
        return self._bench.stop(self._seated)
