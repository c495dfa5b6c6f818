"""A worker's end of a cluster run: its own sandbox, its own copies of the bots, its clean-up."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from hashlib import sha256
from multiprocessing.util import Finalize
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import arena
from arena.errors import ArenaError
from arena.league.cluster.revocable_sandbox import RevocableSandbox
from arena.league.config import League
from arena.league.cores import own_core
from arena.league.workers import Task, play_task
from arena.sandboxes.base import Sandbox
from arena.sandboxes.registry import make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.sessions.warm_pool import WarmPool
from arena.store.rows import Packed
from arena.submissions import bundle
from arena.submissions.bot import StagedBot, install_hint, missing_program, runtimes_of
from arena.submissions.bundle import Bundle

RUN_SPEC = "orders"
"""What a run asks for is kept in its depot under this name, beside the bots' bundles."""
Fetch = Callable[[str], bytes]
"""Gets what a run's depot has under a name."""


class RunSpec(Struct, frozen=True):
    """What a run asks of each worker."""

    sandbox: str
    """By name, as the league or the person asked for it: each worker chooses for itself."""
    images: dict[str, str]
    bots: tuple[StagedBot, ...]
    """All that will play, in their folders where the run was started."""
    bundles: dict[str, str]
    """The digest of each bot's bundle, by the digest of the bot's files."""
    trusted: bool
    """Whether bots may run where nothing isolates them."""
    freeze: bool
    pin: bool
    """Whether to take a core that no other worker has; only where workers end with the run."""


def run_spec(league: League, sandbox: str | None, *, trusted: bool) -> RunSpec:
    """Return what a league asks of workers; `sandbox` is what a person asked for instead.

    Which bots play is added when they are packed.
    """
    return RunSpec(
        sandbox=sandbox or league.sandbox,
        images=league.images,
        bots=(),
        bundles={},
        trusted=trusted,
        freeze=league.limits.freeze,
        pin=league.pin,
    )


class TaskBatch(Struct, frozen=True):
    """What is handed to a worker at a time."""

    run: str
    """What the run is called: its depot's name in the scheduler."""
    arena: str
    """Who asks: see `identity`."""
    tasks: Sequence[Task]


class BatchResult(Struct, frozen=True):
    """What came of a batch."""

    fixtures: list[Packed]
    seconds: float
    """Time that the worker spent, with starting the bots."""


@cache
def identity() -> str:
    """Return what must be the same wherever a league is played: the arena's code, and Python's."""
    root = Path(arena.__file__).parent
    code = sha256()
    for path in sorted(root.rglob("*.py")):
        code.update(b"%b\0%b\n" % (os.fsencode(path.relative_to(root)), path.read_bytes()))
    python = ".".join(platform.python_version_tuple()[:2])
    return f"arena {arena.__version__} ({code.hexdigest()[:12]}) on Python {python}"


def check_identity(asking: str, here: str) -> None:
    """Refuse to take part in a run of another arena, or of another Python; `here` says who."""
    if identity() != asking:
        what = f"{here} has {identity()}, the run is of {asking}"
        raise ArenaError(what, hint="install the same version there")


class WorkerRun:
    """What a run has on this worker; all of it goes when it is closed.

    Raises ArenaError where the run cannot be played here.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._orders = orders = msgspec.msgpack.decode(
            fetch(RUN_SPEC), type=RunSpec, dec_hook=_path
        )
        self.sandbox = RevocableSandbox(_sandbox(orders))
        self._roster = WarmPool()
        self._open = ExitStack()
        self._folder = self._open.enter_context(run_folder())
        self._open.callback(self._roster.end)

    def play(self, tasks: Sequence[Task]) -> list[Packed]:
        """Play fixtures one after the other."""
        if self._orders.pin:
            own_core()
        return [self._play(task) for task in tasks]

    def _play(self, task: Task) -> Packed:
        bots, following = (tuple(map(self._at_hand, seq)) for seq in (task.bots, task.next_bots))
        here = replace(task, bots=bots, next_bots=following)
        played = play_task(here, self.sandbox, self._roster)
        if self.sandbox.over:
            # Its bots were killed: that is not how they play.
            raise ArenaError("the run is over")
        return played

    def close(self) -> None:
        """End the bots that wait and remove all copies."""
        self._open.close()

    def _at_hand(self, bot: StagedBot) -> StagedBot:
        """Return a bot in its folder on this machine; its bundle is fetched the first time."""
        digest = self._orders.bundles[bot.info.digest]
        folder = self._folder / digest[:16]
        if not folder.exists():
            bundle.unpack(Bundle(digest, self._fetch(digest)), folder)
        return replace(bot, folder=folder)


class WorkerRuns:
    """The runs of one worker. One task plays at a time, however many threads the worker has.

    `here` is how a person would name the worker.
    """

    def __init__(self, here: str) -> None:
        self.here = here
        self._posts: dict[str, WorkerRun] = {}
        self._playing = Lock()
        self._left: set[str] = set()
        Finalize(None, self._close_all, exitpriority=1)

    def muster(self, run: str, asking: str, fetch: Fetch) -> str:
        """Make ready for a run; returns the sandbox chosen here. Raises ArenaError."""
        check_identity(asking, self.here)
        with self._playing:
            return self._post(run, fetch).sandbox.name

    def play(self, batch: TaskBatch, fetch: Fetch) -> BatchResult:
        """Play a batch of fixtures."""
        check_identity(batch.arena, self.here)
        try:
            with self._playing:
                began = time.perf_counter()
                fixtures = self._post(batch.run, fetch).play(batch.tasks)
                return BatchResult(fixtures, time.perf_counter() - began)
        finally:
            self._tidy()

    def leave(self, run: str) -> None:
        """Clear away what a run that is over has here; what it still plays is given up."""
        self._left.add(run)
        if post := self._posts.get(run):
            post.sandbox.end()
        self._tidy()

    def _post(self, run: str, fetch: Fetch) -> WorkerRun:
        if run in self._left:
            raise ArenaError("the run is over", self.here)
        if run not in self._posts:
            try:
                self._posts[run] = WorkerRun(fetch)
            except ArenaError as error:
                what = f"{self.here} cannot take part: {error.what}"
                raise ArenaError(what, error.where, error.hint) from None
        return self._posts[run]

    def _tidy(self) -> None:
        """Close what was left, unless one plays: whoever plays asks again when it is done."""
        while self._left & self._posts.keys() and self._playing.acquire(blocking=False):
            try:
                for run in self._left & self._posts.keys():
                    self._posts.pop(run).close()
            finally:
                self._playing.release()

    def _close_all(self) -> None:
        while self._posts:
            self._posts.popitem()[1].close()


def _path(kind: type, value: object) -> object:
    return kind(value)


def _sandbox(orders: RunSpec) -> Sandbox:
    """Choose as a run on this machine would; raises ArenaError where that cannot be had here."""
    sandbox = make_sandbox(orders.sandbox, runtimes_of(orders.bots), orders.images)
    if not sandbox.isolates and not orders.trusted:
        what = f"its sandbox '{sandbox.name}' does not isolate bots that are not the arena's own"
        raise ArenaError(what, hint="install bubblewrap there, or --trust-bots if you trust them")
    if orders.freeze and not sandbox.freezes:
        what = f"its sandbox '{sandbox.name}' cannot freeze bots (limits.freeze)"
        raise ArenaError(what, hint="see what can: arena doctor, or leave limits.freeze out")
    if sandbox.uses_host_programs:
        for bot in orders.bots:
            _check_program(bot)
    return sandbox


def _check_program(bot: StagedBot) -> None:
    """Refuse a bot whose interpreter is not here; what is in its folder came with it."""
    program = missing_program(bot.command, bot.folder)
    if program and "/" not in program:
        raise ArenaError(f"'{bot.name}' needs '{program}'", hint=install_hint(bot.info.runtime))
