"""Plays the fixtures that are due on an engine's workers, and hands over each finished one."""

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.game.records import Fixture, FixtureResult, LeagueInfo, QuarantinedFixture
from arena.io.signals import handled
from arena.league.play.dice_in_play import DiceInPlay
from arena.league.play.put_off import DownModels
from arena.league.play.workers import Engine, Task, WorkerDiedError
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.schedule.progress import Verdict
from arena.league.store.format.rows import PackedFixture

_TICK = 0.25
"""Seconds between updates of the progress, and checks for Ctrl-C, while no fixture finishes."""
MAX_DEATHS = 3
"""How many workers a fixture may kill before it is quarantined."""
_REASON = "the worker that played it died each time, the last time playing nothing else"

OnResult = Callable[[FixtureResult | None], None]
"""Called with each fixture that was kept, and with None at intervals while none finishes."""
_Running = dict[Future[object], list[Task]]


class Ledger(Protocol):
    """Names the fixtures to be played, and takes their results."""

    def due(self) -> Sequence[Fixture]:
        """Return the fixtures to play next, with earlier ones; none is new until results decide."""

    def keep(self, packed: Sequence[PackedFixture], results: Sequence[FixtureResult]) -> None:
        """Take fixtures that were played, packed for the store, and their results."""

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Take a fixture that killed its workers; it is not played again in this run."""


class RunListener:
    """Gets the events of a run, and may stop it; override the methods of interest."""

    def started(self, conditions: LeagueInfo) -> None:
        """Take the conditions in force, before the first game."""

    def note(self, text: str) -> None:
        """Take a sentence for the person who runs it, such as a warning."""

    def progress(self, fixtures: int) -> AbstractContextManager[OnResult]:
        """Show the progress of so many fixtures; more, if what is due depends on results."""
        del fixtures
        return nullcontext(lambda _: None)

    def verdict(self, verdict: Verdict, conditions: LeagueInfo) -> None:
        """Take the verdict on a division with `until` at its end."""

    def playoff(self, verdict: PlayoffVerdict) -> None:
        """Take the verdict of a playoff at its end."""

    def watched(self, fixture: Fixture) -> str:
        """Return the file for the events of the first game of a fixture that is about to begin.

        They are written as it is played, by workers of this machine; "" for none.
        """
        del fixture
        return ""

    def stop_requested(self) -> bool:
        """Tell whether to stop once the fixtures being played are finished; asked over and over."""
        return False

    def stopping(self) -> None:
        """Handle the decision to stop after the fixtures being played; called once."""


def play_due(
    conditions: LeagueInfo,
    bots: Mapping[str, StagedBot],
    engine: Engine,
    ledger: Ledger,
    listener: RunListener,
    on_result: OnResult,
) -> bool:
    """Play until nothing is due; returns False if it was stopped before.

    The ledger is asked for more while fewer tasks could begin than workers take at a time: a slow
    task holds up no other. The listener or a first Ctrl-C stops the run when the fixtures being
    played are finished. A second Ctrl-C, or SIGTERM, raises KeyboardInterrupt: every process is
    ended, and nothing that was kept is lost.
    """
    with _interruptible(listener) as interruption:
        dispatcher = _Dispatcher(
            *(conditions, bots, engine, ledger, on_result, interruption),
            *(listener.watched, DownModels(listener.note)),
        )
        return dispatcher.play_all()


class _Dispatcher(Struct):
    """Hands tasks to workers, collects results and finds out which task kills its worker."""

    conditions: LeagueInfo
    bots: Mapping[str, StagedBot]
    engine: Engine
    ledger: Ledger
    on_result: OnResult
    interruption: "_Interruption"
    watched: Callable[[Fixture], str]
    """Names the file for the first game of a fixture, "" for none."""
    down: DownModels
    deaths: dict[str, int] = {}
    """Workers that died while they had a fixture, by its id."""
    taken: set[str] = set()
    """The ids of all fixtures that were due so far."""
    dice: DiceInPlay = field(default_factory=DiceInPlay)

    def play_all(self) -> bool:
        tasks: deque[Task] = deque()
        while (tasks or self._refill(tasks)) and not self.interruption.requested():
            for suspect in self._play(tasks):
                tasks.extendleft(self._play_alone(suspect))
        self.down.summary()
        return not tasks and not self.down

    def _refill(self, tasks: deque[Task]) -> bool:
        """Add due tasks while fewer could begin than workers take; returns whether any waits."""
        enough = self.engine.worker_count() * self.engine.batch_size(sys.maxsize)
        while self.dice.free(tasks, enough) < enough and (new := self._new_tasks()):
            self.dice.expect(new)
            tasks.extend(new)
        return bool(tasks)

    def _new_tasks(self) -> list[Task]:
        """Return the tasks that are due now and were not before."""
        rules, limits = self.conditions.variants, self.conditions.limits
        memory = self.conditions.memory_across_fixtures
        due = [fixture for fixture in self.ledger.due() if fixture.id not in self.taken]
        self.taken.update(fixture.id for fixture in due)
        tasks = [
            Task(
                fixture,
                rules[fixture.variant],
                tuple([self.bots[name] for name in fixture.seats]),
                limits,
                memory,
            )
            for fixture in due
        ]
        return [task for task in tasks if not self.down.put_off(task)]

    def _play(self, tasks: deque[Task], *, alone: bool = False) -> list[Task]:
        """Play all due tasks, or with `alone` one task; returns the tasks whose worker died."""
        running: _Running = {}
        suspects: list[Task] = []
        with self.engine.executor(self._workers(alone=alone)) as executor:
            while True:
                stop = suspects or self.interruption.requested()
                if not stop:
                    if not alone:
                        self._refill(tasks)
                    self._submit(executor, tasks, running, self._workers(alone=alone))
                if not running:
                    return suspects
                done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                self.interruption.requested()
                suspects += self._collect_all(done, running, tasks)
                if not done:
                    self.on_result(None)

    def _workers(self, *, alone: bool) -> int:
        return 1 if alone else self.engine.worker_count()

    def _play_alone(self, suspect: Task) -> list[Task]:
        """Play a task whose worker died with nothing else running that could have killed it.

        Returns it if the run was stopped first; quarantines it if it kills every worker.
        """
        tasks, fixture = deque([suspect]), suspect.fixture
        while died := self._play(tasks, alone=True):
            deaths = self.deaths[fixture.id]
            if deaths >= MAX_DEATHS:
                self.ledger.quarantine(QuarantinedFixture(fixture, _REASON, deaths, time.time()))
                self.dice.finish([suspect])
                break
            tasks.extend(died)
        return list(tasks)

    def _submit(
        self, executor: Executor, tasks: deque[Task], running: _Running, workers: int
    ) -> None:
        """Keep one batch more under way than workers, so that none waits; Ctrl-C awaits all."""
        while tasks and len(running) <= workers:
            size = self.engine.batch_size(len(tasks))
            if not (free := self.dice.take_free(tasks, size)):
                return
            batch = self._watch(_with_next_tables(free, tasks, size * (workers - 1)))
            try:
                future = self.engine.submit(executor, batch)
            except BrokenExecutor:
                self.dice.pause(batch)
                tasks.extendleft(reversed(batch))
                return
            running[future] = batch

    def _watch(self, batch: list[Task]) -> list[Task]:
        """Return tasks with the files for those whose first game is watched."""
        files = [self.watched(task.fixture) for task in batch]
        return [
            replace(task, watched=file) if file else task
            for task, file in zip(batch, files, strict=True)
        ]

    def _collect_all(
        self, done: Iterable[Future[object]], running: _Running, tasks: deque[Task]
    ) -> list[Task]:
        """Keep the results of batches, all together; returns the tasks whose worker died."""
        played: list[PackedFixture] = []
        suspects: list[Task] = []
        try:
            for future in done:
                batch = running.pop(future)
                try:
                    collected = self.engine.collect(future)
                except WorkerDiedError as error:
                    self._blame(batch, error.deaths)
                    suspects += batch
                else:
                    played += self.down.without_put_off(collected, tasks)
                    self.dice.finish(batch)
        finally:
            # Also if a later batch ends the run: these were played.
            self._keep(played)
        return suspects

    def _keep(self, played: Sequence[PackedFixture]) -> None:
        if not played:
            return
        results = [packed.result() for packed in played]
        self.ledger.keep(played, results)
        for result in results:
            self.on_result(result)

    def _blame(self, batch: Sequence[Task], deaths: int) -> None:
        """Count the deaths of the worker of a batch."""
        for task in batch:
            self.deaths[task.fixture.id] = self.deaths.get(task.fixture.id, 0) + deaths
        self.dice.pause(batch)


def _with_next_tables(batch: list[Task], tasks: deque[Task], ahead: int) -> list[Task]:
    """Return the tasks of a batch, each with the bots of its worker's probable next task.

    After the batch that is the task `ahead` places later: each other worker gets a batch before.
    """
    after = [*batch[1:], tasks[ahead]] if ahead < len(tasks) else batch[1:]
    known = [
        replace(task, next_bots=then.bots, next_dice=then.fixture.dice_key)
        for task, then in zip(batch, after, strict=False)
    ]
    return [*known, *batch[len(known) :]]


class _Interruption:
    """Counts requests to stop; the run looks at it when nothing is half done.

    The signal handler raises nothing: it may run with locks held that others wait for.
    """

    def __init__(self, listener: RunListener) -> None:
        self._requests = 0
        self._listener = listener
        self._announced = False

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Count a SIGINT, or a SIGTERM, which does not wait for anything."""
        self._requests += 2 if number == signal.SIGTERM else 1

    def requested(self) -> bool:
        """Tell whether to stop, and tell the listener once. KeyboardInterrupt means at once."""
        if self._requests > 1:
            raise KeyboardInterrupt
        if not self._requests and not self._listener.stop_requested():
            return False
        if not self._announced:
            self._announced = True
            self._listener.stopping()
        return True


@contextmanager
def _interruptible(listener: RunListener) -> Iterator[_Interruption]:
    """Take SIGINT and SIGTERM as requests to stop; only the main thread gets signals."""
    interruption = _Interruption(listener)
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    with handled(interruption.on_signal, signal.SIGINT, signal.SIGTERM):
        yield interruption
