"""Cores for workers: each binds itself and its bots to one that no other worker here has."""

import os
import socket
from functools import cache

_NAME = "perudo-arena-core"


def enough_cores(workers: int) -> bool:
    """Tell whether each of so many workers can have a core of its own on this machine."""
    return workers <= len(os.sched_getaffinity(0))


@cache
def own_core() -> socket.socket | None:
    """Bind this thread, and the bots it starts, to a core that no worker of any arena here has.

    It stays so until this process ends. Returns what holds the claim: a name that the kernel frees
    with its owner. None where no core is left, and nothing is bound.
    """
    for core in sorted(os.sched_getaffinity(0)):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0{_NAME}-{core}")
        except OSError:
            claim.close()
            continue
        os.sched_setaffinity(0, {core})
        return claim
    return None
