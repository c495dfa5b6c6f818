"""The progress of a run, on stderr: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from arena.cli.output import say
from arena.game.records import FixtureResult
from arena.league.play.dispatcher import OnResult, RunListener

PLAIN_EVERY = 5.0
"""Seconds between plain lines."""
SOON = 0.9
"""Seconds before the first line."""


class TerminalListener(RunListener):
    """Tells the person on stderr how a run goes."""

    def note(self, text: str) -> None:
        """Print a sentence."""
        say(text)

    def progress(self, fixtures: int) -> AbstractContextManager[OnResult]:
        """Show a progress bar."""
        return progress_bar(Tally(fixtures))


@contextmanager
def progress_bar(tally: "Tally") -> Iterator[OnResult]:
    """Show a tally while it grows, and once at the end."""
    with (_live if sys.stderr.isatty() else _plain)(tally) as on_result:
        yield on_result
    say(tally.line())


class Tally:
    """Counts what is played in a run, and how fast."""

    def __init__(self, fixtures: int) -> None:
        """Take how many fixtures are to be played."""
        self.fixtures = fixtures
        self.done = 0
        self.games = 0
        self._faults = 0
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has been played."""
        return time.monotonic() - self._began

    @property
    def share(self) -> float:
        """How much of all is done."""
        return self.done / self.fixtures if self.fixtures else 0.0

    def add(self, result: FixtureResult | None) -> None:
        """Take a fixture into account."""
        if result is not None:
            self.done += 1
            self.games += len(result.games)
            self._faults += sum(bool(cause) for game in result.games for cause in game.faults)

    def line(self) -> str:
        """Return the line that says how far the run is."""
        seconds = self.seconds
        done, left = f"{self.done}/{self.fixtures}", "starting, "
        if self.done > self.fixtures:
            # What is due may depend on results: then nobody knows how much is left.
            done, left = f"{self.done}", ""
        elif self.done:
            left = f"{seconds / self.done * (self.fixtures - self.done):.0f} s left, "
        speed = f"{self.games / max(seconds, 1e-9):.0f} games/s"
        return f"{done} fixtures, {self.games} games, {speed}, {left}faults {self._faults}"


@contextmanager
def _plain(tally: Tally) -> Iterator[OnResult]:
    next_at = time.monotonic() + SOON

    def on_result(result: FixtureResult | None) -> None:
        nonlocal next_at
        tally.add(result)
        if time.monotonic() >= next_at:
            say(tally.line())
            next_at = time.monotonic() + PLAIN_EVERY

    yield on_result


@contextmanager
def _live(tally: Tally) -> Iterator[OnResult]:
    # Slow to import, and needed on a terminal only.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(tally.line(), total=1.0)

        def on_result(result: FixtureResult | None) -> None:
            tally.add(result)
            bar.update(task, completed=tally.share, description=tally.line())

        yield on_result
