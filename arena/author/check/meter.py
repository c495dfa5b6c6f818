"""Measurements of a bot: time to start, time per decision, memory, and what slows its check."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from statistics import median

from arena.author.check.findings import Measured
from arena.bots.sandboxes.base import MIB, Program, Running, Sandbox
from arena.bots.sessions.session import MAX_STDERR
from arena.bots.sessions.warm_pool import TableDice, TablePool, Waiting, WarmPool
from arena.game.wire.messages import Ready

STEP_SECONDS = 60.0
"""A step puts positions to a slow bot for so long; then it is over without a fault."""
_ENOUGH, _LONG = 20, 5.0
"""Answers, or seconds that they took, after which slow ones are told."""
_SLOW_ANSWER, _LONG_START = 0.2, 1.0
"""Seconds from which on an answer and a start are slow."""
_POSITIONS = 100
"""Positions of most steps."""
_STOP = "Ctrl-C ends the check and prints what was found"
MOST_WAITING = 6
"""Processes of a bot that wait for a table: as many as the largest table seats."""
_SLOW_START = 0.5
"""Seconds to start above which several processes are started side by side."""


class Pace:
    """Counts what a bot takes, and warns of each thing once.

    `steps_left` are the steps of the check that are not over.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.steps_left = 0
        self._warn = warn
        self._said: set[str] = set()
        self._answers = 0
        self._seconds = 0.0
        self._written = 0

    def started(self, seconds: float, starts: int) -> None:
        """Note how long the bot took to start, and how often it will be started, one by one."""
        if seconds > _LONG_START:
            said = f"it took {seconds:.1f} s to start, and may be started {starts} times"
            self._say("start", f"{said}: about {_time(seconds * starts)}; {_STOP}")

    def waited(self, answers: int, seconds: float, written: int) -> None:
        """Note so many answers after a wait, and the bytes of standard error that came with it."""
        self._written += written
        if answers:
            self._answers += answers
            self._seconds += seconds
        each = self._written / max(self._answers, _ENOUGH)
        if each > MAX_STDERR:
            size = f"{self._written / MIB:.0f} MiB"
            said = f"it wrote {size} to standard error so far: that takes time, and 64 KiB are kept"
            self._say("stderr", said)
        if self._answers < _ENOUGH and self._seconds < _LONG:
            return
        mean = self._seconds / self._answers
        if mean > _SLOW_ANSWER:
            left = self.steps_left * min(STEP_SECONDS, _POSITIONS * mean)
            said = f"an answer takes {mean:.1f} s: the check may take {_time(left)} more"
            self._say("answers", f"{said}; {_STOP}")

    def _say(self, kind: str, text: str) -> None:
        if kind not in self._said:
            self._said.add(kind)
            self._warn(text)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def side_by_side(start: float, limit: float) -> int:
    """Return how many starts of so many seconds may go on at a time; 0 if it is not worth it.

    None comes near the limit, even if all of them compute.
    """
    if start < _SLOW_START:
        return 0
    cores = len(os.sched_getaffinity(0))
    return min(MOST_WAITING, int(cores * limit / (2 * start)))


def expected_starts(ready: Ready) -> int:
    """Return how often a check starts a bot at most."""
    if ready.reusable:
        return 9
    return 32 if ready.concurrent_games > 1 else 27


class Processes(WarmPool):
    """The running bot: a process that says `reusable` serves at several tables, as in a league."""

    def __init__(self) -> None:
        super().__init__()
        self._tables = count()
        self.starts = 0

    def take(self, program: Program, sandbox: Sandbox, dice: TableDice) -> Running:
        """Return a process for a seat; raises OSError if it cannot be started."""
        waited = {waiting.running for waiting in self._waiting}
        running = super().take(program, sandbox, dice)
        self.starts += running not in waited
        return running

    def start_ahead(self, program: Program, sandbox: Sandbox, most: int) -> None:
        """Start processes until `most` wait that have not served, or a table's worth in all."""
        fresh = sum(waiting.running not in self._seen for waiting in self._waiting)
        for _ in range(min(most - fresh, MOST_WAITING - len(self._waiting))):
            with suppress(OSError):
                running = sandbox.start(program)
                self._waiting.append(Waiting(sandbox.name, program, running))
                self.starts += 1

    def end_served(self) -> None:
        """End the waiting processes that have served."""
        fresh = [waiting for waiting in self._waiting if waiting.running not in self._seen]
        for waiting in fresh:
            self._waiting.remove(waiting)
        self.end()
        self._waiting.extend(fresh)

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
        self.starting = 0.0
        """Seconds in which nothing went on but starts."""
        self._began = time.monotonic()
        self._memory: int | None = None

    def started(self, seconds: float) -> None:
        """Note that the bot was ready after so many seconds."""
        self.starts.append(seconds)
        self.starting += seconds

    def look(self, running: Running) -> None:
        """Note how much memory a running bot has held."""
        if peak := running.peak_memory():
            self._memory = max(self._memory or 0, peak)

    def result(self, starts: int) -> Measured:
        """Return what was measured so far, with so many starts."""
        times = sorted(self.decisions)
        return Measured(
            start=max(self.starts, default=None),
            starts=starts,
            starting=self.starting,
            seconds=time.monotonic() - self._began,
            decisions=len(times),
            clock="cpu" if self.by_cpu else "wall",
            median=median(times) if times else None,
            p99=times[len(times) * 99 // 100] if times else None,
            longest=times[-1] if times else None,
            memory=self._memory,
        )
