"""The processes that help to make a report, if there is much to do."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from arena.io.cores import core_count
from arena.league.store.store import Store
from arena.publish.game_source import Made
from arena.publish.series import batched
from arena.publish.stored.fixture_work import Given, Task, with_store

MANY = 10_000
"""Seats at so many games are worth starting processes for: half a second of work."""
_CHUNK = 250
"""Games that are handed to a process at a time, about."""
_AHEAD = 2
"""Chunks under way for each process."""
_Result = TypeVar("_Result")


class Processes:
    """One for each core; they are started for the first work that is worth it, and then kept."""

    def __init__(self, store: Store) -> None:
        self._store, self._opened = store, ExitStack()
        self._executor: Executor | None = None

    def __enter__(self) -> "Processes":
        self._opened.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._opened.__exit__(*raised)  # type: ignore[arg-type]

    @property
    def running(self) -> bool:
        """Whether they are started."""
        return self._executor is not None

    def spread(
        self, task: Task[Given, Made], jobs: Sequence[Given], games: int, seats: int
    ) -> Iterator[Made]:
        """Yield what a task makes of jobs, each about so many games of a fixture; in order.

        `seats` are those of all their games: few do not start processes.
        """
        parts, cores = batched(jobs, max(1, _CHUNK // games)), core_count()
        if cores == 1 or (seats < MANY and not self.running):
            for part in parts:
                yield from task(self._store, part)
            return
        # Slow to import, and a small report needs none.
        from arena.league.play.process_pool import map_ordered

        calls = (partial(with_store, self._store.path, task, part) for part in parts)
        for results in map_ordered(self._started(cores), calls, cores * _AHEAD):
            yield from results

    def begin(self, call: Callable[[], _Result]) -> Callable[[], _Result]:
        """Begin a call, and return what waits for its result."""
        from arena.league.play.process_pool import start

        return start(self._started(core_count()), call).result

    def _started(self, cores: int) -> Executor:
        from arena.league.play.process_pool import pool

        if self._executor is None:
            self._executor = self._opened.enter_context(pool(cores, pin=False))
        return self._executor
