"""The context of the steps of a check: the bot on its way from files to a running program."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from arena.author.check.budget import Budget
from arena.author.check.live_seat import Seated
from arena.author.check.meter import MOST_WAITING, Meter, Processes
from arena.author.check.models import ScriptedModels, scripted_models
from arena.author.check.pace import Pace
from arena.author.check.tables import CheckTable
from arena.bots.bot import Bot, StagedBot
from arena.bots.builds.cache import BuildCache
from arena.bots.command import interpreter_named
from arena.bots.models.gateway import Gateway
from arena.bots.runtimes import language_of
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.capped import end_of
from arena.bots.sandboxes.registry import AUTO
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import MAX_STDERR
from arena.bots.workshop import Workshop
from arena.game.records import LimitsInfo
from arena.game.wire.messages import Ready


class CheckRequest(Struct, frozen=True):
    """The bot to check, and the terms of the check."""

    source: Path
    """Its folder or archive."""
    sandbox: str = AUTO
    images: dict[str, str] = {}
    """Images of containers by runtime, in place of the arena's own."""
    paths: tuple[str, ...] = ()
    """What the sandbox shows of the machine besides."""
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
        """Where it is staged."""
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
