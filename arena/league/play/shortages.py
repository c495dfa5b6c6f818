"""What machines lacked in a run: no bot is to blame, and the fixtures are played again."""

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Event

from arena.game.records import Fixture
from arena.io.shortage import ShortageError
from arena.league.play.interruption import Interruption
from arena.league.play.workers import Lacking, Played, Task

_PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each try to play what could not be played: others may end what they run."""
_TICK = 0.25
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
        for _ in range(round(_PAUSES[tries - 1] / _TICK) if tries else 0):
            if interruption.requested():
                return
            Event().wait(_TICK)
