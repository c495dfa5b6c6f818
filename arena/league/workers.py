"""Workers: each plays whole fixtures; on one machine, processes with a core of their own."""

import ctypes
import fcntl
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import ParamSpec, Protocol, TypeVar

from msgspec import Struct

from arena.league.cores import enough_cores, own_core
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo
from arena.sandboxes.base import Sandbox
from arena.sessions.multiplexer import Multiplexer
from arena.sessions.warm_pool import WarmPool
from arena.store.rows import Packed, pack
from arena.submissions.bot import StagedBot

_PR_SET_PDEATHSIG = 1
_PIPE = 1 << 20
"""Bytes that may be on their way from workers; more is not granted to everybody."""
_OBJECTS = 20_000
"""New objects after which Python looks for cycles: what a record grows by is none."""
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Task(Struct, frozen=True):
    """All that a worker needs to play a fixture."""

    fixture: Fixture
    rules: Rules
    bots: tuple[StagedBot, ...]
    limits: LimitsInfo
    keep_memory: bool = False
    next_bots: tuple[StagedBot, ...] = ()
    """Who plays in the task that this task's worker will probably get after it."""


class WorkerDiedError(Exception):
    """A worker ended while a task was in its hands, which need not be that task's fault."""

    def __init__(self, deaths: int = 1) -> None:
        super().__init__(deaths)
        self.deaths = deaths
        """How many workers ended with it, one after the other."""


class Engine(Protocol):
    """Where tasks are played: workers behind an Executor. Results do not depend on which."""

    def places(self) -> int:
        """Return how many workers there are now."""
        ...

    def share(self, waiting: int) -> int:
        """Return how many of the tasks that wait one worker should get at a time; 1 or more."""
        ...

    def executor(self, places: int) -> AbstractContextManager[Executor]:
        """Have an executor for so many tasks at a time; what runs ends with an exception."""
        ...

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to one worker. Raises BrokenExecutor where a worker's death broke it."""
        ...

    def collect(self, future: Future[object]) -> list[Packed]:
        """Return what came of tasks; raises WorkerDiedError, or ArenaError where all is over."""
        ...


class Processes:
    """Worker processes on this machine; with `pin`, each on a core of its own if there are enough.

    A worker and its bots then share one core: with one game at a time they take turns anyway, and
    to wake a process on another core costs more than most bots think.
    """

    def __init__(self, sandbox: Sandbox, workers: int, *, pin: bool = True) -> None:
        self._sandbox = sandbox
        self._workers = workers
        self._pin = pin and enough_cores(workers)

    def places(self) -> int:
        """Return the number of workers."""
        return self._workers

    def share(self, waiting: int) -> int:
        """Return 1: handing out a task costs next to nothing here."""
        del waiting
        return 1

    def executor(self, places: int) -> AbstractContextManager[Executor]:
        """Have a pool of processes; a pool that lost one is of no use any more."""
        return pool(places, pin=self._pin)

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to a worker."""
        return start(executor, _play_here, tasks, self._sandbox)

    def collect(self, future: Future[object]) -> list[Packed]:
        """Return what was played; where any worker of the pool died, the whole pool is lost."""
        try:
            # Of an engine's futures only it knows what they bring.
            return future.result()  # type: ignore[return-value]
        except BrokenProcessPool:
            raise WorkerDiedError from None


_roster = WarmPool()
"""The bots of this worker that wait for their next table."""


@contextmanager
def pool(workers: int, *, pin: bool) -> Iterator[Executor]:
    """Yield an executor whose processes die with this one, however it ends.

    With `pin` each takes a core that no other worker has, while there is one.
    """
    context = multiprocessing.get_context("spawn")
    # Starting it with the first worker would unblock SIGINT in between.
    resource_tracker.ensure_running()
    executor = ProcessPoolExecutor(workers, context, _begin_work, (os.getpid(), pin))
    # There is no other way to the pipe, of which this process, too, holds the end that is written.
    results: Connection = executor._result_queue._writer  # type: ignore[attr-defined] # noqa: SLF001
    with suppress(OSError):
        # Usual results fit in: a worker that is killed has sent all of one or nothing of it.
        fcntl.fcntl(results.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
    try:
        yield executor
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        # Else the rest of what one of them was about to send would be waited for, for ever.
        results.close()
        raise
    finally:
        # Queued work is not cancelled: a pool with a cancelled future does not survive the death
        # of a worker.
        executor.shutdown(wait=True)


def start(
    executor: Executor,
    function: Callable[_Given, _Result],
    *given: _Given.args,
    **no: _Given.kwargs,
) -> Future[_Result]:
    """Call a function in a worker; a Ctrl-C must not end a new worker before it ignores them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return executor.submit(function, *given, **no)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def play_task(task: Task, sandbox: Sandbox, roster: WarmPool) -> Packed:
    """Play a fixture in a worker, with bots from its roster, and pack it there.

    Games go on meanwhile on the other cores; the one process that stores them all has less to do.
    """
    _take_turns()
    if sandbox.starts_slowly:
        roster.prepare([bot.program for bot in task.next_bots], sandbox)
    programs = [bot.program for bot in task.bots]
    with Multiplexer(programs, sandbox, task.limits, pool=roster) as multiplexer:
        played = play_fixture(task.fixture, task.rules, multiplexer, keep_memory=task.keep_memory)
    return pack(played)


def _take_turns() -> None:
    """Let this thread and the bots that it starts run on when another of them is woken.

    The one that is woken then finds all that the others wrote: answers and requests come many at a
    time, and a core changes hands less often.
    """
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _play_here(tasks: Sequence[Task], sandbox: Sandbox) -> list[Packed]:
    return [play_task(task, sandbox, _roster) for task in tasks]


def _begin_work(parent: int, pin: bool) -> None:
    """Tie a worker's life to its parent's, leave signals to the parent, take a core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    Finalize(None, _roster.end, exitpriority=1)
    gc.set_threshold(_OBJECTS)
    if pin:
        own_core()
