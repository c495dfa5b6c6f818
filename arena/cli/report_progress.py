"""The progress of a report, on stderr: plain lines, most are written before the first is due."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from arena.cli.output import say

SOON = 0.6
"""Seconds before the first line: the command has taken a third of a second before it begins."""
EVERY = 5.0
"""Seconds between lines."""


@contextmanager
def reporting() -> Iterator[Callable[[str], None]]:
    """Yield what to tell how far a report is; that is said while it is written, unless it is soon.

    A thread says it: what takes long tells nothing meanwhile.
    """
    done, last = Event(), ["games"]

    def say_again() -> None:
        pause = SOON
        while not done.wait(pause):
            say(f"writing the report: {last[0]}")
            pause = EVERY

    thread = Thread(target=say_again, daemon=True)
    thread.start()
    try:
        yield lambda text: last.__setitem__(0, text)
    finally:
        done.set()
        thread.join()
