"""What a bot takes: time to start, time per decision, memory."""

from statistics import median

from arena.check.findings import Measured
from arena.sandboxes.base import Running


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
