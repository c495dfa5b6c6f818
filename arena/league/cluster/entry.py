"""The way into a cluster: Dask is imported only if there is an address."""

from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec

from arena.io.errors import ArenaError
from arena.league.cluster.address import local_workers
from arena.league.play.workers import RemoteEngine

_INSTALL = "pip install 'perudo-arena[cluster]', or play here: leave --cluster out"


def check_cluster(address: str, workers: int | None) -> None:
    """Raise ArenaError for a wrong address, for `--workers` beside it, or if Dask is missing."""
    where = f"--cluster {address}"
    local = local_workers(address)
    if workers is not None:
        what = "--workers counts processes of this machine without a cluster"
        raise ArenaError(what, where, "leave it out, or give --cluster local:N")
    if find_spec("distributed") is None:
        what = "a cluster needs Dask distributed, which is not installed"
        raise ArenaError(what, where, _INSTALL)
    if local and find_spec("cryptography") is None:
        what = "local:N needs the package cryptography, which is not installed"
        raise ArenaError(what, where, _INSTALL)


def cluster_at(address: str | None) -> AbstractContextManager[RemoteEngine | None]:
    """Connect to a cluster, if there is an address; raises ArenaError as `connected` does."""
    if address is None:
        return nullcontext()
    from arena.league.cluster.connection import connected

    return connected(address)
