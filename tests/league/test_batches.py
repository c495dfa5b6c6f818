"""What the runner hands out, and whom it blames, with an engine that does as it is told."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.league.conditions import conditions
from arena.league.runner import run
from arena.league.schedule import schedule
from arena.league.workers import Task, WorkerDiedError
from arena.records import Fixture, FixtureResult, LeagueInfo, PlayedFixture, QuarantinedFixture
from arena.store.rows import Packed, pack
from tests.league import leagues
from tests.support.live import in_place

Died = Callable[[Sequence[Task]], int]
"""Tells how many workers died of tasks that were handed out together."""


class Scripted:
    """An engine of two workers that play nothing, and take so many tasks at a time."""

    def __init__(self, share: int, died: Died = lambda _: 0) -> None:
        self.handed_out: list[list[str]] = []
        self._share = share
        self._died = died

    def places(self) -> int:
        return 2

    def share(self, waiting: int) -> int:
        assert waiting > 0
        return self._share

    @contextmanager
    def executor(self, places: int) -> Iterator[Executor]:
        with ThreadPoolExecutor(places) as threads:
            yield threads

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        self.handed_out.append([task.fixture.id for task in tasks])
        return executor.submit(lambda: tasks)

    def collect(self, future: Future[object]) -> list[Packed]:
        tasks = future.result()
        assert isinstance(tasks, list)
        if deaths := self._died(tasks):
            raise WorkerDiedError(deaths)
        return [pack(PlayedFixture(task.fixture, [], "process", "cpu", 0, 0.0)) for task in tasks]


class Season:
    """A league of six fixtures in the making."""

    def __init__(self, folder: Path) -> None:
        plan = leagues.league(folder, players=[2])
        self.info: LeagueInfo = conditions(plan, "process", "seed")
        self.bots = {bot.name: in_place(bot) for bot in plan.bots}
        self.fixtures = schedule(self.info)
        self.kept: list[str] = []
        self.aside: list[QuarantinedFixture] = []

    def play(self, engine: Scripted) -> bool:
        def keep(packed: Packed, result: FixtureResult) -> None:
            assert packed.row.id == result.fixture.id
            self.kept.append(result.fixture.id)

        return run(
            *(self.info, self._due, self.bots, engine),
            *(keep, self.aside.append, leagues.quiet),
        )

    def _due(self) -> list[Fixture]:
        return [one for one in self.fixtures if one.id not in self.kept]


@pytest.fixture
def season(tmp_path: Path) -> Season:
    return Season(tmp_path)


@pytest.mark.parametrize("share", [1, 2, 4, 100])
def test_each_fixture_is_handed_out_once_in_shares(season: Season, share: int) -> None:
    engine = Scripted(share)
    assert season.play(engine)
    ids = [one.id for one in season.fixtures]
    assert [id_ for batch in engine.handed_out for id_ in batch] == ids
    assert {len(batch) for batch in engine.handed_out[:-1]} <= {share}
    assert sorted(season.kept) == sorted(ids)


def test_a_batch_that_took_down_its_worker_is_played_one_by_one(season: Season) -> None:
    bad = season.fixtures[1].id

    def died(tasks: Sequence[Task]) -> int:
        return int(any(task.fixture.id == bad for task in tasks))

    engine = Scripted(3, died)
    assert season.play(engine)
    assert [one.fixture.id for one in season.aside] == [bad]
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures if one.id != bad)
    tries = [batch for batch in engine.handed_out if bad in batch]
    assert [len(batch) for batch in tries] == [3, 1, 1]
    assert season.aside[0].deaths == 3


def test_a_fixture_is_never_set_aside_before_it_was_alone(season: Season) -> None:
    """A cluster tells of a death only after several: they may have been a neighbour's."""
    bad = season.fixtures[0].id

    def died(tasks: Sequence[Task]) -> int:
        return 4 * (len(tasks) > 1 and tasks[0].fixture.id == bad)

    assert season.play(Scripted(2, died))
    assert season.aside == []
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures)


def test_alone_it_is_set_aside_with_all_that_died(season: Season) -> None:
    bad = season.fixtures[0].id

    def died(tasks: Sequence[Task]) -> int:
        return 4 * (tasks[0].fixture.id == bad)

    assert season.play(Scripted(1, died))
    assert [(one.fixture.id, one.deaths) for one in season.aside] == [(bad, 8)]


def test_what_an_engine_says_is_over_ends_the_run(season: Season) -> None:
    def died(_: Sequence[Task]) -> int:
        raise ArenaError("all is over")

    with pytest.raises(ArenaError, match="all is over"):
        season.play(Scripted(1, died))
    assert season.kept == []
