"""The bot that is checked, on its way from files to processes at tables, with its models."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.author.check.budget import Budget, BudgetedMultiplexer, Charge
from arena.author.check.meter import MOST_WAITING, Meter, Pace, Processes
from arena.author.check.positions import CheckTable
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.staging import BuildCache
from arena.bots.command import interpreter_named
from arena.bots.models.config import Cap, Caps, Model
from arena.bots.models.gateway import Access, Gateway
from arena.bots.models.scripted import ScriptedServer, one_of
from arena.bots.runtimes import language_of
from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.bots.sandboxes.registry import AUTO
from arena.bots.sandboxes.run_once import end_of
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import MAX_STDERR
from arena.bots.sessions.warm_pool import TablePool
from arena.bots.workshop import Workshop
from arena.game.records import LimitsInfo
from arena.game.rules.books import MAX_PLAYERS
from arena.game.wire.messages import Ready

_ANSWERS = (
    "[dudo]",
    "I raise. [bid 2 fives]",
    "[Call]",
    "[Bid: 3, 6]",
    '{"action": "bid", "quantity": 1, "face": 2}',
    "I do not know what to do.",
    "",
    "[bid 99 sixes] " * 200,
    "\u2680\u2685 \U0001f3b2 [bid \u0663 fives]",
)
"""Right, wrong and useless answers in several forms: how a bot wants its answers is unknown."""


class ScriptedModels(NamedTuple):
    """The ways from a bot to the models that it names."""

    answering: Gateway
    refusing: Gateway
    """A cap is reached: each request gets an error."""


@contextmanager
def scripted_models(bot: str, names: Sequence[str]) -> Iterator[ScriptedModels]:
    """Yield gateways to a server that costs nothing, for a bot in every seat."""
    with ScriptedServer(one_of(_ANSWERS)) as server:
        free = Model(url=server.url, model="scripted")
        capped = Model(url=server.url, model="scripted", caps=Caps(game=Cap(tokens=0)))
        seats = [bot] * MAX_PLAYERS
        with (
            Access(dict.fromkeys(names, free)).gateway(seats) as answering,
            Access(dict.fromkeys(names, capped)).gateway(seats) as refusing,
        ):
            yield ScriptedModels(answering, refusing)


class Tape:
    """The lines of one seat since its last answer, that answer, and all lines that it was sent."""

    def __init__(self) -> None:
        self.told: list[str] = []
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
        self.told.append(text)


class Seated:
    """A process of the bot that took a seat, or is about to."""

    running: Running
    ready: Ready | None = None
    """Its answer to the greeting."""

    def __init__(
        self,
        program: Program,
        sandbox: Sandbox,
        limits: LimitsInfo,
        pool: TablePool,
        budget: Budget,
        pace: Pace,
        gateway: Gateway | None = None,
    ) -> None:
        self.tape = Tape()
        self.games = 0
        """Games that it was told of, at most: a further one gets this number or a higher one."""
        self.requests = 0
        """The highest id of a request so far."""
        self.multiplexer = BudgetedMultiplexer(
            [program],
            sandbox,
            limits,
            lambda _, direction, line: self.tape.add(direction, line),
            pool,
            gateway,
            charge=Charge(budget, {0}, pace),
        )


class CheckRequest(Struct, frozen=True):
    """The bot to check, and the terms of the check."""

    source: Path
    """The bot's folder or archive."""
    sandbox: str = AUTO
    images: dict[str, str] = {}
    """Images of containers by runtime, in place of the arena's own."""
    paths: tuple[str, ...] = ()
    """Paths of the machine that the sandbox also shows."""
    trusted: bool = False
    """Whether it may run without isolation."""
    packages: bool = False
    """Whether the Python packages that it asks for are installed."""
    limits: LimitsInfo = LimitsInfo()
    every_fault: bool = False
    """Whether to go on after a fault."""
    step: int | None = None
    """The only step to try, beside those that prepare it; None for all."""
    last: int | None = None
    """The last step to try; None for all."""
    looks_outside: bool = False
    """Whether files of this machine that a sandbox hides are named to the author: they run it.

    A bot that may run without isolation is then tried so, if it does not start in the sandbox.
    """
    patience: float = 5.0
    """Seconds that a bot which is late is given on top, to see what comes of it."""
    positions: int = 2000
    """Recorded positions that are put to the bot."""
    bot: Bot | None = None
    """The bot, if its source was read already."""
    builds: BuildCache | None = None
    """Where builds are looked for and kept; None builds the bot."""
    budget: Budget | None = None
    """The time of the whole check; None for no limit."""


class Bench:
    """The bot that is checked. Each step uses what the earlier ones left here."""

    bot: Bot
    staged: StagedBot
    workshop: Workshop
    files: dict[str, tuple[int, int]]
    """The sizes and times of the files that it started with."""

    def __init__(
        self,
        request: CheckRequest,
        folder: Path,
        tell: Callable[[str], None],
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.request = request
        self.folder = folder
        """The folder in which the bot is staged."""
        self.tell = tell
        """Gets what is being tried, for who waits."""
        self.ready: Ready | None = None
        self.at_a_time = 0
        """Starts that may go on side by side; 0 if the bot starts fast."""
        self.budget = request.budget or Budget()
        self.pace = Pace(warn)
        self.meter = Meter()
        self.processes = Processes()
        self.seated: dict[CheckTable, Seated] = {}
        """Processes that wait at their tables for later steps: they serve at no other one."""
        self.build = ""
        self.models: ScriptedModels | None = None
        """None if the bot names none."""
        self._ends = ExitStack()
        self._stderr = ""
        self._stderr_size = 0
        self.notes: list[str] = []
        """Notes of the step in progress, for its result."""
        self.advice: list[str] = []

    @property
    def language(self) -> str:
        """The runtime that the bot is written for, as far as bot.yaml tells: a key of RUNTIMES."""
        return language_of(self.bot.info.runtime, self.bot.command[0])

    @property
    def interpreter(self) -> str:
        """The program that the first line of its script names, "" if it is none."""
        return interpreter_named(self.staged.command, self.staged.folder)

    @property
    def sandbox(self) -> Sandbox:
        """Where it is built and runs."""
        return self.workshop.sandbox

    @property
    def gateway(self) -> Gateway | None:
        """The way to the models that it names, None if it names none."""
        return self.models.answering if self.models else None

    def open_models(self) -> None:
        """Open the models that the bot names, until the end."""
        if names := self.bot.info.models:
            self.models = self._ends.enter_context(scripted_models(self.bot.name, names))

    def start_ahead(self, most: int = MOST_WAITING) -> None:
        """Start a slow bot several times side by side, for the tables to come."""
        at_a_time = min(self.at_a_time, most)
        self.processes.start_ahead(self.staged.program, self.sandbox, at_a_time)

    def stop(self, seated: Seated) -> str:
        """Stop a process, measure it, and return what it wrote to standard error."""
        if not seated.multiplexer.live(0):
            return ""
        self.meter.look(seated.running)
        seated.multiplexer.__exit__()
        self.keep_stderr(seated.multiplexer)
        return seated.multiplexer.stderr[0]

    def end(self) -> None:
        """End all processes."""
        while self.seated:
            self.stop(self.seated.popitem()[1])
        self.processes.end()
        self._ends.close()

    def keep_stderr(self, multiplexer: Multiplexer) -> None:
        """Keep the end of what processes of the bot wrote to standard error; of the same, one."""
        by_text = dict(zip(multiplexer.stderr, multiplexer.stderr_sizes, strict=True))
        self._stderr = (self._stderr + "".join(by_text))[-MAX_STDERR:]
        self._stderr_size += sum(by_text.values())

    @property
    def stderr(self) -> str:
        """The end of what all its processes wrote, and how much came before that."""
        return end_of(self._stderr, self._stderr_size, "standard error")
