"""Deadlines: a moment on a clock in a time zone, and how many days late a hand-in is."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from arena.io.errors import ArenaError, did_you_mean

EXAMPLE = "2026-11-20 23:59 Europe/Berlin"
MAX_DAYS = 400
"""Days that are counted."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: +(\S.*))?")
_OFFSET = re.compile(r"Z|(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?")
_ATTACHED = re.compile(r"(.*\d)(Z|[+-]\d\d:?\d\d)")


class Due(Struct, frozen=True):
    """When a hand-in is due."""

    deadline: datetime
    """With its time zone."""
    grace: float = 0.0
    """Minutes after it in which a hand-in is still on time."""

    @property
    def until(self) -> datetime:
        """The last moment that is on time, in UTC."""
        return self.deadline.astimezone(UTC) + timedelta(minutes=self.grace)

    def days_late(self, received: datetime) -> int:
        """Return how many days late a hand-in is, each one that has begun; MAX_DAYS at most.

        A day ends at the deadline's time of day on the clock of its zone, also where the clock was
        changed; a repeated hour ends it the second time.
        """
        days, moment = 0, received.astimezone(UTC)
        while days < MAX_DAYS and self._after(days) < moment:
            days += 1
        return days

    def _after(self, days: int) -> datetime:
        """Return the end of the grace so many days later, in UTC."""
        later = self.deadline + timedelta(days=days)
        # An hour that is skipped or repeated has two readings: the later one counts.
        ends = [later.replace(fold=fold).astimezone(UTC) for fold in (0, 1)]
        return max(ends) + timedelta(minutes=self.grace)


def parse_moment(text: str, where: str) -> datetime:
    """Return a moment as people write it: EXAMPLE; raises ArenaError, which names `where`.

    Refused: no zone or a bare offset, an unknown zone, a date or time that does not exist, and an
    hour that a change of the clock skips or repeats.
    """
    attached = _ATTACHED.fullmatch(text)
    written = _MOMENT.fullmatch(" ".join(attached.groups()) if attached else text)
    if not written:
        raise ArenaError(f"'{text}' is not a date and a time", where, f"write it like {EXAMPLE}")
    date, time, zone = written.groups()
    try:
        naive = datetime.fromisoformat(f"{date} {time}")
    except ValueError as error:
        raise ArenaError(f"there is no {date} {time}: {error}", where, "correct it") from None
    return _on_clock(naive, _zone(zone, text, where), text, where)


def stamp(moment: datetime) -> str:
    """Return a moment with its offset, in whole seconds: `2026-11-20 23:59:00+01:00`."""
    return moment.isoformat(" ", "seconds")


def _zone(name: str | None, text: str, where: str) -> ZoneInfo:
    hint = f"name one, as in {EXAMPLE}"
    if not name:
        raise ArenaError(f"'{text}' has no time zone", where, hint)
    if _OFFSET.fullmatch(name):
        what = f"'{name}' is an offset, not a time zone: it does not follow changes of the clock"
        raise ArenaError(what, where, hint)
    known = _known_zones()
    if not known:
        hint = "install the package tzdata"
        raise ArenaError("this machine has no time zones", where, hint)
    if name not in known:
        near = did_you_mean(name, known)
        raise ArenaError(f"unknown time zone '{name}'", where, near if len(near) < 99 else hint)
    return ZoneInfo(name)


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _on_clock(naive: datetime, zone: ZoneInfo, text: str, where: str) -> datetime:
    """Put a time on the clock of a zone; raises ArenaError if it is there twice, or not at all."""
    first, second = (naive.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    try:
        back = first.astimezone(UTC).astimezone(zone)
    except OverflowError:
        raise ArenaError(f"'{text}' is too far away", where, "correct the year") from None
    if first.utcoffset() == second.utcoffset():
        return first
    how = "twice" if back.replace(tzinfo=None) == naive else "not at all"
    what = f"'{text}' is there {how}: the clock is changed in that hour"
    raise ArenaError(what, where, "choose an hour before or after it")
