"""The arena's end of a cluster: a connection to a scheduler, and the engine that plays by it."""

import logging
import math
import os
import signal
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

import dask
import msgspec
from distributed import Client, LocalCluster
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.cluster.address import local_workers
from arena.league.cluster.tasks import RunPlugin, forget_run, play, prepare
from arena.league.cluster.worker import RUN_SPEC, BatchResult, RunSpec, TaskBatch, identity
from arena.league.host import enough_cores
from arena.league.workers import Task, WorkerDiedError
from arena.sandboxes.owner import name_semaphores, track_semaphores
from arena.sandboxes.run_folder import remove_leftovers, run_folder
from arena.store.rows import PackedFixture
from arena.submissions import bundle
from arena.submissions.bot import StagedBot

BATCH_SECONDS = 0.5
"""What a batch should take at least: each costs the scheduler a millisecond or two."""
_CONNECT = "5s"
_NO_ARENA = "No module named 'arena"
"""What every such error says, whatever Dask wraps it in."""
_COUNT_VALID = 1.0
"""Seconds before workers are counted again."""
_OWN_SCHEDULER = {
    # A task fails with the third worker that dies of it.
    "distributed.scheduler.allowed-failures": 2,
    "distributed.worker.daemon": False,
    # Workers hold no data; bots have memory limits of their own.
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
}


class Cluster:
    """An engine (see `workers.Engine`) on Dask's workers, on any number of machines."""

    def __init__(self, client: Client, where: str, *, own: bool) -> None:
        """`where` is how errors name the scheduler; `own`: its workers end with this process."""
        self._client = client
        self._where = where
        self._own = own
        self._run = f"arena-{uuid.uuid4().hex}"
        self._notify: Callable[[str], None] = lambda _: None
        self._counted = (-math.inf, 1)
        """When workers were counted last, and how many there were."""
        self._seconds = 0.0
        """Time that workers spent on fixtures so far."""
        self._fixtures = 0

    def distribute(
        self, spec: RunSpec, bots: Sequence[StagedBot], notify: Callable[[str], None]
    ) -> None:
        """Offer staged bots to the workers; raises ArenaError if one cannot take part.

        `notify` is told which sandboxes they chose, and later if no worker is left.
        """
        self._notify = notify
        bundles = {bot.info.digest: bundle.pack(bot.folder) for bot in bots}
        digests = {digest: packed.digest for digest, packed in bundles.items()}
        pin = spec.pin and self._own and enough_cores(self.worker_count())
        complete = replace(spec, bots=tuple(bots), bundles=digests, pin=pin)
        files = {packed.digest: packed.content for packed in bundles.values()}
        files[RUN_SPEC] = msgspec.msgpack.encode(complete, enc_hook=str)
        try:
            self._client.register_plugin(RunPlugin(self._run, self._client.id, identity(), files))
        except Exception as error:
            raise _refusal("the scheduler", error, self._where) from None
        self._prepare_workers()

    def worker_count(self) -> int:
        """Return how many workers there are; workers may come and go."""
        counted, count = self._counted
        if time.monotonic() - counted > _COUNT_VALID:
            with self._translate_errors():
                now = len(self._client.nthreads())
            if not now and count:
                self._notify(f"no worker is left at {self._where}: waiting for one")
            count = now
            self._counted = (time.monotonic(), now)
        return count

    def batch_size(self, waiting: int) -> int:
        """Return how many fixtures take BATCH_SECONDS; fewer if not all workers would get some."""
        if not self._fixtures:
            return 1
        wanted = math.ceil(BATCH_SECONDS * self._fixtures / max(self._seconds, 1e-6))
        return max(1, min(wanted, waiting // (self.worker_count() + 1)))

    @contextmanager
    def executor(self, workers: int) -> Iterator[Executor]:
        """Open an executor; Dask chooses the workers."""
        del workers
        executor = self._client.get_executor(pure=False, retries=0)
        try:
            yield executor
        except BaseException:
            with suppress(Exception):
                executor.shutdown(wait=False)
            raise

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        """Hand tasks to the scheduler."""
        with self._translate_errors():
            return executor.submit(play, TaskBatch(self._run, identity(), tasks))

    def collect(self, future: Future[object]) -> list[PackedFixture]:
        """Return the results; raises WorkerDiedError if the scheduler gave up on the batch.

        Raises ArenaError if the scheduler is gone or the worker refuses to take part.
        """
        try:
            played = future.result()
        except KilledWorker as error:
            raise WorkerDiedError(error.allowed_failures + 1) from None
        except CancelledError:
            raise self._lost() from None
        except ModuleNotFoundError as error:
            raise _refusal("a worker", error, self._where) from None
        if not isinstance(played, BatchResult):
            raise TypeError(played)
        self._seconds += played.seconds
        self._fixtures += len(played.fixtures)
        return played.fixtures

    def release(self) -> None:
        """Have all workers forget the run; the others do when they see the connection end."""
        with suppress(Exception):
            self._client.run(forget_run, self._run, on_error="ignore")

    def _prepare_workers(self) -> None:
        """Have every worker choose its sandbox; raises ArenaError for the first that cannot."""
        with self._translate_errors():
            answers = self._client.run(prepare, self._run, identity(), on_error="return")
        for worker, answer in answers.items():
            if isinstance(answer, BaseException):
                raise _refusal(f"the worker {worker}", answer, self._where)
        counts = sorted(Counter(answers.values()).items())
        chosen = ", ".join(f"{sandbox} ({count})" for sandbox, count in counts)
        self._notify(f"workers: {len(answers)} at {self._where}; their sandboxes: {chosen}")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise ArenaError if the scheduler does not answer."""
        try:
            yield
        except (OSError, CommClosedError, RuntimeError, ValueError) as error:
            raise self._lost() from error

    def _lost(self) -> ArenaError:
        hint = "see why it ended, start it again and run again: what was stored is safe"
        return ArenaError("the connection to the scheduler is lost", self._where, hint)


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, or start one with workers on this machine (`local:N`).

    Raises ArenaError if there is none, or it has no workers.
    """
    workers = local_workers(address)
    _be_quiet()
    with ExitStack() as stack:
        scheduler = address if workers is None else stack.enter_context(_local(workers))
        client = stack.enter_context(_client(scheduler, address))
        engine = Cluster(client, address, own=workers is not None)
        if not engine.worker_count():
            hint = f"start some: dask worker {address} --nthreads 1"
            raise ArenaError("the scheduler has no workers", address, hint)
        stack.callback(engine.release)
        yield engine


@contextmanager
def _client(to: Any, where: str) -> Iterator[Client]:
    try:
        client = Client(to, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        hint = "start one with: dask scheduler, and see that this machine can reach it"
        raise ArenaError(f"no scheduler answers: {_short(error)}", where, hint) from None
    try:
        yield client
    finally:
        client.close(timeout=5)


@contextmanager
def _local(workers: int) -> Iterator[LocalCluster]:
    """Start a scheduler and worker processes on this machine; they end with this process."""
    name_semaphores()
    # Only the arena itself reacts to Ctrl-C: processes started by these threads ignore it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with (
            run_folder() as folder,
            dask.config.set({**_OWN_SCHEDULER, "temporary-directory": str(folder)}),
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            ) as cluster,
        ):
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            try:
                yield cluster
            finally:
                track_semaphores()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # Of workers that were killed.
        remove_leftovers()


def _be_quiet() -> None:
    """Silence Dask: the arena says what is wrong, workers and schedulers have their own logs."""
    for name in ("distributed", "distributed.client"):  # each has its own level
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    warnings.filterwarnings("ignore", module="distributed")


def _refusal(who: str, error: BaseException, where: str) -> ArenaError:
    """Return the error of a scheduler or worker that cannot take part in a run."""
    if isinstance(error, ArenaError):
        return ArenaError(error.what, error.where or where, error.hint)
    if _NO_ARENA in str(error):
        hint = "install the arena there: pip install 'perudo-arena[cluster]'"
        return ArenaError(f"{who} has no arena to play with: {_short(error)}", where, hint)
    hint = "start it with the same arena, Python and Dask as here"
    return ArenaError(f"{who} cannot take part: {_short(error)}", where, hint)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
