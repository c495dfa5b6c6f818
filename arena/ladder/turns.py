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
    author: str
    received_at: float


def next_check(queue: Sequence[Waiting], checked_at: Mapping[str, float]) -> Waiting | None:
    """Return the next version to check: authors take turns, and each author's versions in order.

    `checked_at` says when the last check of an author's version began.
    """
    return min(
        queue,
        key=lambda one: (checked_at.get(one.author, 0.0), one.received_at, one.version),
        default=None,
    )
