"""The exit codes of all commands, and output that nobody gets.

A command that finishes its work ends with the exit code of what it found, read or not. One that
goes on for its output alone, perhaps without an end, stops if the reader of standard output is
gone or it cannot be written, with an exit code that says so.
"""

import errno
from collections.abc import Iterable, Iterator
from typing import TypeVar

from arena.io.errors import ArenaError
from arena.io.streams import lost_output

OK = 0
FINDINGS = 1
"""A bot faulted, a position was refused, a store does not verify, and the like."""
BAD_INPUT = 2
INTERNAL_ERROR = 3
INTERRUPTED = 130
UNREAD = 141
"""Nobody reads standard output any more, and the rest of the work was for it alone.

Shells show the same number for a program that SIGPIPE ended."""


_Item = TypeVar("_Item")


class UnreadError(Exception):
    """Nobody reads standard output any more."""


def unwritable_output() -> ArenaError | None:
    """Return the error of standard output that cannot be written; None if only nobody reads it."""
    lost = lost_output()
    if lost is None or lost.errno == errno.EPIPE:
        return None
    what = f"the output cannot be written: {lost.strerror}"
    return ArenaError(what, "standard output", "free some space")


def stop_if_lost() -> None:
    """Stop a command that goes on for its output alone.

    Raises UnreadError if nobody reads it any more, and ArenaError if it cannot be written.
    """
    if error := unwritable_output():
        raise error
    if lost_output():
        raise UnreadError


def while_read(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield what is to be printed, item by item; raises as `stop_if_lost` between two of them."""
    for item in items:
        stop_if_lost()
        yield item
