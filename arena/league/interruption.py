"""Ctrl-C during a run: once to finish what is being played, twice to stop at once."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Counts what was asked; the run looks at it where nothing is half done.

    Nothing is raised from a signal handler: it cuts in anywhere, with locks held that others wait
    for.
    """

    def __init__(self, notify: Callable[[], None]) -> None:
        self._asked = 0
        self._notify: Callable[[], None] | None = notify

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Take a SIGINT, or a SIGTERM, which does not wait for anything."""
        self._asked += 2 if number == signal.SIGTERM else 1

    def heard(self) -> bool:
        """Tell whether to stop; says so to the person once. Raises KeyboardInterrupt: at once."""
        if self._asked > 1:
            raise KeyboardInterrupt
        if self._asked and self._notify:
            self._notify()
            self._notify = None
        return self._asked > 0


@contextmanager
def interruptible(notify: Callable[[], None]) -> Iterator[Interruption]:
    """Take SIGINT and SIGTERM into an Interruption; `notify` is called when the first is heard."""
    interruption = Interruption(notify)
    before = {
        number: signal.signal(number, interruption) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
