"""The hand-in of a student that counts: the last one that works, before any that is late."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from arena.course.intake.forms import stem_of
from arena.course.intake.inside import Inside
from arena.course.intake.names import number_of
from arena.course.intake.receipt import Receipt
from arena.course.terms.deadlines import Due

BEST = "best"
"""`resubmissions` of a course in which the best hand-in of a student counts."""


_NEVER = datetime.min.replace(tzinfo=UTC)


class HandIn(Struct, frozen=True):
    """What a student handed in at one time."""

    student: str
    """An id of the roster."""
    name: str
    """The file or folder, as the teacher knows it; the first one of several."""
    files: Mapping[str, Path]
    """Where they lie, by what the student called them."""
    inside: Inside
    receipt: Receipt
    sign: str = ""
    """What in its name says whose it is."""
    number: int = 0
    """The number of the attempt; 0 if the platform does not count them."""
    is_draft: bool = False
    """Whether the platform says that it was not submitted."""

    @property
    def order(self) -> tuple[datetime, int, str]:
        """Later ones come later; of those at the same moment, by number, then by the alphabet."""
        number = self.number or number_of(stem_of(self.name))[1]
        return self.receipt.moment or _NEVER, number, self.name

    def ties(self, other: "HandIn") -> bool:
        """Return whether neither the records nor a number say which of the two came later."""
        if self.receipt.moment is None or self.receipt.moment != other.receipt.moment:
            return False
        base, others = number_of(stem_of(self.name))[0], number_of(stem_of(other.name))[0]
        return self.number == other.number and base != others


class Works(Struct, frozen=True):
    """How far a hand-in works, by its check."""

    starts: bool = True
    """Whether it can play."""
    passed: bool = True
    """Whether it passed all steps."""


UNCHECKED = Works()
"""A hand-in that was not checked is taken to work."""


class Choice(Struct, frozen=True):
    """The hand-in of a student that counts."""

    hand_in: HandIn | None
    days_late: int
    note: str
    """In words: why it is this one; "" if there is nothing to say."""


def taken(hand_ins: Sequence[HandIn], due: Due, most_days: int) -> list[HandIn]:
    """Return the hand-ins of a student that may count, in the order in which they came."""
    in_order = sorted(hand_ins, key=lambda hand_in: hand_in.order)
    return [one for one in in_order if one.receipt.days_late(due) <= most_days]


def choose(
    hand_ins: Sequence[HandIn],
    due: Due,
    most_days: int,
    checked: Mapping[str, Works] | None = None,
) -> Choice:
    """Return the hand-in of a student that counts: of those that start, the last one in time.

    In time are those received by the deadline, and of them one that passed all of its check comes
    before one that did not. Without one, it is the last one that was received in the `most_days`
    days after it and starts; if none starts, the last one in time, or the last late one. `checked`
    is by name.
    """
    works = {hand_in.name: (checked or {}).get(hand_in.name, UNCHECKED) for hand_in in hand_ins}

    def rank(hand_in: HandIn) -> tuple[object, ...]:
        how, in_time = works[hand_in.name], not hand_in.receipt.days_late(due)
        return how.starts, in_time, how.passed, hand_in.order

    counts = max(taken(hand_ins, due, most_days), key=rank, default=None)
    return choice_of(counts, hand_ins, due, works)


def choice_of(
    counts: HandIn | None, hand_ins: Sequence[HandIn], due: Due, works: Mapping[str, Works]
) -> Choice:
    """Return the choice of one of a student's hand-ins, or of none, with why."""
    days = counts.receipt.days_late(due) if counts else 0
    parts = [] if hand_ins else ["nothing was handed in"]
    parts += [_late(days)] if days else []
    for hand_in in sorted(hand_ins, key=lambda one: one.order):
        if hand_in is not counts:
            why = _why(hand_in, counts, due, works[hand_in.name])
            at = hand_in.receipt.said(due)
            parts.append(f"'{hand_in.name}' ({at}) does not count: {why}")
    return Choice(counts, days, "; ".join(parts))


def _late(days: int) -> str:
    return f"{days} {'day' if days == 1 else 'days'} late"


def _why(hand_in: HandIn, counts: HandIn | None, due: Due, works: Works) -> str:
    if counts and counts.order > hand_in.order and not counts.receipt.days_late(due):
        return "a later one was received in time"
    if not works.starts:
        return "it does not start"
    if days := hand_in.receipt.days_late(due):
        return _late(days)
    if not works.passed:
        return "it did not pass its check"
    return "a better one was handed in"
