"""A user of its own for each bot: the kernel counts some resources by user over all sandboxes."""

import os
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

FIRST_USER = 1_000_000
USERS_PER_PROCESS = 64
"""More bots than one process ever runs at once."""
_NOBODY = 65_534
_numbers = count()


def new_user() -> int:
    """Return a user and group for a bot that this process starts, as root.

    It is `nobody` if the range does not exist here, as in some containers.
    """
    number = next(_numbers) % USERS_PER_PROCESS
    user = FIRST_USER + os.getpid() * USERS_PER_PROCESS + number
    return user if user < _end_of_users() else _NOBODY


@cache
def _end_of_users() -> int:
    """Return the first user beyond those of this user namespace."""
    with suppress(OSError):
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
        ranges = [list(map(int, line.split())) for line in lines]
        return max(first + length for first, _, length in ranges)
    return 0
