"""What is handed out when: dice meet no bot twice at a time, and no process twice at all."""

import os
from collections import deque
from collections.abc import Iterator
from random import Random
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.author.compare.behaviour import NEW, OLD
from arena.author.compare.compare import comparison_fixtures
from arena.bots.sessions.warm_pool import WarmPool
from arena.league.play.dispatcher import DiceInPlay
from arena.league.play.workers import Task
from arena.league.schedule.schedule import Schedule
from tests.league.fake_tables import Bot, Box, info, seats, tasks_of

each_run = settings(deadline=None, database=None)


class Play:
    """Workers that take batches in the order in which they were handed out."""

    def __init__(self, tasks: deque[Task], workers: int, box: Box, rng: Random) -> None:
        self.waiting, self.box, self.rng = tasks, box, rng
        self.dice = DiceInPlay()
        self.dice.expect(tasks)
        self.pools = [WarmPool() for _ in range(workers)]
        self.queue: deque[list[Task]] = deque()
        self.batches: dict[int, list[Task]] = {}
        """By worker, what it has got."""
        self.left: dict[int, list[Task]] = {}
        self.tables: dict[int, tuple[Task, list[Bot]]] = {}
        """By worker, the table under way."""
        self.idle = 0
        """How often a worker had nothing to play, though there were tables on other dice."""
        self.played: list[str] = []

    def play(self, size: int) -> None:
        while True:
            while len(self.batches) + len(self.queue) <= len(self.pools):
                batch = self.dice.take_free(self.waiting, self.rng.randint(1, size))
                if not batch:
                    break
                self.queue.append(batch)
            for worker in range(len(self.pools)):
                self.begin(worker)
            if not self.tables:
                return
            in_play = {task.fixture.dice_key for task, _ in self.tables.values()}
            others = {task.fixture.dice_key for task in self.waiting} - in_play
            self.idle += bool(others) and len(self.tables) < len(self.pools)
            self.end(self.rng.choice(sorted(self.tables)))

    def begin(self, worker: int) -> None:
        if worker not in self.batches and self.queue:
            self.batches[worker] = self.queue.popleft()
            self.left[worker] = list(self.batches[worker])
        if worker not in self.tables and worker in self.batches:
            task = self.left[worker].pop(0)
            pool = self.pools[worker]
            taken = [pool.take(bot.program, self.box, task.dice) for bot in task.bots]
            bots = [cast("Bot", running) for running in taken]
            assert not any(task.fixture.dice_key in bot.seen for bot in bots)
            for bot in bots:
                bot.seen.add(task.fixture.dice_key)
            self.tables[worker] = task, bots
            self.check()

    def check(self) -> None:
        """Check that nobody who runs knows the dice of another table."""
        resting = {bot for bot in self.box.started if bot.alive}
        for task, bots in self.tables.values():
            resting -= set(bots)
            for other, _ in self.tables.values():
                assert other is task or seats(task).isdisjoint(seats(other))
                if other.fixture.dice_key != task.fixture.dice_key:
                    assert not any(other.fixture.dice_key in bot.seen for bot in bots)
        for task, _ in self.tables.values() if not self.box.freezes else ():
            assert not any(task.fixture.dice_key in bot.seen for bot in resting)

    def end(self, worker: int) -> None:
        task, bots = self.tables.pop(worker)
        for bot, running in zip(task.bots, bots, strict=True):
            if self.rng.random() < 0.1:
                running.kill()
            else:
                pool = self.pools[worker]
                pool.give_back(bot.program, self.box, running, task.dice)  # type: ignore[arg-type]
        self.played.append(task.fixture.id)
        if not self.left[worker]:
            self.dice.finish(self.batches.pop(worker))


@pytest.fixture(scope="module")
def silent() -> Iterator[int]:
    """A descriptor that never becomes readable."""
    read_end, write_end = os.pipe()
    yield read_end
    os.close(read_end)
    os.close(write_end)


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, int]:
    """Numbers of bots and of players."""
    players = draw(st.integers(2, 6))
    return draw(st.integers(players, 9)), players


@each_run
@given(shapes(), st.integers(1, 5), st.integers(1, 4), st.booleans(), st.booleans(), st.integers(0))
def test_no_bot_that_runs_knows_the_dice_of_another_table(
    silent: int,
    shape: tuple[int, int],
    workers: int,
    size: int,
    twins: bool,
    freezes: bool,
    seed: int,
) -> None:
    tasks = tasks_of(Schedule(info(*shape)).fixtures, twins=twins)
    ids = [task.fixture.id for task in tasks]
    run = Play(tasks, workers, Box(silent, freezes=freezes), Random(seed))
    run.play(size)
    assert sorted(run.played) == sorted(ids)


@each_run
@given(shapes(), st.integers(0))
def test_processes_of_a_comparison_serve_one_version_on_each_dice(
    silent: int, shape: tuple[int, int], seed: int
) -> None:
    fixtures = comparison_fixtures(info(*shape))
    assert {OLD, NEW} < {bot for one in fixtures for bot in one.seats}
    run = Play(tasks_of(fixtures), 3, Box(silent, freezes=False), Random(seed))
    run.play(1)
    assert len(run.played) == len(fixtures)


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_stay_busy_while_there_are_other_dice(
    silent: int, players: int, workers: int
) -> None:
    run = Play(
        tasks_of(Schedule(info(6, players, 8)).fixtures),
        workers,
        Box(silent, freezes=True),
        Random(0),
    )
    run.play(1)
    assert run.idle == 0


def test_tasks_that_were_not_played_are_free_again() -> None:
    tasks = tasks_of(Schedule(info(3, 3, 1)).fixtures)
    dice = DiceInPlay()
    dice.expect(tasks)
    batch = dice.take_free(tasks, 1)
    assert [len(batch), len(tasks), len(dice.take_free(tasks, 1))] == [1, 2, 0]
    dice.pause(batch)
    [again] = dice.take_free(deque(batch), 1)
    assert again.open_dice == {again.fixture.dice_key}
    dice.finish([again])
    [second] = dice.take_free(tasks, 1)
    dice.finish([second])
    [last] = dice.take_free(tasks, 1)
    assert second.open_dice == {last.fixture.dice_key}
    assert last.open_dice == frozenset()
