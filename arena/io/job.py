"""A call in a process of its own, which dies with the process that began it."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from arena.io.errors import ArenaError

_PR_SET_PDEATHSIG = 1


class JobDiedError(Exception):
    """The process ended before it returned anything."""


class Job:
    """A call that goes on in another process."""

    def __init__(self, call: Callable[[], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._answer, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(call, theirs, os.getpid()))
        self._process.start()
        theirs.close()

    def is_over(self) -> bool:
        """Tell whether there is a result, or none will come."""
        return self._answer.poll() or not self._process.is_alive()

    def result(self) -> Any:
        """Return what the call returned, or raise its ArenaError; JobDiedError if it died."""
        try:
            value = self._answer.recv()
        except (EOFError, OSError):
            raise JobDiedError from None
        finally:
            self.end()
        if isinstance(value, _Refusal):
            raise ArenaError(*value.parts)
        return value

    def end(self) -> None:
        """End the process, whatever it does, and wait until it is gone."""
        self._process.kill()
        self._process.join()
        self._answer.close()


class _Refusal:
    """An ArenaError on its way: it cannot be pickled itself."""

    def __init__(self, error: ArenaError) -> None:
        self.parts = error.what, error.where, error.hint


def _work(call: Callable[[], Any], answer: Connection, parent: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    try:
        answer.send(call())
    except ArenaError as error:
        answer.send(_Refusal(error))
