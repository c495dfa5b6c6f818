"""The cores of this machine: how many there are, and which worker has which."""

import os
import socket
from contextlib import suppress
from functools import cache


def core_count() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def enough_cores(workers: int) -> bool:
    """Tell whether each of so many workers can have a core of its own on this machine."""
    return workers <= core_count()


def spare_cores(workers: int) -> set[int]:
    """Return the cores that so many workers leave to others when each has claimed one."""
    return set(sorted(os.sched_getaffinity(0))[workers:])


def share_processor() -> None:
    """Let neither this thread nor a bot that it starts be preempted when another one wakes up.

    It then finds many answers and requests at a time: fewer context switches.
    """
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


@cache
def claim_core(name: str = "perudo-arena-core") -> socket.socket | None:
    """Bind this thread, and the bots it starts, to a core that no other worker here has.

    Returns the claim, an abstract socket that the kernel frees when this process ends. If no
    core is left, nothing is bound, and it is None. All who use the same `name` share the cores.
    """
    for core in sorted(os.sched_getaffinity(0)):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0{name}-{core}")
        except OSError:
            claim.close()
            continue
        os.sched_setaffinity(0, {core})
        return claim
    return None
