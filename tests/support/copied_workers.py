"""Workers that are copies of the process that runs the tests: those begin with it all imported."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from unittest import mock

from arena.bots.sandboxes.docker.reaper import current_run

IGNORED = "ignore:This process .* is multi-threaded:DeprecationWarning"
"""A filter of warnings: of locks that other threads hold, by Python 3.12. Workers need none."""


def _begin() -> None:
    """Forget what a new process does not know: the containers of another, its handlers."""
    current_run.cache_clear()
    if callable(signal.getsignal(signal.SIGTERM)):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)


os.register_at_fork(after_in_child=_begin)


@contextmanager
def copied_workers() -> Iterator[None]:
    """Let the worker processes of the arena begin with all that this process has imported.

    They differ from real ones in nothing else. Tests of how workers begin and end, and commands in
    a process of their own, have real ones.
    """
    real = multiprocessing.get_context

    def get_context(method: str | None = None) -> BaseContext:
        return real("fork" if method == "spawn" else method)

    with mock.patch.object(multiprocessing, "get_context", get_context):
        yield
