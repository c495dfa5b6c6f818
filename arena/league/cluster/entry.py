"""The way into a cluster: the address of a scheduler, or `local:N`. Dask is imported only then."""

import re
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from ipaddress import ip_address

from arena.io import shipped
from arena.io.errors import ArenaError
from arena.io.text import whole_number
from arena.league.play.workers import RemoteEngine

MAX_LOCAL = 1024
_REMOTE = re.compile(r"(tcp|tls)://([\w.-]+|\[[0-9a-f:.]+\]):(\d{1,5})", re.ASCII | re.IGNORECASE)
_EXAMPLE = "for example --cluster tls://10.0.0.5:8786, or --cluster local:4"


def local_workers(address: str) -> int | None:
    """Return N for `local:N`, workers on this machine, or None for a scheduler's address.

    Raises ArenaError if it is neither.
    """
    where = f"--cluster {address}"
    kind, _, number = address.partition(":")
    if kind != "local":
        remote = _REMOTE.fullmatch(address)
        if not remote or not 1 <= int(remote[3]) <= 65535:
            what = f"'{address}' is not a scheduler address: tls://HOST:PORT or tcp://HOST:PORT"
            raise ArenaError(what, where, _EXAMPLE)
        return None
    workers = whole_number(number) or 0
    if not 1 <= workers <= MAX_LOCAL:
        what = f"local:N starts 1 to {MAX_LOCAL} workers on this machine, not '{number[:40]}'"
        raise ArenaError(what, where, "for example --cluster local:4")
    return workers


def is_exposed(address: str) -> bool:
    """Tell whether a connection to a scheduler goes over a network without encryption."""
    remote = _REMOTE.fullmatch(address)
    if not remote or remote[1].lower() != "tcp":
        return False
    host = remote[2].strip("[]").lower()
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


_INSTALL = f"{shipped.how_to_install('cluster')}, or play here: leave --cluster out"


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
