"""The hand-in of a student that counts: the last one that was received by the deadline."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from arena.course.deadlines import Due, stamp


class HandIn(Struct, frozen=True):
    """A file or folder that a student handed in, and when."""

    student: str
    """An id of the roster."""
    name: str
    """The file or folder, as the teacher knows it."""
    source: Path
    received: datetime
    """In UTC."""

    @property
    def order(self) -> tuple[datetime, str]:
        """Later ones come later; of those at the same moment, by the alphabet."""
        return self.received, self.name


class Choice(Struct, frozen=True):
    """The hand-in of a student that counts."""

    hand_in: HandIn | None
    days_late: int
    note: str
    """In words: why it is this one; "" if there is nothing to say."""


def choose(hand_ins: Sequence[HandIn], due: Due, most_days: int) -> Choice:
    """Return the hand-in of a student that counts: the last one received by the deadline.

    Without one, it is the last one received in the `most_days` days after it.
    """
    late = {hand_in.name: due.days_late(hand_in.received) for hand_in in hand_ins}
    in_order = sorted(hand_ins, key=lambda hand_in: hand_in.order)
    on_time = [hand_in for hand_in in in_order if not late[hand_in.name]]
    taken = on_time or [hand_in for hand_in in in_order if late[hand_in.name] <= most_days]
    counts = taken[-1] if taken else None
    parts = [] if hand_ins else ["nothing was handed in"]
    if counts and (days := late[counts.name]):
        parts.append(f"{days} {'day' if days == 1 else 'days'} late")
    parts += [
        f"'{hand_in.name}' ({stamp(hand_in.received)}) does not count: {_why(hand_in, late)}"
        for hand_in in in_order
        if hand_in is not counts
    ]
    return Choice(counts, late[counts.name] if counts else 0, "; ".join(parts))


def _why(hand_in: HandIn, late: Mapping[str, int]) -> str:
    if not (days := late[hand_in.name]):
        return "a later one was received in time"
    return f"{days} {'day' if days == 1 else 'days'} late"
