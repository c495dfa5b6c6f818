"""Plays what is due on workers and hands over each fixture as it comes."""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait

from msgspec.structs import replace

from arena.league.interruption import Interruption, interruptible
from arena.league.workers import Engine, Task, WorkerDiedError
from arena.records import Fixture, FixtureResult, LeagueInfo, QuarantinedFixture
from arena.store.rows import Packed
from arena.submissions.bot import StagedBot

_TICK = 0.25
"""Seconds between looks at the progress and at Ctrl-C."""
MOST_DEATHS = 3
"""How many workers a fixture may take down before it is set aside."""
_WHY = "the worker that played it died each time, at last with nothing else in its hands"

Keep = Callable[[Packed, FixtureResult], None]
"""Called for each fixture, as it is to be stored, with what came of it."""
OnResult = Callable[[FixtureResult | None], None]
"""Called for each fixture that was kept, and now and then with None while nothing came."""


def run(
    info: LeagueInfo,
    due: Callable[[], Sequence[Fixture]],
    bots: Mapping[str, StagedBot],
    engine: Engine,
    keep: Keep,
    set_aside: Callable[[QuarantinedFixture], None],
    progress: OnResult,
    *,
    notify: Callable[[], None] = lambda: None,
) -> bool:
    """Play until nothing is due; returns whether it came to that.

    `due` names what to play next, and is asked again when all of that was handed to `keep`; or to
    `set_aside`, where a fixture took down its worker too often: this run does not play it again.
    False means that Ctrl-C was pressed: what was running is kept. A second Ctrl-C, or a SIGTERM,
    raises KeyboardInterrupt; every process is ended and nothing that was kept is lost. `notify` is
    called once when the first was heard.
    """
    tasks: deque[Task] = deque()
    aside: set[str] = set()

    def refill() -> bool:
        tasks.extend(_task(info, one, bots) for one in due() if one.id not in aside)
        return bool(tasks)

    def give_up(task: Task, deaths: int) -> None:
        aside.add(task.fixture.id)
        set_aside(QuarantinedFixture(task.fixture, _WHY, deaths, time.time()))

    with interruptible(notify) as interruption:
        crew = _Crew(engine, keep, give_up, progress, interruption)
        while (tasks or refill()) and not interruption.heard():
            for suspect in crew.play(tasks, refill):
                tasks.extendleft(crew.play_alone(suspect))
        return not tasks


def _task(info: LeagueInfo, fixture: Fixture, bots: Mapping[str, StagedBot]) -> Task:
    return Task(
        fixture,
        info.variants[fixture.variant],
        tuple(bots[name] for name in fixture.seats),
        info.limits,
        info.memory_across_fixtures,
    )


class _Crew:
    """Workers, and what is done with the fixtures that they played."""

    def __init__(
        self,
        engine: Engine,
        keep: Keep,
        give_up: Callable[[Task, int], None],
        progress: OnResult,
        interruption: Interruption,
    ) -> None:
        self._engine = engine
        self._keep = keep
        self._give_up = give_up
        self._progress = progress
        self._interruption = interruption
        self._deaths: Counter[str] = Counter()
        """Workers that died with a fixture in their hands, by its id."""

    def play(
        self,
        tasks: deque[Task],
        refill: Callable[[], bool] = lambda: False,
        *,
        alone: bool = False,
    ) -> list[Task]:
        """Use up tasks, `alone` one at a time; returns those that a dying worker took with it.

        `refill` may add more when all are played.
        """
        running: dict[Future[object], list[Task]] = {}
        broken: list[Task] = []
        with self._engine.executor(1 if alone else self._engine.places()) as executor:
            while True:
                if not broken and not self._interruption.heard() and (tasks or running or refill()):
                    self._hand_out(executor, tasks, running, 1 if alone else self._engine.places())
                if not running:
                    return broken
                done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                self._interruption.heard()
                broken += [task for future in done for task in self._take(future, running)]
                if not done:
                    self._progress(None)

    def play_alone(self, suspect: Task) -> list[Task]:
        """Play what a dying worker took with it where no other can share the blame.

        Returns it where Ctrl-C was pressed first. It is given up where it takes down its worker
        every time.
        """
        alone = deque([suspect])
        while broken := self.play(alone, alone=True):
            deaths = self._deaths[suspect.fixture.id]
            if deaths >= MOST_DEATHS:
                self._give_up(suspect, deaths)
                break
            alone.extend(broken)
        return list(alone)

    def _hand_out(
        self,
        executor: Executor,
        tasks: deque[Task],
        running: dict[Future[object], list[Task]],
        places: int,
    ) -> None:
        """Keep one task more under way than workers, so that none waits; Ctrl-C awaits all."""
        while tasks and len(running) <= places:
            share = min(self._engine.share(len(tasks)), len(tasks))
            together = [_with_next(tasks, at, share, places) for at in range(share)]
            try:
                future = self._engine.submit(executor, together)
            except BrokenExecutor:
                return
            running[future] = together
            for _ in together:
                tasks.popleft()

    def _take(
        self, future: Future[object], running: dict[Future[object], list[Task]]
    ) -> list[Task]:
        """Keep what was played; returns the tasks where their worker died instead."""
        together = running.pop(future)
        try:
            found = self._engine.collect(future)
        except WorkerDiedError as error:
            for task in together:
                self._deaths[task.fixture.id] += error.deaths
            return together
        for packed in found:
            result = packed.result()
            self._keep(packed, result)
            self._progress(result)
        return []


def _with_next(tasks: Sequence[Task], at: int, share: int, places: int) -> Task:
    """Return a task that says who plays in the one that its worker will get after it."""
    after = at + 1 if at + 1 < share else share * places + at
    return replace(tasks[at], next_bots=tasks[after].bots) if after < len(tasks) else tasks[at]
