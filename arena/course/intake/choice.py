"""Which hand-in of a student counts: what was received last by the deadline."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from arena.course.deadlines import Due, stamp


class HandIn(Struct, frozen=True):
    """What a student handed in at a time."""

    student: str
    """An id of the roster."""
    name: str
    """The file or folder, as the teacher knows it."""
    source: Path
    received: datetime
    """In UTC."""

    @property
    def order(self) -> tuple[datetime, str]:
        """What is later counts for later; at the same moment, what comes later in the alphabet."""
        return self.received, self.name


class Choice(Struct, frozen=True):
    """Which hand-in of a student counts."""

    hand_in: HandIn | None
    days_late: int
    note: str
    """In words: why it is this one; "" if there is nothing to say."""


def choose(hand_ins: Sequence[HandIn], due: Due, most_days: int) -> Choice:
    """Return which hand-in of a student counts: what was received last by the deadline.

    Without one, it is what was received last in the days after it in which that is possible.
    """
    late = {one.name: due.days_late(one.received) for one in hand_ins}
    in_order = sorted(hand_ins, key=lambda one: one.order)
    on_time = [one for one in in_order if not late[one.name]]
    taken = on_time or [one for one in in_order if late[one.name] <= most_days]
    counts = taken[-1] if taken else None
    parts = [] if hand_ins else ["nothing was handed in"]
    if counts and (days := late[counts.name]):
        parts.append(f"{days} {'day' if days == 1 else 'days'} late")
    parts += [
        f"'{one.name}' ({stamp(one.received)}) does not count: {_why(one, late)}"
        for one in in_order
        if one is not counts
    ]
    return Choice(counts, late[counts.name] if counts else 0, "; ".join(parts))


def _why(one: HandIn, late: Mapping[str, int]) -> str:
    if not (days := late[one.name]):
        return "a later one was received in time"
    return f"{days} {'day' if days == 1 else 'days'} late"
