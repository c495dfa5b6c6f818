"""The option `--cluster`, checked without Dask."""

import re
from importlib.util import find_spec

from arena.errors import ArenaError

MAX_LOCAL = 1024
_MAX_DIGITS = 9
_REMOTE = re.compile(r"(tcp|tls|ws|wss|ucx|ucxx)://[^\s/]+")
_EXAMPLE = "for example --cluster tcp://10.0.0.5:8786, or --cluster local:4"


def local_workers(address: str) -> int | None:
    """Return N for `local:N`, workers on this machine, or None for a scheduler's address.

    Raises ArenaError if it is neither.
    """
    where = f"--cluster {address}"
    kind, _, number = address.partition(":")
    if kind != "local":
        if not _REMOTE.fullmatch(address):
            raise ArenaError(f"'{address}' is not a scheduler address", where, _EXAMPLE)
        return None
    short = number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS
    if not (short and 1 <= int(number) <= MAX_LOCAL):
        what = f"local:N starts 1 to {MAX_LOCAL} workers on this machine, not '{number[:40]}'"
        raise ArenaError(what, where, "for example --cluster local:4")
    return int(number)


def check_cluster(address: str, workers: int | None) -> None:
    """Raise ArenaError for a wrong address, for `--workers` beside it, or if Dask is missing."""
    local_workers(address)
    if workers is not None:
        what = "--workers counts processes of this machine without a cluster"
        raise ArenaError(what, f"--cluster {address}", "leave it out, or give --cluster local:N")
    if find_spec("distributed") is None:
        what = "a cluster needs Dask distributed, which is not installed"
        hint = "pip install 'perudo-arena[cluster]', or play here: leave --cluster out"
        raise ArenaError(what, f"--cluster {address}", hint)
