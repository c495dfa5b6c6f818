"""Signals that are handled for a while; one that is ignored stays ignored."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(handler: Callable[..., Any], *numbers: signal.Signals) -> Iterator[None]:
    """Call a handler at these signals as long as the block lasts; for the main thread alone.

    Those that are ignored stay so: `nohup` has SIGHUP ignored, and a shell without job control
    SIGINT for what it starts in the background (POSIX, Shell Command Language, 2.11).
    """
    taken = {*numbers}.difference(ignored(*numbers))
    before = {number: signal.signal(number, handler) for number in taken}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def ignored(*numbers: signal.Signals) -> list[signal.Signals]:
    """Return the signals that are ignored."""
    return [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
