"""What Dask calls in a worker; all of it is known there by name, nothing is sent as code."""

import asyncio
from functools import cache, partial
from socket import gethostname
from typing import Any

from distributed import get_worker
from distributed.utils import sync

from arena.league.cluster.worker import BatchResult, Fetch, TaskBatch, WorkerRuns


def play(batch: TaskBatch) -> BatchResult:
    """Play a batch of fixtures, as a task."""
    worker = get_worker()
    return _posts(worker).play(batch, _fetch(worker, batch.run))


async def prepare(run: str, asking: str, dask_worker: Any = None) -> str:
    """Make this worker ready for a run; returns the sandbox it chose. Raises ArenaError.

    In a thread, as it may take seconds: the worker goes on to be heard of.
    """
    fetch = _fetch(dask_worker, run)
    return await asyncio.to_thread(_posts(dask_worker).muster, run, asking, fetch)


async def leave(run: str, dask_worker: Any = None) -> None:
    """Have this worker clear away what is left of a run."""
    await asyncio.to_thread(_posts(dask_worker).leave, run)


@cache
def _posts(worker: Any) -> WorkerRuns:
    """Return the runs of a worker: more than one may live in a process."""
    return WorkerRuns(f"the worker {worker.address} on {gethostname()}")


def _fetch(worker: Any, run: str) -> Fetch:
    """Return what gets things from a run's depot, in any thread but that of the worker's loop."""
    return lambda item: bytes(sync(worker.loop, partial(getattr(worker.scheduler, run), item=item)))
