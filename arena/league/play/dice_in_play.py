"""The dice in play: no bot may meet the same dice at two tables at a time.

The fixtures of a block share their dice. Two processes of one bot at two such tables could tell
each other of them, and no sandbox closes every channel between the programs of one machine.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from arena.league.play.workers import Task

_Seat = tuple[str, str]
"""The key of a table's dice, and the digest of a bot that sits there, whatever it is called."""


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
        return [replace(task, open_dice=self._open_elsewhere(task)) for task in batch]

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

    def _open_elsewhere(self, task: Task) -> frozenset[str]:
        """Return the keys of open dice, without a task's own if no other table has them."""
        key = task.fixture.dice_key
        return frozenset(self._open if self._left[key] > 1 else self._open - {key})


def _seats(task: Task) -> Iterator[_Seat]:
    return ((task.fixture.dice_key, bot.info.digest) for bot in task.bots)
