"""The seccomp profile of containers, in Docker's format."""

import errno
import signal
from functools import cache
from typing import Any

from arena.sandboxes.seccomp import Denial, denials

_SIGNALLING = {
    "kill": 1,
    "tkill": 1,
    "tgkill": 2,
    "rt_sigqueueinfo": 1,
    "rt_tgsigqueueinfo": 2,
    "pidfd_send_signal": 1,
}
"""System calls that send a signal, and which argument it is."""


@cache
def profile() -> dict[str, Any]:
    """Return what containers may not call: what no bot may, and what would stop their keeper.

    A keeper that is stopped does not see that its arena is gone; one that is killed takes the
    container with it.
    """
    stops = [
        Denial(name, errno.EPERM, "==", argument, signal.SIGSTOP)
        for name, argument in _SIGNALLING.items()
    ]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "syscalls": [_rule(one) for one in [*denials(capped=True), *stops]],
    }


def _rule(one: Denial) -> dict[str, Any]:
    rule = {"names": [one.name], "action": "SCMP_ACT_ERRNO", "errnoRet": one.errno}
    if not one.op:
        return rule
    test = {"index": one.argument, "value": one.value, "op": "SCMP_CMP_GT"}
    if one.op == "==":
        test |= {"value": one.mask, "valueTwo": one.value, "op": "SCMP_CMP_MASKED_EQ"}
    return rule | {"args": [test]}
