"""Plays the fixtures that are due on an engine's workers, and hands over each finished one.

A fixture waits while its dice are in play at another table, while the server of its language model
does not answer, and while a machine lacks something.
"""

import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from threading import Event
from types import FrameType
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.game.records import Conditions, Fixture, FixtureResult, QuarantinedFixture
from arena.io.errors import ShortageError, shortage_of
from arena.io.signals import handled
from arena.league.play.workers import Engine, Lacking, Played, PutOff, Task, WorkerDiedError
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.schedule.progress import Verdict
from arena.league.store.rows import PackedFixture

_Seat = tuple[str, str]
"""The key of a table's dice, and the digest of a bot that sits there (bots may share files)."""


class DiceInPlay:
    """The tables left to play on each dice, and the bots that play on them now."""

    def __init__(self) -> None:
        self._left = Counter[str]()
        """Tables that are still to be played or under way, by the key of their dice."""
        self._open: set[str] = set()
        """The keys of those dice of which some tables have begun, and some are left."""
        self._seated: set[_Seat] = set()

    def expect(self, tasks: Sequence[Task]) -> None:
        """Add tasks that are to be played."""
        self._left.update(task.fixture.dice_key for task in tasks)

    def free(self, tasks: Iterable[Task], most: int) -> int:
        """Return how many tasks could begin now, up to `most`: their bots do not play elsewhere."""
        playable = (task for task in tasks if self._seated.isdisjoint(_seats(task)))
        return sum(1 for _ in islice(playable, most))

    def take_free(self, tasks: deque[Task], size: int) -> list[Task]:
        """Take the first tasks, at most `size`, none of whose bots plays on the same dice now.

        They are under way together, one after another. Few tasks are skipped, as dice are in play
        at no more tables than there are workers.
        """
        batch: list[Task] = []
        skipped: list[Task] = []
        while tasks and len(batch) < size:
            task = tasks.popleft()
            (batch if self._seated.isdisjoint(_seats(task)) else skipped).append(task)
        tasks.extendleft(reversed(skipped))
        for task in batch:
            self._seated.update(_seats(task))
            self._open.add(task.fixture.dice_key)
        playable = []
        for task in batch:
            key = task.fixture.dice_key
            # Its own dice are left out if no other table has them.
            elsewhere = self._open if self._left[key] > 1 else self._open - {key}
            playable.append(replace(task, open_dice=frozenset(elsewhere)))
        return playable

    def pause(self, batch: Sequence[Task]) -> None:
        """Note that tasks are no longer under way, and have to be played again."""
        for task in batch:
            self._seated.difference_update(_seats(task))

    def finish(self, batch: Sequence[Task]) -> None:
        """Note that tasks are over."""
        self.pause(batch)
        for task in batch:
            key = task.fixture.dice_key
            self._left[key] -= 1
            if not self._left[key]:
                del self._left[key]
                self._open.discard(key)


def _seats(task: Task) -> Iterator[_Seat]:
    return ((task.fixture.dice_key, bot.info.digest) for bot in task.bots)


class Interruption:
    """Counts requests to stop; the run looks at it when nothing is half done.

    The signal handler raises nothing: it may run with locks held that others wait for.
    """

    def __init__(self, stop_requested: Callable[[], bool], stopping: Callable[[], None]) -> None:
        """`stop_requested` is asked over and over, and `stopping` told once."""
        self._requests = 0
        self._stop_requested = stop_requested
        self._stopping = stopping
        self._announced = False

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Count a SIGINT, or a SIGTERM, which does not wait for anything."""
        self._requests += 2 if number == signal.SIGTERM else 1

    def requested(self) -> bool:
        """Tell whether to stop, and tell the listener once. KeyboardInterrupt means at once."""
        if self._requests > 1:
            raise KeyboardInterrupt
        if not self._requests and not self._stop_requested():
            return False
        if not self._announced:
            self._announced = True
            self._stopping()
        return True


@contextmanager
def interruptible(
    stop_requested: Callable[[], bool], stopping: Callable[[], None]
) -> Iterator[Interruption]:
    """Take SIGINT and SIGTERM as requests to stop; only the main thread gets signals."""
    interruption = Interruption(stop_requested, stopping)
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    with handled(interruption.on_signal, signal.SIGINT, signal.SIGTERM):
        yield interruption


class DownModels:
    """The language models whose servers answered nobody in a run; it asks them no more."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._fixtures = Counter[str]()

    def __bool__(self) -> bool:
        return bool(self._fixtures)

    def without_put_off(
        self, played: Iterable[Played], tasks: deque[Task]
    ) -> Iterator[PackedFixture]:
        """Yield the fixtures that were played; put off what failed, and tasks like it."""
        for each in played:
            if isinstance(each, PackedFixture):
                yield each
            elif isinstance(each, PutOff):
                if each.model not in self._fixtures:
                    self._note(each.why)
                self._fixtures[each.model] += 1
                left = [task for task in tasks if not self.put_off(task)]
                tasks.clear()
                tasks.extend(left)

    def put_off(self, task: Task) -> bool:
        """Return whether a task needs one of these models; if so, count it."""
        models = {model for bot in task.bots for model in bot.info.models}
        down = sorted(models & self._fixtures.keys())
        self._fixtures.update(down[:1])
        return bool(down)

    def summary(self) -> None:
        """Say how many fixtures are left to play."""
        for model, count in self._fixtures.items():
            self._note(f"put off until the server of the model '{model}' answers: {count} fixtures")


_PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each new try after a shortage: other programs may end meanwhile."""
_LOOK = 0.25
_GO_ON = "{}; what was played is stored, and the same command goes on"


class Shortages:
    """Counts the tries of what could not be played; after a shortage half as many workers play."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._tries = Counter[str]()
        """Tries by the id of the fixture; "" stands for all workers together."""
        self._last: dict[str, ShortageError] = {}
        self._halvings = 0
        self._halve = False
        """Whether something was lacking since workers were counted last."""
        self._noted: set[str] = set()

    def fewer(self, workers: int) -> int:
        """Return how many workers play after the shortages so far."""
        self._halvings += self._halve
        self._halve = False
        return max(1, workers >> self._halvings)

    def among(self, played: Sequence[Played], batch: Sequence[Task]) -> list[Task]:
        """Count the tasks of a batch that could not be played for a shortage; return them."""
        lacked = {one.fixture: one.shortage for one in played if isinstance(one, Lacking)}
        if not lacked:
            return []
        self._begin(next(iter(lacked.values())))
        self._tries.update(lacked.keys())
        self._last |= lacked
        return [task for task in batch if task.fixture.id in lacked]

    def wait(self, fixture: Fixture, interruption: Interruption) -> None:
        """Wait before a fixture is tried again; raises ShortageError after the last try."""
        self._wait(fixture.id, interruption)

    def of_workers(self, shortage: ShortageError, interruption: Interruption) -> None:
        """Wait before workers are started again; raises ShortageError after the last try."""
        self._begin(shortage)
        self._tries[""] += 1
        self._last[""] = shortage
        self._wait("", interruption)

    def workers_play(self) -> None:
        """Note that workers could be started."""
        del self._tries[""]

    def _begin(self, shortage: ShortageError) -> None:
        self._halve = True
        if shortage.what not in self._noted:
            self._noted.add(shortage.what)
            self._note(f"{shortage.what}: what could not be played is tried again")

    def _wait(self, key: str, interruption: Interruption) -> None:
        tries = self._tries[key]
        if tries > len(_PAUSES):
            last = self._last[key]
            raise ShortageError(last.what, last.where, _GO_ON.format(last.hint))
        for _ in range(round(_PAUSES[tries - 1] / _LOOK) if tries else 0):
            if interruption.requested():
                return
            Event().wait(_LOOK)


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

    def started(self, conditions: Conditions) -> None:
        """Take the conditions in force, before the first game."""

    def note(self, text: str) -> None:
        """Take a sentence for the person who runs it, such as a warning."""

    def progress(self, fixtures: int) -> AbstractContextManager[OnResult]:
        """Show the progress of so many fixtures; more, if what is due depends on results."""
        del fixtures
        return nullcontext(lambda _: None)

    def verdict(self, verdict: Verdict, conditions: Conditions) -> None:
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
    conditions: Conditions,
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
    ended, and nothing that was kept is lost. Raises ShortageError if the machine lacks something
    for long.
    """
    with interruptible(listener.stop_requested, listener.stopping) as interruption:
        dispatcher = _Dispatcher(
            conditions=conditions,
            bots=bots,
            engine=engine,
            ledger=ledger,
            on_result=on_result,
            interruption=interruption,
            watched=listener.watched,
            down=DownModels(listener.note),
            shortages=Shortages(listener.note),
        )
        return dispatcher.play_all()


class _Dispatcher(Struct):
    """Hands tasks to workers, collects results and finds out which task kills its worker."""

    conditions: Conditions
    bots: Mapping[str, StagedBot]
    engine: Engine
    ledger: Ledger
    on_result: OnResult
    interruption: Interruption
    watched: Callable[[Fixture], str]
    """Names the file for the first game of a fixture, "" for none."""
    down: DownModels
    shortages: Shortages
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
        conditions = self.conditions
        enough = self.engine.worker_count() * self.engine.batch_size(sys.maxsize)
        while self.dice.free(tasks, enough) < enough:
            due = [fixture for fixture in self.ledger.due() if fixture.id not in self.taken]
            self.taken.update(fixture.id for fixture in due)
            new = [
                Task(
                    fixture=fixture,
                    rules=conditions.variants[fixture.variant],
                    bots=tuple([self.bots[name] for name in fixture.seats]),
                    limits=conditions.limits,
                    keep_memory=conditions.memory_across_fixtures,
                )
                for fixture in due
            ]
            new = [task for task in new if not self.down.put_off(task)]
            if not new:
                break
            self.dice.expect(new)
            tasks.extend(new)
        return bool(tasks)

    def _play(self, tasks: deque[Task], *, alone: bool = False) -> list[Task]:
        """Play all due tasks, or with `alone` one task; returns those to be played alone.

        Their worker died, or its machine lacked something. If this machine does, no worker plays.
        """
        running: _Running = {}
        suspects: list[Task] = []
        try:
            with self.engine.executor(self._workers(alone=alone)) as executor:
                while True:
                    if not suspects and not self.interruption.requested():
                        if not alone:
                            self._refill(tasks)
                        self._submit(executor, tasks, running, self._workers(alone=alone))
                    if not running:
                        break
                    done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                    self.interruption.requested()
                    suspects += self._collect(done, running, tasks)
        except Exception as error:
            if not (shortage := shortage_of(error)) or isinstance(error, ShortageError):
                raise
            # The workers are gone, and what they played.
            for batch in running.values():
                self._return(batch, tasks)
            self.shortages.of_workers(shortage, self.interruption)
        return suspects

    def _workers(self, *, alone: bool) -> int:
        return 1 if alone else self.shortages.fewer(self.engine.worker_count())

    def _play_alone(self, suspect: Task) -> list[Task]:
        """Play a task whose worker died with nothing else running that could have killed it.

        Returns it if the run was stopped first; quarantines it if it kills every worker. If the
        machine of the worker lacked something, there is more of it now.
        """
        tasks, fixture = deque([suspect]), suspect.fixture
        self.shortages.wait(fixture, self.interruption)
        while died := self._play(tasks, alone=True):
            self.shortages.wait(fixture, self.interruption)
            deaths = self.deaths.get(fixture.id, 0)
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
            batch = [
                replace(task, watched=file) if (file := self.watched(task.fixture)) else task
                for task in _with_next_tables(free, tasks, size * (workers - 1))
            ]
            try:
                future = self.engine.submit(executor, batch)
            except BrokenExecutor:
                self._return(batch, tasks)
                return
            except Exception:
                self._return(batch, tasks)
                raise
            running[future] = batch

    def _return(self, batch: Sequence[Task], tasks: deque[Task]) -> None:
        """Take back tasks that no worker plays."""
        self.dice.pause(batch)
        tasks.extendleft(reversed(batch))

    def _collect(
        self, done: Collection[Future[object]], running: _Running, tasks: deque[Task]
    ) -> list[Task]:
        """Keep the results of batches, all together; returns the tasks to be played alone."""
        played: list[PackedFixture] = []
        suspects: list[Task] = []
        try:
            for future in done:
                batch = running.pop(future)
                try:
                    collected = self.engine.collect(future)
                except WorkerDiedError as error:
                    for task in batch:
                        deaths = self.deaths.get(task.fixture.id, 0)
                        self.deaths[task.fixture.id] = deaths + error.deaths
                    self.dice.pause(batch)
                    suspects += batch
                except Exception:
                    self._return(batch, tasks)
                    raise
                else:
                    lacking = self.shortages.among(collected, batch)
                    suspects += lacking
                    self.dice.pause(lacking)
                    played += self.down.without_put_off(collected, tasks)
                    self.dice.finish([task for task in batch if task not in lacking])
        finally:
            # Also if a later batch ends the run: these were played.
            self._keep(played)
        if not done:
            self.on_result(None)
        return suspects

    def _keep(self, played: Sequence[PackedFixture]) -> None:
        if played:
            self.shortages.workers_play()
            results = [packed.result() for packed in played]
            self.ledger.keep(played, results)
            for result in results:
                self.on_result(result)


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
