"""Plays what is due on worker processes and hands over each fixture as it comes."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool

from msgspec.structs import replace

from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError
from arena.league.interruption import Interruption, interruptible
from arena.league.workers import Task, pool, submit
from arena.records import Fixture, LeagueInfo, PlayedFixture

_TICK = 0.25
"""Seconds between looks at the progress and at Ctrl-C."""
_MAX_ATTEMPTS = 3
"""How many workers a fixture may take down before the run gives up."""

Progress = Callable[[PlayedFixture | None], None]
"""Called for each fixture that was kept, and now and then with None while nothing came."""


def run(
    info: LeagueInfo,
    due: Callable[[], Sequence[Fixture]],
    bots: Mapping[str, Bot],
    sandbox: Sandbox,
    keep: Callable[[PlayedFixture], None],
    progress: Progress,
    *,
    workers: int,
    pin: bool = True,
    notify: Callable[[], None] = lambda: None,
) -> bool:
    """Play until nothing is due; returns whether it came to that.

    `due` names what to play next, and is asked again when all of that was handed to `keep`. False
    means that Ctrl-C was pressed: what was running is kept. A second Ctrl-C, or a SIGTERM, raises
    KeyboardInterrupt; every process is ended and nothing that was kept is lost. `notify` is called
    once when the first was heard.
    """
    tasks: deque[Task] = deque()

    def refill() -> bool:
        tasks.extend(_task(info, fixture, bots, sandbox) for fixture in due())
        return bool(tasks)

    with interruptible(notify) as interruption:
        crew = _Crew(keep, progress, interruption, pin=pin)
        while (tasks or refill()) and not interruption.heard():
            for suspect in crew.play(tasks, workers, refill):
                tasks.extendleft(crew.play_alone(suspect))
        return not tasks


def _task(info: LeagueInfo, fixture: Fixture, bots: Mapping[str, Bot], sandbox: Sandbox) -> Task:
    seats = tuple(bots[name] for name in fixture.seats)
    return Task(
        fixture,
        info.variants[fixture.variant],
        seats,
        sandbox,
        info.limits,
        info.memory_across_fixtures,
    )


def _with_next(tasks: deque[Task], workers: int) -> Task:
    """Return the first task; it says who plays in the one that its worker will get after it."""
    return replace(tasks[0], next_bots=tasks[workers].bots) if len(tasks) > workers else tasks[0]


class _Crew:
    """Pools of workers, and what is done with the fixtures that they played."""

    def __init__(
        self,
        keep: Callable[[PlayedFixture], None],
        progress: Progress,
        interruption: Interruption,
        *,
        pin: bool,
    ) -> None:
        self._keep = keep
        self._progress = progress
        self._interruption = interruption
        self._pin = pin

    def play(
        self, tasks: deque[Task], workers: int, refill: Callable[[], bool] = lambda: False
    ) -> list[Task]:
        """Use up tasks on one pool; returns those that a dying worker took with it.

        `refill` may add more when all are played.
        """
        running: dict[Future[PlayedFixture], Task] = {}
        broken: list[Task] = []
        with pool(workers, pin=self._pin) as executor:
            while True:
                if not broken and not self._interruption.heard() and (tasks or running or refill()):
                    self._hand_out(executor, tasks, running, workers)
                if not running:
                    return broken
                done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                self._interruption.heard()
                broken += [task for future in done if (task := self._take(future, running))]
                if not done:
                    self._progress(None)

    def play_alone(self, suspect: Task) -> list[Task]:
        """Play what a dying worker took with it where no other can share the blame.

        Returns it where Ctrl-C was pressed first. Raises ArenaError where it takes down the worker
        every time.
        """
        alone = deque([suspect])
        for _ in range(1, _MAX_ATTEMPTS):
            broken = self.play(alone, 1)
            if not broken:
                return list(alone)
            alone.extend(broken)
        raise ArenaError(
            f"a worker died {_MAX_ATTEMPTS} times while it played",
            f"fixture {suspect.fixture.id}: {', '.join(suspect.fixture.seats)}",
            "free some memory and run again: what was stored is safe",
        )

    def _hand_out(
        self,
        executor: Executor,
        tasks: deque[Task],
        running: dict[Future[PlayedFixture], Task],
        workers: int,
    ) -> None:
        """Keep one fixture more under way than workers, so that none waits; Ctrl-C awaits all."""
        while tasks and len(running) <= workers:
            try:
                future = submit(executor, _with_next(tasks, workers))
            except BrokenProcessPool:
                return
            running[future] = tasks.popleft()

    def _take(
        self, future: Future[PlayedFixture], running: dict[Future[PlayedFixture], Task]
    ) -> Task | None:
        """Keep what was played; returns the task where its worker died instead."""
        task = running.pop(future)
        try:
            played = future.result()
        except BrokenProcessPool:
            return task
        self._keep(played)
        self._progress(played)
        return None
