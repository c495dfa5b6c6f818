"""Whose check is next, and what becomes of one that was begun."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

LEASE = 7_200.0
"""Seconds that a check may take: a slow bot is asked some 2,000 positions."""
TRIES = 3
"""How often a check is begun that never comes to its end."""


class Waiting(NamedTuple):
    """A version that waits for its check."""

    version: int
    """In the order in which they came."""
    author: str


def next_check(queue: Sequence[Waiting], last_check: Mapping[str, int]) -> Waiting | None:
    """Return the next version to check: authors take turns, and each author's versions in order.

    `last_check` has the number of the last check of each author's versions. Numbers and not times,
    so that a clock that is set back makes nobody wait.
    """
    return min(queue, key=lambda one: (last_check.get(one.author, 0), one.version), default=None)
