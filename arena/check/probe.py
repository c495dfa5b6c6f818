"""One bot alone at a table that the check plays for it."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self, cast

from arena.check.bench import Bench
from arena.check.findings import Finding
from arena.check.hints import Evidence, hint_for, named
from arena.check.late import wait_longer
from arena.match.seats import hello_to
from arena.perudo.round_limit import max_rounds
from arena.perudo.rules import Rules
from arena.records import Cause, Fault, Fixture
from arena.sandboxes.base import Running
from arena.sessions.multiplexer import Multiplexer
from arena.wire.codec import encode
from arena.wire.messages import Answer, CalzaOffer, Ready, ToBot, Turn

SEED = "check"
"""Keys the dice and the seeds of every check."""
GAMES = 100
"""Games that a probe announces."""


class Table(NamedTuple):
    """Where the bot sits, and by which rules."""

    rules: Rules
    players: int
    seat: int = 0

    def __str__(self) -> str:
        return f"{self.rules.name}, {self.players} players, seat {self.seat}"

    def fixture(self, name: str, games: int) -> Fixture:
        """Return a fixture of the bot against itself at this table."""
        rounds = max_rounds(self.rules, self.players)
        seats = (name,) * self.players
        return Fixture(SEED, 0, self.rules.name, seats, SEED, games, max_rounds=rounds)


class Tape:
    """The lines of one seat since its last answer, and that answer."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.came = ""

    def add(self, direction: str, line: bytes) -> None:
        """Note a line to the bot (`>>`) or from it (`<<`)."""
        text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
        if direction == "<<":
            self.came = text
        if direction != ">>":
            return
        if self.came:
            self.sent.clear()
            self.came = ""
        self.sent.append(text)


class Probe:
    """A live bot at a table; a context manager that leaves no process but a reusable one.

    `edit` changes every line before it is sent. After a finding of `start`, `ask` or `ask_all` the
    bot has been stopped.
    """

    def __init__(
        self, bench: Bench, table: Table, edit: Callable[[bytes], bytes] = lambda line: line
    ) -> None:
        self._bench = bench
        self._table = table
        self._edit = edit
        self._tape = Tape()
        self._asked_at = 0.0
        self._serves_again = False
        limits = bench.request.limits.complete(GAMES)
        self._multiplexer = Multiplexer(
            [bench.staged.program],
            bench.sandbox,
            limits,
            lambda _, direction, line: self._tape.add(direction, line),
            bench.processes.for_table(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._serves_again and self._multiplexer.live(0):
            self._bench.meter.look(self.running)
            self._multiplexer.reusable.add(0)
            self._multiplexer.bye(b"")
            self._bench.keep_stderr(self._multiplexer.stderr[0])
        self._stop()
        self._multiplexer.__exit__()

    @property
    def running(self) -> Running:
        """The bot's program."""
        return self._bench.processes.last

    def start(self) -> Ready | Finding:
        """Start the bot and greet it."""
        fixture = self._table.fixture(self._bench.bot.name, GAMES)
        limits = self._multiplexer.limits
        hello = hello_to(self._table.seat, fixture, self._table.rules, limits)
        if not (self._bench.ready and self._bench.ready.reusable):
            self._bench.start_ahead()
        self._asked_at = began = time.monotonic()
        if fault := self._multiplexer.start(0, self._edit(encode(hello))):
            return self.finding(fault)
        [(_, _, reply)] = self._multiplexer.wait()
        if isinstance(reply, Fault):
            return self.finding(reply)
        self._bench.meter.started(time.monotonic() - began)
        ready = cast("Ready", reply)
        self._serves_again = ready.reusable
        return ready

    def tell(self, notice: ToBot) -> None:
        """Tell the bot something, with its next request."""
        self._multiplexer.tell(0, self._edit(encode(notice)))

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
            line = self._edit(encode(request))
            self._multiplexer.ask(0, request.id, line, request.game)
        answers: dict[int, Answer] = {}
        while len(answers) < len(requests):
            for _, id_, reply in self._multiplexer.wait():
                if isinstance(reply, Fault):
                    return self.finding(reply)
                answers[id_] = cast("Answer", reply)
        return answers

    def finding(self, fault: Fault) -> Finding:
        """Return a fault with all that belongs to it; the bot is stopped unless it may go on."""
        detail, came, kind = fault.detail, self._tape.came, ""
        if fault.cause is Cause.TIMEOUT and self._multiplexer.live(0):
            before = time.monotonic() - self._asked_at
            late = wait_longer(self.running, self._bench.request.patience)
            kind, came = late.kind, late.text
            detail += named(late, before)
        stderr = ""
        if fault.cause is not Cause.ILLEGAL_ACTION:
            stderr = self._stop()
        runtime, sandbox = self._bench.bot.info.runtime, self._bench.sandbox.name
        evidence = Evidence(fault.cause, detail, came, stderr, kind, runtime, sandbox)
        return Finding(
            what=f"{fault.cause}: {detail}",
            where=str(self._table),
            hint=hint_for(evidence),
            sent=tuple(self._tape.sent),
            came=came,
            stderr=stderr,
        )

    def bye(self, line: bytes) -> None:
        """Say goodbye and end the input."""
        self._serves_again = False
        self._multiplexer.bye(line)

    def _stop(self) -> str:
        """Stop the bot; returns what it wrote to standard error."""
        if not self._multiplexer.live(0):
            return ""
        self._bench.meter.look(self.running)
        self._multiplexer.stop(0)
        stderr = self._multiplexer.stderr[0]
        self._bench.keep_stderr(stderr)
        return stderr
