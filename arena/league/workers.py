"""Worker processes: each plays whole fixtures, on a core of its own where there are enough."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.queues import SimpleQueue
from multiprocessing.util import Finalize
from typing import ParamSpec, TypeVar

from msgspec import Struct

from arena.bots.manifest import Bot
from arena.bots.roster import Roster
from arena.bots.sandbox import Sandbox
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo, PlayedFixture

_PR_SET_PDEATHSIG = 1
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Task(Struct, frozen=True):
    """All that a worker needs to play a fixture."""

    fixture: Fixture
    rules: Rules
    bots: tuple[Bot, ...]
    sandbox: Sandbox
    limits: LimitsInfo
    keep_memory: bool = False
    next_bots: tuple[Bot, ...] = ()
    """Who plays in the task that this task's worker will probably get after it."""


_roster = Roster()
"""The bots of this worker that wait for their next table."""


@contextmanager
def pool(workers: int, *, pin: bool) -> Iterator[Executor]:
    """Yield an executor whose processes die with this one, however it ends.

    With `pin`, a worker and its bots share one core, if there are as many cores as workers: they
    take turns anyway, and to wake a process on another core costs more than most bots think.
    """
    context = multiprocessing.get_context("spawn")
    # Starting it with the first worker would unblock SIGINT in between.
    resource_tracker.ensure_running()
    cores: SimpleQueue[int] = context.SimpleQueue()
    for core in _cores(workers) if pin else []:
        cores.put(core)
    arguments = (os.getpid(), cores)
    executor = ProcessPoolExecutor(workers, context, _begin_work, arguments)
    try:
        yield executor
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        # Queued work is not cancelled: a pool with a cancelled future does not survive the death
        # of a worker.
        executor.shutdown(wait=True)
        cores.close()


def submit(executor: Executor, task: Task) -> Future[PlayedFixture]:
    """Hand a task to a worker."""
    return start(executor, play_task, task)


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


def play_task(task: Task) -> PlayedFixture:
    """Play a fixture in a worker."""
    if task.sandbox.starts_slowly:
        _roster.prepare(task.next_bots, task.sandbox)
    return play_fixture(
        *(task.fixture, task.rules, task.bots, task.sandbox, task.limits),
        roster=_roster,
        keep_memory=task.keep_memory,
    )


def _cores(workers: int) -> list[int]:
    """Return a core for each worker; arenas side by side should not all begin with the same."""
    cores = sorted(os.sched_getaffinity(0))
    first = os.getpid() % len(cores)
    return (cores[first:] + cores[:first])[:workers] if workers <= len(cores) else []


def _begin_work(parent: int, cores: "SimpleQueue[int]") -> None:
    """Tie a worker's life to its parent's, leave signals to the parent, take a core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    Finalize(None, _roster.end, exitpriority=1)
    if not cores.empty():
        os.sched_setaffinity(0, {cores.get()})
