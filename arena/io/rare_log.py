"""A log that nobody can flood: each kind of message is written once a minute, with a count."""

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

PERIOD = 60.0
"""Seconds in which a kind of message is written once."""
_MOST = 1_000
"""Kinds of messages that are remembered."""


class _Kind(NamedTuple):
    """What makes two messages the same kind."""

    file: str
    line: int
    error: type[BaseException] | None
    text: str


class Rarely(logging.Filter):
    """Lets a message through if none of its kind was written in the last minute.

    What visitors send makes no kind of its own: of libraries a kind is the place in the code that
    logs and the type of the exception. The arena's own messages hold nothing of visitors, and count
    by their text.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._written: dict[_Kind, float] = {}
        """When each kind was written last."""
        self._left_out = Counter[_Kind]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a message is written, which then says how many were left out before it."""
        error = record.exc_info[0] if record.exc_info else None
        text = record.getMessage() if record.name.startswith("arena.") else ""
        kind = _Kind(record.pathname, record.lineno, error, text)
        now = self._now()
        if kind in self._written and now < self._written[kind] + PERIOD:
            self._left_out[kind] += 1
            return False
        if len(self._written) >= _MOST:
            self._written.clear()
            self._left_out.clear()
        self._written[kind] = now
        if count := self._left_out.pop(kind, 0):
            record.msg = f"{record.getMessage()} ({count} more since the last)"
            record.args = ()
        return True


def log_rarely(level: int) -> None:
    """Write what this process logs to standard error, from a level on, and no flood of it."""
    handler = logging.StreamHandler()
    handler.addFilter(Rarely())
    logging.basicConfig(
        level=level, handlers=[handler], format="%(levelname)s: %(name)s: %(message)s"
    )
