"""What a bot takes: time to start, time per decision, memory."""

from itertools import count
from statistics import median

from arena.check.findings import Measured
from arena.sandboxes.base import Program, Running, Sandbox
from arena.sessions.warm_pool import TableDice, TablePool, WarmPool


class Processes(WarmPool):
    """The running bot: a process that says `reusable` serves at several tables, as in a league."""

    last: Running
    """The process that took a seat last."""

    def __init__(self) -> None:
        super().__init__()
        self._tables = count()

    def take(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running:
        """Return a process for a seat; raises OSError if it cannot be started."""
        self.last = super().take(program, sandbox, dice)
        return self.last

    def for_table(self) -> TablePool:
        """Return the processes as a new table may use them: its dice are new to them."""
        return TablePool(self, TableDice(str(next(self._tables))))


class Meter:
    """Collects what a bot took; times in seconds, memory in bytes."""

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.decisions: list[float] = []
        self.by_cpu = True
        """Whether decisions are in CPU time; by the wall clock if the sandbox cannot tell it."""
        self._memory: int | None = None

    def look(self, running: Running) -> None:
        """Note how much memory a running bot has held."""
        if peak := running.peak_memory():
            self._memory = max(self._memory or 0, peak)

    def result(self) -> Measured:
        """Return what was measured so far."""
        times = sorted(self.decisions)
        return Measured(
            start=max(self.starts, default=None),
            decisions=len(times),
            clock="cpu" if self.by_cpu else "wall",
            median=median(times) if times else None,
            p99=times[len(times) * 99 // 100] if times else None,
            longest=times[-1] if times else None,
            memory=self._memory,
        )
