"""Requests to stop a run: signals, and those of its listener."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from arena.io.signals import handled


class Interruption:
    """Counts requests to stop; the run looks at it when nothing is half done.

    The signal handler raises nothing: it may run with locks held that others wait for.
    """

    def __init__(self, stop_requested: Callable[[], bool], stopping: Callable[[], None]) -> None:
        """`stop_requested` is asked over and over, and `stopping` told once."""
        self._requests = 0
        self._stop_requested = stop_requested
        self._stopping = stopping
        self._announced = False

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Count a SIGINT, or a SIGTERM, which does not wait for anything."""
        self._requests += 2 if number == signal.SIGTERM else 1

    def requested(self) -> bool:
        """Tell whether to stop, and tell the listener once. KeyboardInterrupt means at once."""
        if self._requests > 1:
            raise KeyboardInterrupt
        if not self._requests and not self._stop_requested():
            return False
        if not self._announced:
            self._announced = True
            self._stopping()
        return True


@contextmanager
def interruptible(
    stop_requested: Callable[[], bool], stopping: Callable[[], None]
) -> Iterator[Interruption]:
    """Take SIGINT and SIGTERM as requests to stop; only the main thread gets signals."""
    interruption = Interruption(stop_requested, stopping)
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    with handled(interruption.on_signal, signal.SIGINT, signal.SIGTERM):
        yield interruption
