"""Worker processes on this machine, and the engine that plays on them."""

import errno
import fcntl
import gc
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any, TypeVar

from arena.bots.models.gateway import NO_MODELS, Access
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.owner import SEMAPHORES, name_semaphores, track_semaphores
from arena.bots.sandboxes.run_folder import remove_leftovers
from arena.bots.sessions.warm_pool import WarmPool
from arena.io.cores import claim_core, enough_cores
from arena.io.errors import ArenaError
from arena.io.job import name_process, tie_to_parent
from arena.io.signals import sigint_blocked
from arena.league.play.workers import (
    BatchResult,
    BatchSize,
    Played,
    Task,
    WorkerDiedError,
    play_task,
)

BATCH_SECONDS = 0.1
"""Least seconds of play in a batch: the disk is waited for after each, and the process that stores
may have to wait for a core, too."""
_PIPE_BYTES = 1 << 20
"""Capacity of the pipe that results come through: the most that an ordinary user may ask for."""
_GC_THRESHOLD = 20_000
"""New objects before Python looks for cycles."""
_Result = TypeVar("_Result")


class ProcessEngine:
    """Plays on worker processes of this machine.

    With `pin`, each worker shares a core with its bots, if there are enough: they take turns
    anyway, and to wake a process on another core costs more than most bots' thinking.
    """

    def __init__(
        self, sandbox: Sandbox, workers: int, *, pin: bool = True, models: Access = NO_MODELS
    ) -> None:
        self._sandbox = sandbox
        self._models = models
        self._workers = workers
        self._pin = pin and enough_cores(workers)
        self._batch_size = BatchSize(BATCH_SECONDS)

    def worker_count(self) -> int:
        """Return the number of workers."""
        return self._workers

    def batch_size(self, waiting: int) -> int:
        """Return how many fixtures take BATCH_SECONDS; fewer if not all workers would get some."""
        return self._batch_size.of(waiting, self._workers)

    def executor(self, workers: int) -> AbstractContextManager[Executor]:
        """Open a pool of processes; when one of them dies, the pool is broken."""
        return pool(workers, pin=self._pin)

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to a worker."""
        return start(executor, partial(_play_batch, tasks, self._sandbox, self._models))

    def collect(self, future: Future[object]) -> Sequence[Played]:
        """Return the results; when any worker of the pool dies, all that it played is lost."""
        try:
            # Only the engine knows what its futures return.
            played: BatchResult = future.result()  # type: ignore[assignment]
        except BrokenProcessPool:
            raise WorkerDiedError from None
        self._batch_size.add(played)
        return played.fixtures


_warm_pool = WarmPool()
"""The bots of this worker process that wait for their next table."""


def _play_batch(tasks: Sequence[Task], sandbox: Sandbox, models: Access) -> BatchResult:
    began = time.perf_counter()
    fixtures = [play_task(task, sandbox, _warm_pool, models) for task in tasks]
    return BatchResult(fixtures, time.perf_counter() - began)


@contextmanager
def pool(workers: int, *, pin: bool) -> Iterator[Executor]:
    """Yield an executor whose processes die with this one, however it ends.

    With `pin`, each claims a core that no other worker has, while there is one.
    """
    context = multiprocessing.get_context("spawn")
    name_semaphores()
    # Started with the first worker, it would unblock SIGINT in between.
    resource_tracker.ensure_running()
    try:
        executor = ProcessPoolExecutor(workers, context, _begin_work, (os.getpid(), pin))
    except OSError as error:
        raise _without_semaphores(error) from None
    _start_feeding(executor)
    processes = executor._processes  # noqa: SLF001 - other children of this one live on
    # There is no public way to the pipe's writing end, which this process holds, too.
    results: Connection = executor._result_queue._writer  # type: ignore[attr-defined] # noqa: SLF001
    with suppress(OSError):
        # Usual results fit in: a worker that is killed has sent all of one, or nothing of it.
        fcntl.fcntl(results.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    try:
        yield executor
    except BaseException:
        for process in [*processes.values()]:
            process.kill()
        # Without this, the rest of a half-sent result would be waited for, for ever.
        results.close()
        raise
    finally:
        track_semaphores()
        # Queued work is not cancelled: a pool with a cancelled future does not survive the death
        # of a worker. Its own thread may be one that could not be started.
        with suppress(RuntimeError):
            executor.shutdown(wait=True)
        # A worker that was killed could not end what its bots had started.
        remove_leftovers()


def _start_feeding(executor: ProcessPoolExecutor) -> None:
    """Start the thread that hands tasks to workers: later nobody would hear that it cannot be."""
    queue: Any = executor._call_queue  # type: ignore[attr-defined] # noqa: SLF001 - no public way
    with queue._notempty:  # noqa: SLF001
        queue._start_thread()  # noqa: SLF001


def _without_semaphores(error: OSError) -> Exception:
    """Return the error for semaphores that cannot be made: the kernel does not say where."""
    if error.errno in (errno.EROFS, errno.ENOSPC, errno.EACCES, errno.ENOENT):
        what = f"workers need a folder for semaphores: {error.strerror}"
        hint = "mount it writable, with some space: mount -t tmpfs none /dev/shm"
        return ArenaError(what, str(SEMAPHORES), hint)
    return error


def start(executor: Executor, call: Callable[[], _Result]) -> Future[_Result]:
    """Make a call in a worker, with SIGINT blocked until the worker ignores it."""
    with sigint_blocked():
        return executor.submit(call)


def map_ordered(
    executor: Executor, calls: Iterable[Callable[[], _Result]], ahead: int
) -> Iterator[_Result]:
    """Make calls in workers, at most `ahead` of them at a time; yield their results in order."""
    futures = (start(executor, call) for call in calls)
    pending = deque(islice(futures, ahead))
    while pending:
        yield pending.popleft().result()
        pending.extend(islice(futures, 1))


def collect_rarely() -> None:
    """Have Python look for cycles less often: the records of games have none."""
    gc.set_threshold(_GC_THRESHOLD)


def _begin_work(parent: int, pin: bool) -> None:
    """Prepare a worker: it dies with its parent, leaves Ctrl-C to it, and claims a core."""
    if not tie_to_parent(parent, signal.SIGINT):
        os._exit(1)
    name_process("worker")
    Finalize(None, _warm_pool.end, exitpriority=1)
    collect_rarely()
    if pin:
        claim_core()
