"""A scheduler and workers on this machine, for one run: closed to all other programs."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

from arena.bots.sandboxes.owner import name_semaphores, track_semaphores
from arena.bots.sandboxes.run_folder import remove_leftovers, run_folder
from arena.io.errors import ArenaError

_SETTINGS = {
    # A task fails with the third worker that dies of it.
    "distributed.scheduler.allowed-failures": 2,
    "distributed.worker.daemon": False,
    # Workers hold no data; bots have memory limits of their own.
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    # Dask's measurements of itself take more time than a ladder that sleeps.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "5s",
    "distributed.admin.tick.cycle": "5s",
}
_HEARTBEAT = 5.0
"""Seconds between two signs of life of a worker; its death is noticed at once by its connection."""


class _WithoutHttp:
    def start_http_server(self, *_: object, **__: object) -> None:
        """Start none: it would answer anyone, without a certificate."""


class _LocalScheduler(_WithoutHttp, Scheduler):
    def heartbeat_worker(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Take a sign of life; the answer tells when the next one is due: for Dask in 0.5 s."""
        answer: dict[str, Any] = super().heartbeat_worker(*args, **kwargs)
        return {**answer, "heartbeat-interval": _HEARTBEAT}


class _LocalWorker(_WithoutHttp, Worker):
    pass


@contextmanager
def local_cluster(workers: int) -> Iterator[SpecCluster]:
    """Start a scheduler and worker processes on this machine; they end with this process.

    They talk by TLS, with a certificate made for this run: whoever has no key to it, such as
    another user of this machine, is refused. The key is in these processes' memory alone.
    """
    name_semaphores()
    # Only the arena itself reacts to Ctrl-C: processes started by these threads ignore it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with (
            run_folder() as folder,
            dask.config.set({**_SETTINGS, "temporary-directory": str(folder)}),
            _started(workers) as cluster,
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


def _started(workers: int) -> SpecCluster:
    security = Security.temporary()
    common: dict[str, Any] = {"host": "127.0.0.1", "protocol": "tls://", "security": security}
    nanny = {
        **common,
        "worker_class": _LocalWorker,
        "nthreads": 1,
        "memory_limit": 0,
        "silence_logs": logging.CRITICAL,
    }
    try:
        return SpecCluster(
            scheduler={"cls": _LocalScheduler, "options": {**common, "dashboard": False}},
            workers={number: {"cls": Nanny, "options": nanny} for number in range(workers)},
            security=security,
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        # Dask's word for a worker that died before it was ready.
        raise ArenaError(
            "a worker could not be started",
            f"--cluster local:{workers}",
            "run it again; if it happens again, is there memory enough for so many?",
        ) from error
