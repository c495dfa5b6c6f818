"""The address of a cluster, checked without Dask."""

import re
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING

from arena.io.errors import ArenaError

if TYPE_CHECKING:  # slow to import, and not always installed
    from arena.league.cluster.client import Cluster

MAX_LOCAL = 1024
_MAX_DIGITS = 9
_REMOTE = re.compile(r"(tcp|tls)://([\w.-]+|\[[0-9a-f:.]+\]):(\d{1,5})", re.ASCII | re.IGNORECASE)
_EXAMPLE = "for example --cluster tls://10.0.0.5:8786, or --cluster local:4"
_INSTALL = "pip install 'perudo-arena[cluster]', or play here: leave --cluster out"


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
    short = number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS
    if not (short and 1 <= int(number) <= MAX_LOCAL):
        what = f"local:N starts 1 to {MAX_LOCAL} workers on this machine, not '{number[:40]}'"
        raise ArenaError(what, where, "for example --cluster local:4")
    return int(number)


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


def cluster_at(address: str | None) -> "AbstractContextManager[Cluster | None]":
    """Connect to a cluster, if there is an address; raises ArenaError as `connected` does."""
    if address is None:
        return nullcontext()
    from arena.league.cluster.connection import connected

    return connected(address)
