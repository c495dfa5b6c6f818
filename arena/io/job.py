"""Calls in processes of their own, which die with the process that began them."""

import ctypes
import multiprocessing
import os
import signal
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar
from warnings import catch_warnings, simplefilter

from arena.io.errors import ArenaError, shortage_of
from arena.io.signals import sigint_blocked
from arena.io.streams import guard_streams

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

Beside = Callable[[Callable[[], Any]], AbstractContextManager[Callable[[], Any]]]
"""Runs a call in another process if possible; yields a function that returns its result."""
Ask = Callable[..., Callable[[], Any]]
"""Takes a method and its arguments; returns a function that waits for the result."""
LATER = 10
"""Niceness of a job that gives way: about a tenth of the processor time of a process of the arena
that needs the same core."""
LAST = 15
"""Niceness of a job that gives way to those, too: a thirtieth. For cores where nothing plays."""
_PR_SET_PDEATHSIG = 1


class JobDiedError(Exception):
    """The process ended before it returned anything; the text says by what."""


class _Place(NamedTuple):
    """The share of the processor that a process gets, with all that it starts."""

    niceness: int
    cores: frozenset[int]
    """The cores that it may use; all if empty."""

    def take(self, pid: int) -> None:
        """Put a process there; 0 stands for the calling one."""
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
        with sigint_blocked():
            self._process.start()
            # It takes its place itself, too, but only once it has imported everything.
            with suppress(ProcessLookupError):
                place.take(self._process.pid or 0)
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
            code = self._process.exitcode or 0
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise JobDiedError(how) from None
        finally:
            self.end()
        if isinstance(value, _Raised):
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


class _Raised(NamedTuple):
    """Stands for the result of a call that raised an ArenaError."""

    error: ArenaError


def _work(call: Callable[[], Any], answer: Connection, parent: int, place: _Place) -> None:
    """Make the call of a job; what the new process runs."""
    if not tie_to_parent(parent, signal.SIGINT, signal.SIGTERM):
        return
    name_process(getattr(getattr(call, "func", call), "__name__", "job"))
    place.take(0)
    guard_streams()
    try:
        answer.send(call())
    except ArenaError as error:
        answer.send(_Raised(error))
    except Exception as error:
        if not (shortage := shortage_of(error)):
            raise
        answer.send(_Raised(shortage))


def tie_to_parent(parent: int, *ignored: signal.Signals) -> bool:
    """Have this process die with its parent; returns False if the parent is gone already.

    For a process that was started with SIGINT blocked. It ignores the signals that the parent
    reacts to.
    """
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


def name_process(name: str) -> None:
    """Have `ps` and `top` show this process by a name, of which they show 15 characters."""
    with suppress(OSError):  # /proc may be read-only
        Path("/proc/self/comm").write_text(name.strip("_"), encoding="utf-8")


@contextmanager
def in_copy(call: Callable[[], _Result]) -> Iterator[Callable[[], _Result]]:
    """Begin a call in a copy of this process; yields a function that returns its result.

    The copy begins with all that this process has in memory. Only the result comes back. It ends
    with the block. If it dies, the call is made here.
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

    A context manager. The numbers of the items are in a file that both have open: whoever reads one
    moves the place in the file for both.
    """

    def __init__(self, items: Sequence[_Item]) -> None:
        self._items = items
        self._owner = os.getpid()
        self._taken_here = set[int]()
        written = os.memfd_create("items")
        os.write(written, array("I", range(len(items))).tobytes())
        # Linux lets two processes read at one place of a file that `memfd_create` opened; of one
        # that was opened by its name, each gets what comes next.
        self._numbers = os.open(f"/proc/self/fd/{written}", os.O_RDONLY | os.O_CLOEXEC)
        os.close(written)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._numbers)

    def here(self) -> Iterator[_Item]:
        """Yield items that neither process has taken, to the last."""
        while number := array("I", os.read(self._numbers, array("I").itemsize)):
            self._taken_here.add(number[0])
            yield self._items[number[0]]

    def there(self) -> Iterator[_Item]:
        """Yield the same in the copy; in this process, once it has died, what it had taken."""
        if os.getpid() != self._owner:
            yield from self.here()
            return
        for number, item in enumerate(self._items):
            if number not in self._taken_here:
                yield item


@contextmanager
def kept_beside(beside: Beside, kept: object) -> Iterator[Ask]:
    """Keep a copy of an object in another process; yields a function that calls its methods there.

    One call at a time: wait for each before the next. If `beside` begins no process, the methods
    are called on the object here. If the process dies, all calls that it had got are made again
    here, as only the copy was changed.
    """
    ours, theirs = multiprocessing.Pipe()
    serve = partial(_serve, kept, theirs)
    with ours, beside(serve) as served:
        theirs.close()
        yield partial(partial, _call, kept) if served is serve else _Asking(kept, ours).ask


def _call(kept: object, method: Callable[..., Any], *arguments: object) -> Any:
    return method(kept, *arguments)


def _serve(kept: object, theirs: Connection) -> None:
    while True:
        theirs.send(_call(kept, *theirs.recv()))


class _Asking:
    """Asks another process that keeps a copy of an object."""

    def __init__(self, kept: object, ours: Connection) -> None:
        self._kept = kept
        self._ours = ours
        self._asked: list[tuple[Any, ...]] = []

    def ask(self, *call: Any) -> Callable[[], Any]:
        """Ask for a call of a method; returns a function that waits for its result."""
        self._asked.append(call)
        with suppress(OSError):
            self._ours.send(call)
        return self._result

    def _result(self) -> Any:
        with suppress(EOFError, OSError):
            return self._ours.recv()
        results = [_call(self._kept, *call) for call in self._asked]
        self._asked.clear()
        return results[-1]


class JobKeeper:
    """Keeps one job at a time going, with pauses between them; its subclasses begin them."""

    _job: Job | None = None
    _not_before = 0.0
    """When the next may begin, by the monotonic clock in seconds."""

    def stop(self) -> None:
        """End the job that goes on, if there is one."""
        if self._job:
            self._job.end()
            self._job = None
