"""How the runner hands out tasks and blames those that kill workers, on a scripted engine."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace

from arena.game.records import Conditions, Fixture, FixtureResult, QuarantinedFixture
from arena.io.errors import ArenaError
from arena.league.play.dispatcher import RunListener, play_due
from arena.league.play.workers import Task, WorkerDiedError
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import PackedFixture, pack
from arena.league.terms.conditions import conditions_of
from tests.league import leagues
from tests.support import records
from tests.support.live import in_place

Died = Callable[[Sequence[Task]], int]
"""Tells how many workers died of tasks that were handed out together."""


class Scripted:
    """An engine of two workers that play nothing, and take batches of a fixed size."""

    def __init__(self, size: int, died: Died = lambda _: 0) -> None:
        self.handed_out: list[list[str]] = []
        self._size = size
        self._died = died

    def worker_count(self) -> int:
        return 2

    def batch_size(self, waiting: int) -> int:
        assert waiting > 0
        return self._size

    @contextmanager
    def executor(self, workers: int) -> Iterator[Executor]:
        with ThreadPoolExecutor(workers) as threads:
            yield threads

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        self.handed_out.append([task.fixture.id for task in tasks])
        return executor.submit(lambda: tasks)

    def collect(self, future: Future[object]) -> list[PackedFixture]:
        tasks = future.result()
        assert isinstance(tasks, list)
        if deaths := self._died(tasks):
            raise WorkerDiedError(deaths)
        return [pack(records.played(task.fixture)) for task in tasks]


class Season:
    """A league of six fixtures in the making."""

    def __init__(self, folder: Path) -> None:
        plan = leagues.league(folder, players=[2])
        self.info: Conditions = conditions_of(plan, "process", "seed")
        self.bots = {bot.name: in_place(bot) for bot in plan.bots}
        self.fixtures = Schedule(self.info).fixtures
        self.kept: list[str] = []
        self.quarantined: list[QuarantinedFixture] = []

    def play(self, engine: Scripted, listener: RunListener | None = None) -> bool:
        listener = listener or RunListener()
        return play_due(self.info, self.bots, engine, self, listener, leagues.quiet)

    def due(self) -> list[Fixture]:
        return [one for one in self.fixtures if one.id not in self.kept]

    def keep(self, packed: Sequence[PackedFixture], results: Sequence[FixtureResult]) -> None:
        assert [one.row.id for one in packed] == [result.fixture.id for result in results]
        self.kept += [result.fixture.id for result in results]

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        self.quarantined.append(fixture)


@pytest.fixture
def season(tmp_path: Path) -> Season:
    return Season(tmp_path)


@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_each_fixture_is_handed_out_once_in_batches(season: Season, size: int) -> None:
    engine = Scripted(size)
    assert season.play(engine)
    ids = sorted(one.id for one in season.fixtures)
    assert sorted(id_ for batch in engine.handed_out for id_ in batch) == ids == sorted(season.kept)
    assert all(len(batch) <= size for batch in engine.handed_out)


def test_results_are_kept_if_another_batch_ends_the_run(season: Season) -> None:
    class Lost(Scripted):
        collected = 0

        def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
            future: Future[object] = Future()
            future.set_result(tasks)
            return future

        def collect(self, future: Future[object]) -> list[PackedFixture]:
            self.collected += 1
            if self.collected == 3:
                raise ArenaError("the connection is lost")
            return super().collect(future)

    with pytest.raises(ArenaError, match="the connection is lost"):
        season.play(Lost(1))
    assert len(season.kept) == 2


def test_batch_that_killed_its_worker_is_played_one_by_one(season: Season) -> None:
    bad = season.fixtures[1].id

    def died(tasks: Sequence[Task]) -> int:
        return int(any(task.fixture.id == bad for task in tasks))

    engine = Scripted(3, died)
    assert season.play(engine)
    assert [one.fixture.id for one in season.quarantined] == [bad]
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures if one.id != bad)
    tries = [batch for batch in engine.handed_out if bad in batch]
    assert [len(batch) for batch in tries] == [3, 1, 1]
    assert season.quarantined[0].deaths == 3


def test_fixture_is_never_quarantined_before_it_was_played_alone(season: Season) -> None:
    """A cluster tells of a death only after several: they may have been a neighbour's."""
    bad = season.fixtures[0].id

    def died(tasks: Sequence[Task]) -> int:
        return 4 * (len(tasks) > 1 and tasks[0].fixture.id == bad)

    assert season.play(Scripted(2, died))
    assert season.quarantined == []
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures)


def test_quarantined_fixture_counts_all_deaths(season: Season) -> None:
    bad = season.fixtures[0].id

    def died(tasks: Sequence[Task]) -> int:
        return 4 * (tasks[0].fixture.id == bad)

    assert season.play(Scripted(1, died))
    assert [(one.fixture.id, one.deaths) for one in season.quarantined] == [(bad, 8)]


def test_arena_error_of_the_engine_ends_the_run(season: Season) -> None:
    def died(_: Sequence[Task]) -> int:
        raise ArenaError("all is over")

    with pytest.raises(ArenaError, match="all is over"):
        season.play(Scripted(1, died))
    assert season.kept == []


def test_listener_stops_the_run_after_the_fixtures_being_played(season: Season) -> None:
    class Stopper(RunListener):
        stops = 0

        def stop_requested(self) -> bool:
            return len(season.kept) > 0

        def stopping(self) -> None:
            self.stops += 1

    listener, engine = Stopper(), Scripted(1)
    assert not season.play(engine, listener)
    assert listener.stops == 1
    assert 0 < len(season.kept) == len(engine.handed_out) < len(season.fixtures)


def test_run_in_another_thread_leaves_signals_alone(season: Season) -> None:
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(season.play, Scripted(1)).result()
    assert len(season.kept) == len(season.fixtures)


class Blocks(Season):
    """Blocks of six fixtures, of which the next is begun when one is asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        schedule = Schedule(replace(self.info, endless=True))
        [self._division] = schedule.blocks
        self._schedule, self.fixtures = schedule, []

    def due(self) -> list[Fixture]:
        if len(self.fixtures) < 12:
            self.fixtures += self._schedule.draw(self._division) or []
        return super().due()


class Waiting(Scripted):
    """Two workers; one does not end its first fixture before the other played one of block 3."""

    def __init__(self) -> None:
        super().__init__(1)
        self.third = Event()

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        first = not self.handed_out
        self.handed_out.append([task.fixture.id for task in tasks])

        def play() -> Sequence[Task]:
            if tasks[0].fixture.block == 3:
                self.third.set()
            assert not first or self.third.wait(300)
            return tasks

        return executor.submit(play)


def test_one_slow_fixture_does_not_hold_up_the_next_blocks(tmp_path: Path) -> None:
    season, engine = Blocks(tmp_path), Waiting()
    assert season.play(engine)
    assert engine.third.is_set()
    handed_out = [id_ for batch in engine.handed_out for id_ in batch]
    assert handed_out[0] == season.fixtures[0].id
    assert sorted(handed_out) == sorted(season.kept) == sorted(one.id for one in season.fixtures)


def test_no_more_blocks_are_asked_for_than_workers_need(tmp_path: Path) -> None:
    season = Blocks(tmp_path)
    asked: list[tuple[int, int]] = []

    class Counting(Scripted):
        def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
            asked.append((len(season.fixtures), len(season.kept)))
            return super().submit(executor, tasks)

    assert season.play(Counting(1))
    assert all(drawn - kept <= 3 * 3 for drawn, kept in asked)
