"""Functions that Dask calls by name, as no code is sent: tasks, and a plugin of the scheduler."""

import asyncio
import pickle
from collections.abc import Callable, Mapping
from functools import cache, partial
from socket import gethostname
from typing import Any

from distributed import get_worker
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.utils import sync

from arena.league.cluster.worker import (
    FileSource,
    TaskBatch,
    WorkerRuns,
    check_identity,
)
from arena.league.play.workers import BatchResult


def resources(run: str) -> dict[str, float]:
    """Return a run's resources in Dask's sense: its tasks need them, its fit workers have them."""
    return {run: 1.0}


def workers_handler(run: str) -> str:
    """Return the scheduler's name for `RunPlugin.workers`."""
    return f"{run}/workers"


def end_handler(run: str) -> str:
    """Return the scheduler's name for `RunPlugin.end`."""
    return f"{run}/end"


def _ready_handler(run: str) -> str:
    return f"{run}/ready"


def play(batch: TaskBatch) -> BatchResult:
    """Play a batch of fixtures, as a task."""
    worker = get_worker()
    return _runs(worker).play(batch, _file_source(worker, batch.run))


async def prepare(run: str, identity: str, dask_worker: Any = None) -> str:
    """Make this worker ready for a run's tasks; returns its sandbox. Raises ArenaError.

    In a thread, as it may take seconds in which the worker must go on to send heartbeats.
    """
    files = _file_source(dask_worker, run)
    sandbox = await asyncio.to_thread(_runs(dask_worker).prepare, run, identity, files)
    await dask_worker.set_resources(**resources(run))
    await getattr(dask_worker.scheduler, _ready_handler(run))(worker=dask_worker.address)
    return sandbox


async def forget_run(run: str, dask_worker: Any = None) -> None:
    """Have this worker clean up after a run."""
    await asyncio.to_thread(_runs(dask_worker).forget, run)


@cache
def _runs(worker: Any) -> WorkerRuns:
    """Return the runs of a worker: a process may have several workers."""
    return WorkerRuns(f"the worker {worker.address} on {gethostname()}")


def _file_source(worker: Any, run: str) -> FileSource:
    """Return a function that gets a run's files, from any thread but that of the worker's loop."""
    return lambda name: bytes(sync(worker.loop, partial(getattr(worker.scheduler, run), name=name)))


class RunPlugin(SchedulerPlugin):
    """A run's part in the scheduler: it serves files by name, and follows workers that come and go.

    It has all workers forget the run when its client is gone, which the scheduler notices however
    the client ends.
    """

    def __init__(self, run: str, client: str, identity: str, files: Mapping[str, bytes]) -> None:
        self.name = run
        self._client = client
        self._identity = identity
        self._files = files
        self._workers: dict[str, int] = {}
        """By address, each with a number that no other has."""
        self._joined = 0

    async def start(self, scheduler: Any) -> None:
        """Start serving; raises ArenaError in a scheduler of another arena."""
        check_identity(self._identity, f"the scheduler {scheduler.address}")
        self._scheduler = scheduler
        for worker in scheduler.workers:
            self.add_worker(scheduler, worker)
        scheduler.handlers.update(self._handlers())

    async def serve(self, name: str) -> bytes:
        """Return the file of a name, for a worker."""
        return self._files[name]

    async def workers(self) -> list[tuple[str, int]]:
        """Return the address and the number of every worker there is, for the client."""
        return list(self._workers.items())

    async def ready(self, worker: str) -> None:
        """Give tasks that waited for a fit worker to one, for that worker."""
        # Dask itself does this when a worker joins, not when it gets resources.
        state = self._scheduler.workers[worker]
        waiting = self._scheduler.bulk_schedule_unrunnable_after_adding_worker(state)
        self._scheduler.transitions(waiting, stimulus_id=f"{self.name}-{worker}")

    async def end(self) -> None:
        """Stop serving, and have all workers forget the run, for a client that stays."""
        if self._stop_serving():
            await self._forget()

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Take note of a worker that joined."""
        del scheduler
        self._joined += 1
        self._workers[worker] = self._joined

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        """Take note of a worker that left."""
        del scheduler
        self._workers.pop(worker, None)

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Stop serving if the client that left is this run's."""
        if client == self._client and self._stop_serving():
            scheduler.loop.add_callback(self._forget)

    def _handlers(self) -> dict[str, Callable[..., Any]]:
        return {
            self.name: self.serve,
            _ready_handler(self.name): self.ready,
            workers_handler(self.name): self.workers,
            end_handler(self.name): self.end,
        }

    def _stop_serving(self) -> bool:
        """Take the handlers away; returns whether they were there."""
        handlers = self._scheduler.handlers
        removed = [handlers.pop(handler, None) for handler in self._handlers()]
        return all(removed)

    async def _forget(self) -> None:
        call = {"function": pickle.dumps(forget_run), "args": pickle.dumps((self.name,))}
        await self._scheduler.broadcast(msg={"op": "run", **call}, on_error="ignore")
        await self._scheduler.unregister_scheduler_plugin(self.name)
