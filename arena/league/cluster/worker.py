"""A run on a cluster's worker: its own sandbox, its own copies of the bots, its clean-up."""

import pickle
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from multiprocessing.util import Finalize
from threading import Lock
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import StagedBot, runtimes_of
from arena.bots.builds import staging
from arena.bots.builds.staging import Bundle
from arena.bots.command import check_own_programs, how_to_get, missing_program
from arena.bots.models.ledger import Shared
from arena.bots.sandboxes.base import PassingSandbox, Program, Running, Sandbox
from arena.bots.sandboxes.registry import isolation_here, make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sessions.warm_pool import WarmPool
from arena.io.cores import claim_core
from arena.io.errors import ArenaError
from arena.league.play.software import identity
from arena.league.play.workers import BatchResult, Played, RunSpec, Task, play_task

RUN_SPEC = "run spec"
"""The name of a run's specification among its files; the others are bundles of bots."""
FileSource = Callable[[str], bytes]
"""Gets a file of a run by its name."""


class RunSource(NamedTuple):
    """What a worker gets from the scheduler of a run."""

    files: FileSource
    models: Shared
    """What it shares with the other workers of language models."""


class TaskBatch(Struct, frozen=True):
    """The fixtures that a worker plays as one task of Dask."""

    run: str
    """The run's name: its plugin's in the scheduler."""
    identity: str
    packed: bytes
    """The tasks. The scheduler would unpack anything else; and it keeps the last 1,000 messages to
    each worker (distributed 2026.8, `BatchedSend.recent_message_log`)."""

    @classmethod
    def pack(cls, run: str, tasks: Sequence[Task]) -> "TaskBatch":
        """Pack tasks of a run."""
        return cls(run, identity(), pickle.dumps(tasks))

    def tasks(self) -> Sequence[Task]:
        """Return the tasks."""
        unpacked: Sequence[Task] = pickle.loads(self.packed)
        return unpacked


def check_identity(expected: str, who: str) -> None:
    """Raise ArenaError if the run's arena or Python differs from that of `who`."""
    if identity() != expected:
        what = f"{who} has {identity()}, the run is of {expected}"
        raise ArenaError(what, hint="install the same version there")


class WorkerRun:
    """A run's part of this worker until it is closed: a sandbox, copies of bots, a warm pool.

    Raises ArenaError if the run cannot be played here.
    """

    def __init__(self, source: RunSource) -> None:
        self._files = files = source.files
        self._shared = source.models
        # Paths travel as text.
        self._spec = msgspec.msgpack.decode(
            files(RUN_SPEC), type=RunSpec, dec_hook=lambda kind, value: kind(value)
        )
        self.sandbox = RevocableSandbox(_sandbox(self._spec))
        self._warm_pool = WarmPool()
        self._open = ExitStack()
        self._folder = self._open.enter_context(run_folder())
        self._open.callback(self._warm_pool.end)

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """Play fixtures one after another."""
        if self._spec.pin:
            claim_core()
        played = []
        for task in tasks:
            local = replace(
                task,
                bots=tuple(map(self._local, task.bots)),
                next_bots=tuple(map(self._local, task.next_bots)),
            )
            models, shared = self._spec.models, self._shared
            played.append(play_task(local, self.sandbox, self._warm_pool, models, shared))
            if self.sandbox.revoked:
                # Its bots were killed: the faults are not theirs.
                raise ArenaError("the run is over")
        return played

    def close(self) -> None:
        """End the bots of the warm pool and remove all copies."""
        self._open.close()

    def _local(self, bot: StagedBot) -> StagedBot:
        """Return a bot in its folder here; the first time its bundle is fetched."""
        digest = self._spec.bundles[bot.info.digest]
        folder = self._folder / digest[:16]
        if not folder.exists():
            staging.unpack_bundle(Bundle(digest, self._files(digest)), folder)
        check_own_programs(bot.name, [bot.command], folder, folder)
        return replace(bot, folder=folder)


class WorkerRuns:
    """The runs of one worker. One task plays at a time, however many threads the worker has."""

    def __init__(self, name: str) -> None:
        """`name` is the worker's name in errors."""
        self.name = name
        self._runs: dict[str, WorkerRun] = {}
        self._playing = Lock()
        self._over: set[str] = set()
        Finalize(None, self._close_all, exitpriority=1)

    def prepare(self, run: str, identity: str, source: RunSource) -> str:
        """Make ready for a run; returns the sandbox chosen here. Raises ArenaError."""
        check_identity(identity, self.name)
        with self._playing:
            return self._run(run, source).sandbox.name

    def play(self, batch: TaskBatch, source: RunSource) -> BatchResult:
        """Play a batch of fixtures."""
        check_identity(batch.identity, self.name)
        try:
            with self._playing:
                began = time.perf_counter()
                fixtures = self._run(batch.run, source).play(batch.tasks())
                return BatchResult(fixtures, time.perf_counter() - began)
        finally:
            self._close_over()

    def forget(self, run: str) -> None:
        """Clean up after a run that is over; fixtures that it still plays are abandoned."""
        self._over.add(run)
        if known := self._runs.get(run):
            known.sandbox.revoke()
        self._close_over()

    def _run(self, run: str, source: RunSource) -> WorkerRun:
        if run in self._over:
            raise ArenaError("the run is over", self.name)
        if run not in self._runs:
            try:
                self._runs[run] = WorkerRun(source)
            except ArenaError as error:
                what = f"{self.name} cannot take part: {error.what}"
                raise ArenaError(what, error.where, error.hint) from None
        return self._runs[run]

    def _close_over(self) -> None:
        """Close the runs that are over, unless one plays: its thread does so when it is done."""
        while self._over & self._runs.keys() and self._playing.acquire(blocking=False):
            try:
                for run in self._over & self._runs.keys():
                    self._runs.pop(run).close()
            finally:
                self._playing.release()

    def _close_all(self) -> None:
        while self._runs:
            self._runs.popitem()[1].close()


def _sandbox(spec: RunSpec) -> Sandbox:
    """Return the sandbox that a run on this machine would take; raises ArenaError if none works."""
    sandbox = make_sandbox(spec.sandbox, runtimes_of(spec.bots), spec.images, spec.paths)
    if not sandbox.isolates and not spec.trusted:
        what = f"its sandbox '{sandbox.name}' does not isolate bots that are not the arena's own"
        here = isolation_here(runtimes_of(spec.bots))
        raise ArenaError(what, hint=f"{here.hint}, or --trust-bots if you trust them")
    if spec.freeze and not sandbox.freezes:
        what = f"its sandbox '{sandbox.name}' cannot freeze bots (limits.freeze)"
        raise ArenaError(what, hint="see what can: arena doctor, or leave limits.freeze out")
    for bot in spec.bots if sandbox.uses_host_programs else ():
        program = missing_program(bot.command, bot.folder)
        # A program in the bot's own folder comes with it.
        if program and "/" not in program:
            hint = how_to_get(bot.command, bot.folder)
            raise ArenaError(f"'{bot.name}' needs '{program}'", hint=hint)
    return sandbox


class RevocableSandbox(PassingSandbox):
    """Passes everything to another sandbox until it is revoked, which ends what is played."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.revoked = False
        """Whether it was revoked: games that were being played then have no result."""
        self._running: set[_RevocableRunning] = set()
        self._lock = Lock()

    def start(self, program: Program, *, space: int = 0) -> Running:
        """Start a program; raises OSError if it cannot be started, or the run is over."""
        with self._lock:
            if self.revoked:
                raise OSError("the run is over")
            inner = self._sandbox.start(program, space=space)
            running = _RevocableRunning(inner, self._running.discard)
            self._running.add(running)
        return running

    def revoke(self) -> None:
        """Kill every program that was started; they still have to be closed as usual."""
        with self._lock:
            self.revoked = True
            for running in set(self._running):
                running.kill()


class _RevocableRunning:
    """A running program that can be killed from another thread until it is closed."""

    def __init__(self, inner: Running, on_close: Callable[["_RevocableRunning"], None]) -> None:
        self._inner = inner
        self._on_close = on_close
        self._closed = False
        self._lock = Lock()
        self.stdin = inner.stdin
        self.stdout = inner.stdout
        self.stderr = inner.stderr
        self.exit_fd = inner.exit_fd
        self.pid = inner.pid
        self.open_folder = inner.open_folder
        self.end_input = inner.end_input
        self.freeze = inner.freeze
        self.freezes_quickly = inner.freezes_quickly
        self.is_busy = inner.is_busy
        self.ran = inner.ran
        self.cpu_time = inner.cpu_time
        self.peak_memory = inner.peak_memory
        self.lacked_processes = inner.lacked_processes
        self.exit_code = inner.exit_code

    def kill(self) -> None:
        # Once it is closed, its process id may be in use by another program.
        with self._lock:
            if not self._closed:
                self._inner.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._on_close(self)
            self._inner.close()
