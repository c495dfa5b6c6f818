"""The cost of keeping shared dice secret: `python -m benchmarks.shared_dice`.

No bot is at two tables with the same dice at a time, so workers may wait for each other; and no
process plays twice on the same dice, or while others play on dice that it knows, so more of them
are started. Leagues whose tables all take equally long are handed out to workers without playing.
"""

import heapq
import os
from collections import deque
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from arena.bots.sessions.warm_pool import WarmPool
from arena.league.play.dispatcher import DiceInPlay
from arena.league.play.workers import Task
from arena.league.schedule.schedule import Schedule
from tests.league.fake_tables import Box, info, tasks_of

BLOCKS = 40


class Cost(NamedTuple):
    """What handing out a league showed."""

    busy: float
    """The share of the time in which a worker played."""
    starts: float
    """Processes that were started, for each seat at a table."""


def main() -> None:
    """Print a line for each size of field and table, and number of workers."""
    print("| bots | players | workers | busy | busy with `until` | starts per seat |")
    print("|---|---|---|---|---|---|")
    for bots in (6, 12, 24):
        for players in (2, 4, 6):
            for workers in (2, 4):
                _print(bots, players, workers)


def _print(bots: int, players: int, workers: int) -> None:
    fixtures = Schedule(info(bots, players, BLOCKS)).fixtures
    blocks = [tasks_of(list(block)) for _, block in groupby(fixtures, attrgetter("block"))]
    busy, starts = hand_out([tasks_of(fixtures)], workers)
    until = hand_out(blocks, workers).busy
    shares = f"{100 * busy:.0f} % | {100 * until:.0f} %"
    print(f"| {bots} | {players} | {workers} | {shares} | {starts:.2f} |")


def hand_out(parts: list[deque[Task]], workers: int) -> Cost:
    """Hand out a league, part after part."""
    never, other_end = os.pipe()
    box = Box(never, freezes=True)
    pools = [WarmPool() for _ in range(workers)]
    dice, now, seats, tables = DiceInPlay(), 0, 0, 0
    for tasks in parts:
        dice.expect(tasks)
        tables += len(tasks)
        seats += sum(len(task.bots) for task in tasks)
        now = _play(tasks, dice, pools, box, now)
    os.close(never)
    os.close(other_end)
    return Cost(tables / (now * workers), len(box.started) / seats)


def _play(tasks: deque[Task], dice: DiceInPlay, pools: list[WarmPool], box: Box, now: int) -> int:
    """Play all tasks, each for one unit of time; returns the time of the end."""
    queue: deque[Task] = deque()
    free = list(range(len(pools)))
    under_way: list[tuple[int, int, Task]] = []
    while True:
        while len(under_way) + len(queue) <= len(pools) and (batch := dice.take_free(tasks, 1)):
            queue.extend(batch)
        while free and queue:
            heapq.heappush(under_way, (now + 1, free.pop(), queue.popleft()))
        if not under_way:
            return now
        now, worker, task = heapq.heappop(under_way)
        programs = [bot.program for bot in task.bots]
        taken = [pools[worker].take(program, box, task.dice) for program in programs]
        for program, running in zip(programs, taken, strict=True):
            pools[worker].give_back(program, box, running, task.dice)
        dice.finish([task])
        free.append(worker)


if __name__ == "__main__":
    main()
