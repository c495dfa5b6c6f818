"""The progress of a run, on stderr: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from arena.cli.output import say
from arena.game.records import FixtureResult
from arena.league.play.dispatcher import OnResult, RunListener

_PLAIN_FIRST, _PLAIN_EVERY = 0.5, 5.0
"""Seconds before the first plain line, and between plain lines."""


class TerminalListener(RunListener):
    """Tells the person on stderr how a run goes."""

    def note(self, text: str) -> None:
        """Print a sentence."""
        say(text)

    def progress(self, fixtures: int) -> AbstractContextManager[OnResult]:
        """Show a progress bar."""
        return _progress_bar(fixtures)


@contextmanager
def _progress_bar(fixtures: int) -> Iterator[OnResult]:
    tally = _Tally(fixtures)
    with (_live if sys.stderr.isatty() else _plain)(tally) as on_result:
        yield on_result
    say(tally.line())


class _Tally:
    """What was played in this run, and how fast."""

    def __init__(self, fixtures: int) -> None:
        self.fixtures = fixtures
        self.done = 0
        self._games = 0
        self._faults = 0
        self._began = time.monotonic()

    def add(self, result: FixtureResult | None) -> None:
        if result is not None:
            self.done += 1
            self._games += len(result.games)
            self._faults += sum(bool(cause) for game in result.games for cause in game.faults)

    def line(self) -> str:
        seconds = time.monotonic() - self._began
        done, left = f"{self.done}/{self.fixtures}", "starting, "
        if self.done > self.fixtures:
            # What is due may depend on results: then nobody knows how much is left.
            done, left = f"{self.done}", ""
        elif self.done:
            left = f"{seconds / self.done * (self.fixtures - self.done):.0f} s left, "
        speed = f"{self._games / max(seconds, 1e-9):.0f} games/s"
        return f"{done} fixtures, {self._games} games, {speed}, {left}faults {self._faults}"


@contextmanager
def _plain(tally: _Tally) -> Iterator[OnResult]:
    next_at = time.monotonic() + _PLAIN_FIRST

    def on_result(result: FixtureResult | None) -> None:
        nonlocal next_at
        tally.add(result)
        if time.monotonic() >= next_at:
            say(tally.line())
            next_at = time.monotonic() + _PLAIN_EVERY

    yield on_result


@contextmanager
def _live(tally: _Tally) -> Iterator[OnResult]:
    # Slow to import, and needed on a terminal only.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(tally.line(), total=tally.fixtures)

        def on_result(result: FixtureResult | None) -> None:
            tally.add(result)
            bar.update(task, completed=tally.done, description=tally.line())

        yield on_result
