"""The work of every worker, wherever it runs: play whole fixtures and pack the results."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.models.gateway import Access, ServerDownError
from arena.bots.models.ledger import Shared
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.game.records import Fixture, LimitsInfo
from arena.game.rules.books import Rules
from arena.io.cores import share_processor
from arena.io.errors import ShortageError, shortage_of
from arena.league.store.rows import PackedFixture, pack
from arena.league.table.play_fixture import WatchedGame, play_fixture


class Task(Struct, frozen=True):
    """All that a worker needs to play a fixture."""

    fixture: Fixture
    rules: Rules
    bots: tuple[StagedBot, ...]
    limits: LimitsInfo
    keep_memory: bool = False
    open_dice: frozenset[str] = frozenset()
    """The keys of dice in play at other tables (`TableDice.open`)."""
    next_bots: tuple[StagedBot, ...] = ()
    """The bots of the task that the worker will probably get after this one."""
    next_dice: str = ""
    """The key of the dice of that task."""
    watched: str = ""
    """The file for the events of its first game as it is played (`WatchedGame`); "" for none."""

    @property
    def dice(self) -> TableDice:
        """The dice that no process that plays may have seen."""
        return TableDice(self.fixture.dice_key, self.open_dice)


class PutOff(Struct, frozen=True):
    """A fixture that could not be played, through no fault of a bot or a worker."""

    fixture: str
    """The id of the fixture."""
    model: str
    """The language model whose server does not answer."""
    why: str


class Lacking(Struct, frozen=True):
    """A fixture that could not be played because the machine of its worker lacked something."""

    fixture: str
    """The id of the fixture."""
    shortage: ShortageError


Played = PackedFixture | PutOff | Lacking


class WorkerDiedError(Exception):
    """A worker ended while it had a task; another cause than the task is possible."""

    def __init__(self, deaths: int = 1) -> None:
        super().__init__(deaths)
        self.deaths = deaths
        """How many workers died with the task, one after another."""


class BatchResult(Struct, frozen=True):
    """The results of a batch, and the time that the worker spent on it."""

    fixtures: Sequence[Played]
    seconds: float


class BatchSize(Struct):
    """How many fixtures a worker gets at a time: as many as take some seconds of play."""

    wanted: float
    """Seconds of play in a batch."""
    seconds: float = 0.0
    """Seconds that the fixtures so far took."""
    fixtures: int = 0

    def add(self, played: BatchResult) -> None:
        """Count fixtures that were played."""
        self.seconds += played.seconds
        self.fixtures += len(played.fixtures)

    def of(self, waiting: int, workers: int) -> int:
        """Return it; 1 at first, and fewer fixtures if not all workers would get some."""
        if not self.fixtures:
            return 1
        size = math.ceil(self.wanted * self.fixtures / max(self.seconds, 1e-6))
        return max(1, min(size, waiting // (workers + 1)))


class Engine(Protocol):
    """Workers behind an Executor. Results do not depend on which engine plays."""

    def worker_count(self) -> int:
        """Return how many workers there are now."""

    def batch_size(self, waiting: int) -> int:
        """Return how many of the waiting tasks one worker should get at a time, at least 1."""

    def executor(self, workers: int) -> AbstractContextManager[Executor]:
        """Open an executor with so many workers; an exception inside ends their tasks."""

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to one worker. Raises BrokenExecutor if a worker's death broke it."""

    def collect(self, future: Future[object]) -> Sequence[Played]:
        """Return the results; raises WorkerDiedError, or ArenaError if no more can be played."""


class RunSpec(Struct, frozen=True):
    """The demands of a run on each worker on another machine."""

    sandbox: str
    """By name: that of the league, or "auto" to let each worker choose."""
    images: dict[str, str]
    trusted: bool
    """Whether bots may run without isolation."""
    freeze: bool
    pin: bool
    """Whether to claim a core that no other worker has; only for workers that end with the run."""
    paths: tuple[str, ...] = ()
    """What its sandbox shows of the machine besides."""
    bots: tuple[StagedBot, ...] = ()
    """All that will play, in their folders where the run was started; added when packed."""
    bundles: dict[str, str] = {}
    """The digest of each bot's bundle, by the digest of the bot's files."""
    models: Access = Access()
    """The language models; keys are those of each machine."""


class RemoteEngine(Engine, Protocol):
    """Workers that share no files with this process: bots are sent to them."""

    def distribute(
        self, spec: RunSpec, bots: Sequence[StagedBot], notify: Callable[[str], None]
    ) -> None:
        """Offer staged bots to the workers, in place of others; raises ArenaError if none can play.

        `notify` gets the sandboxes that they use, the workers left out, and if none is left.
        """


def play_task(
    task: Task,
    sandbox: Sandbox,
    warm_pool: WarmPool,
    models: Access,
    shared: Shared | None = None,
) -> Played:
    """Play a fixture with bots from a pool; pack it here, to spare the one process that stores.

    `shared` is what workers share of models that have no folder in common.
    """
    try:
        share_processor()
        if sandbox.starts_slowly:
            alone = [bot.program for bot in task.next_bots if not bot.info.models]
            warm_pool.prepare(alone, sandbox, TableDice(task.next_dice, task.open_dice))
        programs = [bot.program for bot in task.bots]
        asks = any(program.models for program in programs)
        gateway = models.gateway(task.fixture.seats, task.fixture.id, shared) if asks else None
        with (
            gateway or nullcontext(),
            Multiplexer(
                programs,
                sandbox,
                task.limits,
                pool=TablePool(warm_pool, task.dice),
                gateway=gateway,
            ) as multiplexer,
        ):
            played = play_fixture(
                task.fixture,
                task.rules,
                multiplexer,
                keep_memory=task.keep_memory,
                watched=WatchedGame(Path(task.watched)) if task.watched else None,
            )
        if gateway:
            exchanges, by = gateway.sorted_exchanges(), gateway.sorted_decisions()
            played = replace(played, exchanges=exchanges, decisions_by=by)
        return pack(played)
    except ServerDownError as error:
        return PutOff(task.fixture.id, error.model, str(error))
    except Exception as error:
        if not (shortage := shortage_of(error)):
            raise
        # Bots that wait hold what is missing.
        warm_pool.end()
        return Lacking(task.fixture.id, shortage)
