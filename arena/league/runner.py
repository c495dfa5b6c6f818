"""Plays a schedule on worker processes and stores each fixture as it comes."""

import ctypes
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType

from msgspec import Struct

from arena.bots.choose import SANDBOXES
from arena.bots.manifest import Bot
from arena.errors import ArenaError
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LeagueInfo, LimitsInfo, PlayedFixture
from arena.store.store import Store

_TICK = 0.25
"""Seconds between looks at the progress and at Ctrl-C."""
_MAX_ATTEMPTS = 3
"""How many workers a fixture may take down before the run gives up."""
_PR_SET_PDEATHSIG = 1

Progress = Callable[[PlayedFixture | None], None]
"""Called for each stored fixture, and now and then with None while nothing came."""


class Task(Struct, frozen=True):
    """All that a worker needs to play a fixture."""

    fixture: Fixture
    rules: Rules
    bots: tuple[Bot, ...]
    sandbox: str
    limits: LimitsInfo


class Interruption:
    """Ctrl-C: once to finish what runs, twice to stop at once."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self.asked = False
        self._notify: Callable[[], None] | None = notify

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Take a SIGINT."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def confirm(self) -> None:
        """Tell the person once that it was heard: not from the handler, which cuts in anywhere."""
        if self._notify:
            self._notify()
        self._notify = None


def run(
    info: LeagueInfo,
    fixtures: Sequence[Fixture],
    bots: Mapping[str, Bot],
    store: Store,
    workers: int,
    progress: Progress,
    notify: Callable[[], None] = lambda: None,
) -> bool:
    """Play fixtures that are not stored yet; returns whether all were played.

    False means that Ctrl-C was pressed: what was running is stored. A second Ctrl-C raises
    KeyboardInterrupt at once; every process is ended and no stored fixture is lost. `notify` is
    called once when the first was heard.
    """
    tasks = deque(_task(info, fixture, bots) for fixture in fixtures)
    attempts: dict[str, int] = {}
    with _interruptible(notify) as interruption:
        while tasks and not interruption.asked:
            broken = _run_pool(tasks, store, workers, progress, interruption)
            for task in broken:
                attempts[task.fixture.id] = attempts.get(task.fixture.id, 0) + 1
                if attempts[task.fixture.id] >= _MAX_ATTEMPTS:
                    raise ArenaError(
                        f"a worker died {_MAX_ATTEMPTS} times while it played",
                        f"fixture {task.fixture.id}: {', '.join(task.fixture.seats)}",
                        "free some memory and run again: what was stored is safe",
                    )
            tasks.extendleft(reversed(broken))
        return not tasks


def _task(info: LeagueInfo, fixture: Fixture, bots: Mapping[str, Bot]) -> Task:
    seats = tuple(bots[name] for name in fixture.seats)
    return Task(fixture, info.variants[fixture.variant], seats, info.sandbox, info.limits)


def _run_pool(
    tasks: deque[Task],
    store: Store,
    workers: int,
    progress: Progress,
    interruption: Interruption,
) -> list[Task]:
    """Play tasks on one pool until they are used up; returns those a dying worker took with it."""
    running: dict[Future[PlayedFixture], Task] = {}
    broken: list[Task] = []
    with _pool(workers) as pool:
        while (tasks and not interruption.asked and not broken) or running:
            # One more than are played, so that no worker waits; no more, for Ctrl-C awaits all: a
            # pool with a cancelled future does not survive a worker's death.
            while tasks and not broken and not interruption.asked and len(running) <= workers:
                _submit(pool, tasks, running, broken)
            done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
            if interruption.asked:
                interruption.confirm()
            for future in done:
                task = running.pop(future)
                try:
                    played = future.result()
                except BrokenProcessPool:
                    broken.append(task)
                    continue
                store.add(played)
                progress(played)
            if not done:
                progress(None)
    return broken


def _submit(
    pool: Executor,
    tasks: deque[Task],
    running: dict[Future[PlayedFixture], Task],
    broken: list[Task],
) -> None:
    task = tasks.popleft()
    try:
        with _sigint_blocked():
            running[pool.submit(play_task, task)] = task
    except BrokenProcessPool:
        broken.append(task)


def play_task(task: Task) -> PlayedFixture:
    """Play a fixture in a worker."""
    sandbox = SANDBOXES[task.sandbox]()
    return play_fixture(task.fixture, task.rules, task.bots, sandbox, task.limits)


@contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    """Yield a pool whose workers die with this process, however it ends."""
    context = multiprocessing.get_context("spawn")
    # Starting it with the first worker would unblock SIGINT in between.
    resource_tracker.ensure_running()
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin_work, initargs=(os.getpid(),)
    )
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def _begin_work(parent: int) -> None:
    """Tie a worker's life to its parent's, and leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Start workers with SIGINT blocked: a Ctrl-C must not end one before it ignores them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _interruptible(notify: Callable[[], None]) -> Iterator[Interruption]:
    interruption = Interruption(notify)
    before = signal.signal(signal.SIGINT, interruption)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)
