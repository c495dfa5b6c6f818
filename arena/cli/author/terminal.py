"""Help for commands that talk to a person at a terminal."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hanging_up_interrupts() -> Iterator[None]:
    """Have a terminal that is closed end a command as Ctrl-C does."""
    before = signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
