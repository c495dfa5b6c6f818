"""The queue of checks: authors take turns; how long a check may take, and how often it may die."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

TRIES = 3
"""A check that dies is begun so often, at most."""
_STRETCH = 2.0
"""How much longer by the wall clock than by its budget a check may wait for its bot."""
_OWN_WORK = 300.0
"""Seconds that the arena's own part of a check takes at most, on a busy machine."""


class Waiting(NamedTuple):
    """A version that waits for its check."""

    version: int
    """In the order in which they came."""
    author: str


def lease(budget: float) -> float:
    """Return the seconds after which a check is ended that its budget did not end."""
    return _STRETCH * budget + _OWN_WORK


def next_check(
    queue: Sequence[Waiting], last_check: Mapping[str, int], under_way: Sequence[str], slots: int
) -> Waiting | None:
    """Return the next version to check: authors take turns, and each author's versions in order.

    `slots` checks may go on at a time; `under_way` has the authors of those that do. An author
    without one comes first, and the last slot is kept for such an author: many submissions of one
    author do not hold up the others. `last_check` has the number of each author's last check: with
    times, a clock that is set back would hold authors up.
    """
    held, free = Counter(under_way), slots - len(under_way)
    allowed = [waiting for waiting in queue if free > (held[waiting.author] > 0)]
    return min(
        allowed,
        key=lambda waiting: (
            held[waiting.author],
            last_check.get(waiting.author, 0),
            waiting.version,
        ),
        default=None,
    )


def in_turn(
    queue: Sequence[Waiting], last_check: Mapping[str, int], under_way: Sequence[str]
) -> list[Waiting]:
    """Return the order in which versions are checked if the checks end as they began."""
    left, held, turns = [*queue], [*under_way], dict(last_check)
    slots, number = max(1, len(held)), max(turns.values(), default=0)
    order: list[Waiting] = []
    while left:
        turn = next_check(left, turns, held, slots)
        if turn is None:
            held.pop(0)
            continue
        number += 1
        turns[turn.author] = number
        left.remove(turn)
        held.append(turn.author)
        order.append(turn)
    return order
