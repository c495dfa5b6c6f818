"""A call in a process of its own, which dies with the process that began it."""

import ctypes
import multiprocessing
import os
import signal
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Generic, NamedTuple, Self, TypeVar
from warnings import catch_warnings, simplefilter

from arena.io.errors import ArenaError, shortage_of
from arena.io.streams import guard_streams

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

Beside = Callable[[Callable[[], Any]], AbstractContextManager[Callable[[], Any]]]
"""Begins a call in another process, and yields what waits for its result; or yields the call."""
Ask = Callable[..., Callable[[], Any]]
"""Takes a method and its arguments, and returns what waits for the result."""
_PR_SET_PDEATHSIG = 1
_TICKETS = 1000
"""Parts of shared items at most: their numbers are in the smallest buffer that a pipe may have."""
LATER = 10
"""Niceness of a job that gives way: about a tenth of the processor time of a process of the arena
that needs the same core."""
LAST = 15
"""Niceness of one that gives way to such jobs, too: a thirtieth. For cores where nothing plays."""


class JobDiedError(Exception):
    """The process ended before it returned anything; the text says by what."""


class _Place(NamedTuple):
    """The share of the processor that a process gets, with all that it starts."""

    niceness: int
    cores: frozenset[int]
    """All if empty."""

    def take(self, pid: int) -> None:
        """Put a process there; 0 is the one that calls."""
        os.setpriority(os.PRIO_PROCESS, pid, self.niceness)
        if self.cores:
            os.sched_setaffinity(pid, self.cores)


class Job:
    """A call that goes on in another process.

    It runs on `cores` if any are given, with a `niceness` above that of this process. If `copied`,
    the process is a copy of this one, without its other threads, whose locks it must not need.
    """

    def __init__(
        self,
        call: Callable[[], Any],
        *,
        niceness: int = 0,
        cores: Collection[int] = (),
        copied: bool = False,
    ) -> None:
        context: Any = multiprocessing.get_context("fork" if copied else "spawn")
        self._answer, theirs = context.Pipe(duplex=False)
        place = _Place(os.getpriority(os.PRIO_PROCESS, 0) + niceness, frozenset(cores))
        self._process = context.Process(target=_work, args=(call, theirs, os.getpid(), place))
        # A process that has not set itself up yet would print a traceback.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
            # Its start is put off, too.
            with suppress(ProcessLookupError):
                place.take(self._process.pid or 0)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def is_over(self) -> bool:
        """Tell whether there is a result, or none will come."""
        return self._answer.poll() or not self._process.is_alive()

    def wait(self) -> None:
        """Wait until it is over."""
        self._answer.poll(None)

    def result(self) -> Any:
        """Return what the call returned, or raise its ArenaError; JobDiedError if it died."""
        try:
            value = self._answer.recv()
        except (EOFError, OSError):
            self._process.join()
            raise JobDiedError(_death(self._process.exitcode or 0)) from None
        finally:
            self.end()
        if isinstance(value, _Refusal):
            raise value.error
        return value

    def stop(self, seconds: float) -> None:
        """Tell the process to end by SIGTERM, and wait for that; it is killed after some time."""
        self._process.terminate()
        self._process.join(seconds)
        self._process.kill()

    def end(self) -> None:
        """End the process, whatever it does, and wait until it is gone."""
        self._process.kill()
        self._process.join()
        self._answer.close()


@contextmanager
def in_copy(call: Callable[[], _Result]) -> Iterator[Callable[[], _Result]]:
    """Begin a call in a copy of this process, and yield what waits for its result.

    The copy begins with all that this process has in memory; of what it makes, only the result
    comes back. It ends with the block. If it dies, the call is made here.
    """
    with catch_warnings():
        # Python 3.12 warns of locks that other threads hold: those of BLAS and of progress lines.
        simplefilter("ignore", DeprecationWarning)
        job = Job(call, copied=True)

    def result() -> _Result:
        try:
            made: _Result = job.result()
        except JobDiedError:
            return call()
        return made

    try:
        yield result
    finally:
        job.end()


class SharedItems(Generic[_Item]):
    """Items for this process and a copy of it: whichever is free takes the next one.

    A context manager.
    """

    def __init__(self, items: Sequence[_Item]) -> None:
        self._owner = os.getpid()
        size = max(1, -(-len(items) // _TICKETS))
        self._parts = [items[first : first + size] for first in range(0, len(items), size)]
        self._taken = set[int]()
        self._tickets, end = os.pipe()
        with os.fdopen(end, "wb") as file:
            file.write(array("I", range(len(self._parts))).tobytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._tickets)

    def here(self) -> Iterator[_Item]:
        """Yield items that neither process has taken, until there are none."""
        while ticket := array("I", os.read(self._tickets, array("I").itemsize)):
            self._taken.add(ticket[0])
            yield from self._parts[ticket[0]]

    def there(self) -> Iterator[_Item]:
        """Yield the same in the copy; in this process, once it has died, what it had taken."""
        if os.getpid() != self._owner:
            yield from self.here()
            return
        for number, part in enumerate(self._parts):
            if number not in self._taken:
                yield from part


@contextmanager
def kept_beside(beside: Beside, kept: object) -> Iterator[Ask]:
    """Keep a copy of an object where `beside` begins calls, and yield what calls its methods there.

    One at a time: each is waited for before the next. If the process dies, or there is none, they
    are called on the object here; all of them again that changed only the copy.
    """
    ours, theirs = multiprocessing.Pipe()
    serve = partial(_serve, kept, theirs)
    with ours, beside(serve) as served:
        theirs.close()
        yield _Asking(kept, ours).ask if served is not serve else partial(partial, _call, kept)


def _call(kept: object, method: Callable[..., Any], *arguments: object) -> Any:
    return method(kept, *arguments)


def _serve(kept: object, theirs: Connection) -> None:
    while True:
        theirs.send(_call(kept, *theirs.recv()))


class _Asking:
    """What asks another process that keeps a copy of an object."""

    def __init__(self, kept: object, ours: Connection) -> None:
        self._kept, self._ours = kept, ours
        self._asked: list[tuple[Any, ...]] = []

    def ask(self, *call: Any) -> Callable[[], Any]:
        """Ask for a call of a method; return what waits for its result."""
        self._asked.append(call)
        with suppress(OSError):
            self._ours.send(call)
        return self._result

    def _result(self) -> Any:
        with suppress(EOFError, OSError):
            return self._ours.recv()
        *_, last = [_call(self._kept, *call) for call in self._asked]
        self._asked.clear()
        return last


def _death(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


class _Refusal(NamedTuple):
    """An ArenaError on its way, to be raised."""

    error: ArenaError


def _work(call: Callable[[], Any], answer: Connection, parent: int, place: _Place) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    place.take(0)
    guard_streams()
    try:
        answer.send(call())
    except ArenaError as error:
        answer.send(_Refusal(error))
    except Exception as error:
        if not (shortage := shortage_of(error)):
            raise
        answer.send(_Refusal(shortage))


class JobKeeper:
    """Has one job at a time, which is begun again after a pause."""

    _job: Job | None = None
    _not_before = 0.0
    """When the next may begin, by the monotonic clock in seconds."""

    def stop(self) -> None:
        """End the job that goes on, if there is one."""
        if self._job:
            self._job.end()
            self._job = None
