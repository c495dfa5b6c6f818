"""The progress of a run, on stderr: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.cli.output import say
from arena.league.runner import OnResult
from arena.records import FixtureResult

_PLAIN_EVERY = 5.0
"""Seconds between plain lines."""


class Tally:
    """What has been played in this run, and how fast."""

    def __init__(self, fixtures: int) -> None:
        self.fixtures = fixtures
        self.done = 0
        self.games = 0
        self.faults = 0
        self._began = time.monotonic()

    def add(self, result: FixtureResult) -> None:
        """Count a stored fixture."""
        self.done += 1
        self.games += len(result.games)
        self.faults += sum(cause is not None for game in result.games for cause in game.faults)

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._began

    def line(self) -> str:
        """Say how far it is: fixtures, games a second, time left, faults."""
        rate = self.games / max(self.seconds, 1e-9)
        left = self.seconds / self.done * (self.fixtures - self.done) if self.done else 0.0
        eta = f"{left:.0f} s left" if self.done else "starting"
        return (
            f"{self.done}/{self.fixtures} fixtures, {self.games} games, "
            f"{rate:.0f} games/s, {eta}, faults {self.faults}"
        )


@contextmanager
def progress(tally: Tally) -> Iterator[OnResult]:
    """Show a run's progress while it lasts."""
    shown = _live(tally) if sys.stderr.isatty() else _plain(tally)
    with shown as update:
        yield update
    say(tally.line())


@contextmanager
def _plain(tally: Tally) -> Iterator[OnResult]:
    next_at = time.monotonic() + _PLAIN_EVERY

    def update(result: FixtureResult | None) -> None:
        nonlocal next_at
        if result is not None:
            tally.add(result)
        if time.monotonic() >= next_at:
            say(tally.line())
            next_at = time.monotonic() + _PLAIN_EVERY

    yield update


@contextmanager
def _live(tally: Tally) -> Iterator[OnResult]:
    # Slow to import, and needed on a terminal only.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(tally.line(), total=tally.fixtures)

        def update(result: FixtureResult | None) -> None:
            if result is not None:
                tally.add(result)
            bar.update(task, completed=tally.done, description=tally.line())

        yield update
