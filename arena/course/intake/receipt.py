"""When a hand-in was received, and by whose word."""

from datetime import datetime, timedelta

from msgspec import Struct

from arena.course.terms.deadlines import Due, stamp


class Receipt(Struct, frozen=True):
    """When a hand-in was received; what nothing says is unknown, and never late."""

    moment: datetime | None = None
    """In UTC; None if no record says it."""
    late: bool | None = None
    """Whether the platform calls it late; None if that is not said."""
    source: str = ""
    """What says so, in words."""

    @property
    def is_known(self) -> bool:
        """Whether it is known how late it is: a platform may say no more than that it is late."""
        return self.moment is not None or self.late is False

    def days_late(self, due: Due) -> int:
        """Return how many days late that is, at least: each one that has begun."""
        if self.moment is not None:
            return due.days_late(self.moment)
        return 1 if self.late else 0

    def late_by(self, due: Due) -> timedelta | None:
        """Return how long after the deadline that was; None if it was not, or is not known."""
        if self.moment is None or self.moment <= due.deadline:
            return None
        return self.moment - due.deadline

    def said(self, due: Due) -> str:
        """Return the moment on the clock of the deadline, or what is known instead."""
        if self.moment is not None:
            return stamp(self.moment.astimezone(due.deadline.tzinfo))
        return {True: "late", False: "on time", None: "at an unknown time"}[self.late]


UNKNOWN = Receipt()
