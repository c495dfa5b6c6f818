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
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

import dask
import msgspec
from distributed import Client, LocalCluster
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league.cluster import tasks as hands
from arena.league.cluster.address import local_workers
from arena.league.cluster.scheduler_plugin import RunPlugin
from arena.league.cluster.worker import RUN_SPEC, BatchResult, RunSpec, TaskBatch, identity
from arena.league.cores import enough_cores
from arena.league.workers import Task, WorkerDiedError
from arena.sandboxes.run_folder import run_folder
from arena.store.rows import Packed
from arena.submissions import bundle
from arena.submissions.bot import StagedBot

TASK_SECONDS = 0.5
"""What a task should take at least: each costs the scheduler a millisecond or two."""
_CONNECT = "5s"
_NO_ARENA = "No module named 'arena"
"""What an error says, whatever Dask made of it."""
_LOOK_AGAIN = 1.0
"""Seconds for which the number of workers is taken to stay the same."""
_OWN_SCHEDULER = {
    # A task is heard of with the third worker that dies of it.
    "distributed.scheduler.allowed-failures": 2,
    "distributed.worker.daemon": False,
    # Games hold no data; bots have limits of their own.
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
}


class Cluster:
    """An engine (see `workers.Engine`) whose workers are Dask's, on any number of machines."""

    def __init__(self, client: Client, where: str, *, own: bool) -> None:
        """`where` is how an error names the scheduler; `own`: nobody else uses its workers."""
        self._client = client
        self._where = where
        self._own = own
        self._run = f"arena-{uuid.uuid4().hex}"
        self._parcels: dict[str, str] = {}
        self._notify: Callable[[str], None] = lambda _: None
        self._known = (-math.inf, 1)
        """When workers were counted last, and how many there were."""
        self._spent = (0.0, 0)
        """Seconds that workers played, and fixtures."""

    def distribute(
        self, orders: RunSpec, bots: Sequence[StagedBot], notify: Callable[[str], None]
    ) -> None:
        """Offer staged bots to the workers.

        `orders` has no bots yet. Which sandboxes the workers chose is told to `notify`, and later
        that no worker is left. Raises ArenaError where a worker cannot take part.
        """
        self._notify = notify
        bundles = {bot.info.digest: bundle.pack(bot.folder) for bot in bots}
        stock = {packed.digest: packed.content for packed in bundles.values()}
        pin = orders.pin and self._own and enough_cores(self.places())
        digests = {digest: packed.digest for digest, packed in bundles.items()}
        spec = replace(orders, bots=tuple(bots), bundles=digests, pin=pin)
        stock[RUN_SPEC] = msgspec.msgpack.encode(spec, enc_hook=str)
        self._open_depot(stock)
        self._muster()

    def places(self) -> int:
        """Return how many workers there are; workers may come and go."""
        asked, count = self._known
        if time.monotonic() - asked > _LOOK_AGAIN:
            with self._translate_errors():
                found = len(self._client.nthreads())
            if not found and count:
                self._notify(f"no worker is left at {self._where}: waiting for one")
            count = found
            self._known = (time.monotonic(), found)
        return count

    def share(self, waiting: int) -> int:
        """Return how many fixtures make a task of TASK_SECONDS, by what they took so far.

        Where few are left, all workers get some.
        """
        seconds, fixtures = self._spent
        if not fixtures:
            return 1
        wanted = math.ceil(TASK_SECONDS * fixtures / max(seconds, 1e-6))
        return max(1, min(wanted, waiting // (self.places() + 1)))

    @contextmanager
    def executor(self, places: int) -> Iterator[Executor]:
        """Have an executor; Dask chooses the workers."""
        del places
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
            return executor.submit(hands.play, TaskBatch(self._run, identity(), tasks))

    def collect(self, future: Future[object]) -> list[Packed]:
        """Return what was played.

        Raises WorkerDiedError where the scheduler gave up on it, ArenaError where there is no
        scheduler any more or the worker refuses to take part.
        """
        try:
            played = future.result()
        except KilledWorker as error:
            raise WorkerDiedError(error.allowed_failures + 1) from None
        except CancelledError:
            raise self._lost() from None
        except ModuleNotFoundError as error:
            raise _no_arena("a worker", error, self._where) from None
        if not isinstance(played, BatchResult):
            raise TypeError(played)
        self._spent = (self._spent[0] + played.seconds, self._spent[1] + len(played.fixtures))
        return played.fixtures

    def leave(self) -> None:
        """Have all workers clear away what is left of the run; those that cannot hear do so later.

        The depot sees the connection end, a worker that it has no scheduler any more.
        """
        with suppress(Exception):
            self._client.run(hands.leave, self._run, on_error="ignore")

    def _open_depot(self, stock: dict[str, bytes]) -> None:
        try:
            self._client.register_plugin(RunPlugin(self._run, self._client.id, identity(), stock))
        except ArenaError:
            raise
        except Exception as error:
            if _NO_ARENA in str(error):
                raise _no_arena("the scheduler", error, self._where) from None
            what = f"the scheduler cannot take the bots: {_short(error)}"
            hint = "start it with the same arena, Python and Dask as here"
            raise ArenaError(what, self._where, hint) from None

    def _muster(self) -> None:
        """Have every worker that is here choose its sandbox; the first that cannot is an error."""
        with self._translate_errors():
            found = self._client.run(hands.prepare, self._run, identity(), on_error="return")
        for worker, answer in found.items():
            self._check_answer(worker, answer)
        chosen = ", ".join(f"{box} ({n})" for box, n in sorted(Counter(found.values()).items()))
        self._notify(f"workers: {len(found)} at {self._where}; their sandboxes: {chosen}")

    def _check_answer(self, worker: str, answer: Any) -> None:
        if isinstance(answer, ArenaError):
            raise ArenaError(answer.what, answer.where or self._where, answer.hint)
        if isinstance(answer, BaseException) and _NO_ARENA in str(answer):
            raise _no_arena(f"the worker {worker}", answer, self._where)
        if isinstance(answer, BaseException):
            what = f"the worker {worker} cannot take part: {_short(answer)}"
            hint = "start it with the same arena, Python and Dask as here"
            raise ArenaError(what, self._where, hint)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Say that the scheduler is gone where it does not answer."""
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

    Raises ArenaError where there is none, or it has no workers.
    """
    workers = local_workers(address)
    _be_quiet()
    if workers is None:
        with _client(address, address) as client:
            yield from _engine(client, address, own=False)
    else:
        with _local(workers) as cluster, _client(cluster, address) as client:
            yield from _engine(client, address, own=True)


def _engine(client: Client, where: str, *, own: bool) -> Iterator[Cluster]:
    engine = Cluster(client, where, own=own)
    if not engine.places():
        hint = f"start some: dask worker {where} --nthreads 1"
        raise ArenaError("the scheduler has no workers", where, hint)
    try:
        yield engine
    finally:
        engine.leave()


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
    """Have a scheduler and worker processes on this machine; they end with this process."""
    # Ctrl-C is the arena's to answer: what is started by these threads never hears it.
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
            yield cluster
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _be_quiet() -> None:
    """Leave it to the arena to say what is wrong; workers and schedulers have logs of their own."""
    for name in ("distributed", "distributed.client"):  # each has a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    warnings.filterwarnings("ignore", module="distributed")


def _no_arena(who: str, error: BaseException, where: str) -> ArenaError:
    what = f"{who} has no arena to play with: {_short(error)}"
    return ArenaError(what, where, "install the arena there: pip install 'perudo-arena[cluster]'")


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
