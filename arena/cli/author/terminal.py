"""Help for commands that talk to a person at a terminal."""

import signal
from contextlib import AbstractContextManager

from arena.io.signals import handled


def hanging_up_interrupts() -> AbstractContextManager[None]:
    """Have a terminal that is closed end a command as Ctrl-C does."""
    return handled(signal.default_int_handler, signal.SIGHUP)
