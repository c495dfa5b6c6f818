"""The address of a cluster: a scheduler's, or `local:N`."""

import re
from ipaddress import ip_address

from arena.io.errors import ArenaError
from arena.io.numbers import whole_number

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
