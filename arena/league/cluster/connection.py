"""A connection to a scheduler, or to one that is started on this machine; closed after a run."""

import asyncio
import logging
import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

import dask
from distributed import Client, Nanny, Scheduler, Security, SpecCluster, Worker, rpc

from arena.bots.sandboxes.owner import name_semaphores, track_semaphores
from arena.bots.sandboxes.run_folder import remove_leftovers, run_folder
from arena.io.errors import ArenaError
from arena.io.signals import sigint_blocked
from arena.league.cluster.client import Cluster, short
from arena.league.cluster.entry import local_workers

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""
_SETTINGS = {
    # By default the last 1,000 messages to the scheduler, and to each worker: with their fixtures.
    "distributed.admin.low-level-log-length": 0,
}
_TLS_HINT = "name the certificates (arena help cluster): DASK_DISTRIBUTED__COMM__TLS__CA_FILE ..."


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, or start one with workers on this machine (`local:N`).

    Raises ArenaError if no scheduler answers, or it has no workers.
    """
    workers = local_workers(address)
    # Dask is silent: the arena reports errors, workers and schedulers have their own logs.
    for name in ("distributed", "distributed.client", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # each has a level of its own
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    warnings.filterwarnings("ignore", module="distributed")
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(_SETTINGS))
        scheduler: object = address
        if workers is None:
            _check_scheduler(address)
        else:
            scheduler = stack.enter_context(local_cluster(workers))
        client = stack.enter_context(_client(scheduler, address))
        engine = Cluster(client, address, own=workers is not None)
        if not engine.worker_count():
            hint = f"start some: dask worker {address} --nthreads 1"
            raise ArenaError("the scheduler has no workers", address, hint)
        stack.callback(engine.release)
        yield engine


def _check_scheduler(address: str) -> None:
    """Raise ArenaError if no scheduler answers: Dask would wait for a silent one for ever."""
    settings = _connection_settings(address)

    async def identify() -> None:
        async with rpc(address, connection_args=settings) as scheduler:
            identity = await scheduler.identity()
        if "workers" not in identity:
            raise ValueError(f"a {identity.get('type', 'server').lower()} answers in its place")

    def ask() -> None:
        asyncio.run(asyncio.wait_for(identify(), CONNECT_SECONDS))

    try:
        # In a thread of its own: the caller's may have an event loop already.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(ask).result()
    except TimeoutError:
        raise _no_scheduler(address, f"none did within {CONNECT_SECONDS:.0f} s") from None
    except Exception as error:
        raise _no_scheduler(address, short(error)) from None


def _connection_settings(address: str) -> dict[str, Any]:
    """Return the TLS options in Dask's settings; raises ArenaError if they are not enough."""
    try:
        settings: dict[str, Any] = Security().get_connection_args("client")
    except Exception as error:
        what = f"Dask's settings for TLS cannot be used: {short(error)}"
        raise ArenaError(what, address, _TLS_HINT) from None
    if address.lower().startswith("tls:") and settings["ssl_context"] is None:
        raise ArenaError("tls:// needs certificates, and none are set", address, _TLS_HINT)
    return settings


@contextmanager
def _client(to: Any, where: str) -> Iterator[Client]:
    try:
        client = Client(to, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise _no_scheduler(where, short(error)) from None
    try:
        yield client
    finally:
        client.close(timeout=5)


def _no_scheduler(where: str, why: str) -> ArenaError:
    hint = "start one with: dask scheduler, and see that this machine can reach it"
    return ArenaError(f"no scheduler answers: {why}", where, hint)


_LOCAL_SETTINGS = {
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
    resource_tracker.ensure_running()
    with ExitStack() as stack:
        stack.callback(remove_leftovers)  # of workers that were killed
        # Only the arena itself reacts to Ctrl-C: processes started by these threads ignore it.
        with sigint_blocked():
            folder = stack.enter_context(run_folder())
            settings = {**_LOCAL_SETTINGS, "temporary-directory": str(folder)}
            stack.enter_context(dask.config.set(settings))
            cluster = stack.enter_context(_started(workers))
        stack.callback(track_semaphores)
        yield cluster


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
