"""A connection to a scheduler, closed when a run is over."""

import asyncio
import logging
import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import dask
from distributed import Client, Security, rpc

from arena.io.errors import ArenaError
from arena.league.cluster.address import local_workers
from arena.league.cluster.client import Cluster
from arena.league.cluster.local import local_cluster
from arena.league.cluster.roster import short

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

    Raises ArenaError if there is none, or it has no workers.
    """
    workers = local_workers(address)
    _be_quiet()
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
    try:
        # In a thread of its own: the caller's may have an event loop already.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(_ask_scheduler, address, settings).result()
    except TimeoutError:
        raise _no_scheduler(address, f"none did within {CONNECT_SECONDS:.0f} s") from None
    except Exception as error:
        raise _no_scheduler(address, short(error)) from None


def _ask_scheduler(address: str, settings: dict[str, Any]) -> None:
    asyncio.run(asyncio.wait_for(_identify(address, settings), CONNECT_SECONDS))


async def _identify(address: str, settings: dict[str, Any]) -> None:
    async with rpc(address, connection_args=settings) as scheduler:
        identity = await scheduler.identity()
    if "workers" not in identity:
        raise ValueError(f"a {identity.get('type', 'server').lower()} answers in its place")


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


def _be_quiet() -> None:
    """Silence Dask: the arena reports errors, workers and schedulers have their own logs."""
    # Each of them has a level of its own.
    for name in ("distributed", "distributed.client", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    warnings.filterwarnings("ignore", module="distributed")
