"""What Dask calls by name, as no code is sent: tasks in a worker, a plugin in the scheduler."""

import asyncio
import pickle
from collections.abc import Mapping
from functools import cache, partial
from socket import gethostname
from typing import Any

from distributed import get_worker
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.utils import sync

from arena.league.cluster.worker import (
    BatchResult,
    FileSource,
    TaskBatch,
    WorkerRuns,
    check_identity,
)


def play(batch: TaskBatch) -> BatchResult:
    """Play a batch of fixtures, as a task."""
    worker = get_worker()
    return _runs(worker).play(batch, _file_source(worker, batch.run))


async def prepare(run: str, identity: str, dask_worker: Any = None) -> str:
    """Make this worker ready for a run; returns the sandbox it chose. Raises ArenaError.

    In a thread, as it may take seconds in which the worker must go on to send heartbeats.
    """
    files = _file_source(dask_worker, run)
    return await asyncio.to_thread(_runs(dask_worker).prepare, run, identity, files)


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
    """Serves a run's files by name, and has all workers forget the run when its client is gone.

    The scheduler sees a client go however it ends.
    """

    def __init__(self, run: str, client: str, identity: str, files: Mapping[str, bytes]) -> None:
        self.name = run
        self._client = client
        self._identity = identity
        self._files = files

    async def start(self, scheduler: Any) -> None:
        """Start serving; raises ArenaError in a scheduler of another arena."""
        check_identity(self._identity, f"the scheduler {scheduler.address}")
        scheduler.handlers[self.name] = self.serve

    async def serve(self, name: str) -> bytes:
        """Return the file of a name, for a worker."""
        return self._files[name]

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Stop serving if the client that left is this run's."""
        if client == self._client:
            scheduler.handlers.pop(self.name, None)
            scheduler.loop.add_callback(self._end, scheduler)

    async def _end(self, scheduler: Any) -> None:
        call = {"function": pickle.dumps(forget_run), "args": pickle.dumps((self.name,))}
        await scheduler.broadcast(msg={"op": "run", **call}, on_error="ignore")
        await scheduler.unregister_scheduler_plugin(self.name)
