"""What Dask calls in a worker, by name: no code is sent."""

import asyncio
from functools import cache, partial
from socket import gethostname
from typing import Any

from distributed import get_worker
from distributed.utils import sync

from arena.league.cluster.worker import BatchResult, FileSource, TaskBatch, WorkerRuns


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
