"""Moments on the clocks of time zones: deadlines, extensions, times of receipt."""

import re
import warnings
from datetime import UTC, datetime, timedelta
from datetime import time as clock_time
from functools import cache
from math import ceil
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from arena.io.errors import ArenaError, did_you_mean

EXAMPLE = "2026-11-20 23:59 Europe/Berlin"
MAX_DAYS = 400
"""Days late that are counted; a later hand-in is as late as this."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: +(\S.*))?")
_OFFSET = re.compile(r"Z|(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?")
_ATTACHED = re.compile(r"(.*\d)(Z|[+-]\d\d:?\d\d)")
_EXTRA = re.compile(
    r"\+ ?(?P<size>\d{1,4}(?:[.,]\d{1,2})?) ?(?P<unit>%|weeks?|days?|hours?|minutes?)"
)
_EXTRA_EXAMPLE = 'write it like "+3 days", "+12 hours" or "+25 %"'
_UNITS = {"week": timedelta(weeks=1), "day": timedelta(days=1)}
_UNITS |= {"hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_ABBREVIATIONS = {
    "Europe/Berlin": "CET CEST MEZ MESZ",
    "Europe/London": "BST",
    "Europe/Athens": "EET EEST",
    "Europe/Lisbon": "WET WEST",
    "Europe/Moscow": "MSK",
    "America/New_York": "EST EDT ET",
    "America/Chicago": "CST CDT CT",
    "America/Denver": "MST MDT MT",
    "America/Los_Angeles": "PST PDT PT",
    "Asia/Kolkata": "IST",
    "Asia/Tokyo": "JST",
    "Australia/Sydney": "AEST AEDT",
    "Pacific/Auckland": "NZST NZDT",
}
"""Abbreviations by a zone that each may mean; they name offsets, and some name several."""
_ISO = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?"
    r"(?: ?(?P<zone>Z|[+-]\d\d(?::?\d\d)?|[A-Z]{2,5}))?"
)
_DAY_FIRST = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4}),?[T ]+(\d\d?:\d\d(?::\d\d)?)")
"""18.11.2026 23:05: with points the day comes first."""
_NAMED = re.compile(r"\d{4}-\d\d-\d\d[ T][\d:]+ [A-Za-z_]+/[A-Za-z_/+-]+")
_CLOCK = re.compile(r"\d ?[:.h] ?\d\d")
_WORD = re.compile(r"[^\W\d_]{3,}|年")
"""The name of a month: a date of numbers alone may begin with the day or the month."""
_ZONE = re.compile(r"(?P<time>.*\d(?: ?[AaPp]\.?[Mm]\.?)?)(?: o'clock)? (?P<zone>[A-Z]{2,5})")
_HALVES = ("AM", "PM")
_GERMAN = {"MEZ": "CET", "MESZ": "CEST"}
_HINT = f"write it like {EXAMPLE}, or as 2026-11-20T22:59:00Z"


class Due(Struct, frozen=True):
    """When a hand-in is due."""

    deadline: datetime
    """The moment, with its time zone."""
    grace: float = 0.0
    """Seconds after it in which a hand-in is still on time."""
    extension: str = ""
    """As the teacher wrote it; "" for the deadline of all."""

    @property
    def zone(self) -> str:
        """The name of its time zone."""
        return str(self.deadline.tzinfo)

    @property
    def until(self) -> datetime:
        """The last moment that is on time, in UTC."""
        return self.deadline.astimezone(UTC) + timedelta(seconds=self.grace)

    def days_late(self, received: datetime) -> int:
        """Return how many days late a hand-in is: every day that has begun, up to MAX_DAYS.

        A day ends at the deadline's time of day on the clock of its zone, even if the clock was
        changed meanwhile. If that time comes twice, the day ends the second time.
        """
        moment = received.astimezone(UTC)
        grace = timedelta(seconds=self.grace)
        days, end = 0, self.until
        while days < MAX_DAYS and end < moment:
            days += 1
            later = _later_reading(self.deadline + timedelta(days=days))
            end = later.astimezone(UTC) + grace
        return days


def parse_moment(text: str, where: str) -> datetime:
    """Return a moment written like EXAMPLE.

    Raises ArenaError, which names `where`, if the zone is missing, unknown or a bare offset, if
    there is no such date or time, and for an hour that a change of the clock skips or repeats.
    """
    attached = _ATTACHED.fullmatch(text)
    written = _MOMENT.fullmatch(" ".join(attached.groups()) if attached else text)
    if not written:
        raise ArenaError(f"'{text}' is not a date and a time", where, f"write it like {EXAMPLE}")
    date, time, name = written.groups()
    naive = in_numbers(date, time, f"{date} {time}", where)
    zone = _zone(name, text, where)
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


def in_numbers(date: str, time: str, said: str, where: str) -> datetime:
    """Return the moment of a date and a time such as 2026-11-20 and 23:59, without a zone.

    Raises ArenaError, which quotes `said`, if there is no such day or time. The error is the same
    on each version of Python.
    """
    try:
        day = datetime.fromisoformat(date)
    except ValueError:
        why = "the calendar has no such day"
        raise ArenaError(f"there is no {said}: {why}", where, "correct it") from None
    try:
        clock = clock_time.fromisoformat(time)
    except ValueError:
        clock = None
    # Python 3.13 and later read 24:00 as midnight.
    if clock is None or time.startswith("24"):
        why = "the clock has no such time"
        raise ArenaError(f"there is no {said}: {why}", where, "correct it")
    return datetime.combine(day, clock)


def extended(deadline: datetime, text: str, opened: datetime | None, where: str) -> datetime:
    """Return the end of an extension, written as a moment or like "+3 days".

    Weeks and days end at the deadline's time on the clock. Percent are those of the time from
    `opened`, when the exercise was given out, to the deadline, rounded up to a minute. Raises
    ArenaError, which names `where`.
    """
    if not text.startswith("+"):
        return parse_moment(text, where)
    written = _EXTRA.fullmatch(text)
    if not written:
        raise ArenaError(f"'{text}' is not an extension", where, _EXTRA_EXAMPLE)
    size, unit = float(written["size"].replace(",", ".")), written["unit"].rstrip("s")
    if unit == "%":
        if opened is None:
            hint = f"say when the exercise was given out, as in `opened: {EXAMPLE}`"
            raise ArenaError("an extension in percent needs to know of what", where, hint)
        begin, end = opened.astimezone(UTC), deadline.astimezone(UTC)
        minutes = ceil(size / 100 * (end - begin).total_seconds() / 60)
        return (end + timedelta(minutes=minutes)).astimezone(deadline.tzinfo)
    if unit in ("week", "day") and not size.is_integer():
        raise ArenaError(f"'{text}' is no whole number of {unit}s", where, "say it in hours")
    later = size * _UNITS[unit]
    if unit in ("week", "day"):
        return _later_reading(deadline + later)
    return (deadline.astimezone(UTC) + later).astimezone(deadline.tzinfo)


def _later_reading(moment: datetime) -> datetime:
    """Return the second of the two moments at which a clock that is put back shows this time."""
    return max((moment.replace(fold=fold) for fold in (0, 1)), key=lambda one: one.astimezone(UTC))


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
    if name not in known and (meant := zone_meant(name)):
        what = f"'{name}' is no time zone: it does not follow changes of the clock"
        raise ArenaError(what, where, f"did you mean '{meant}'?")
    if name not in known:
        near = did_you_mean(name, known)
        raise ArenaError(f"unknown time zone '{name}'", where, near if len(near) < 99 else hint)
    return ZoneInfo(name)


def zone_meant(name: str) -> str:
    """Return a zone that an abbreviation such as CEST may mean; "" for an unknown one."""
    meant = (zone for zone, short in _ABBREVIATIONS.items() if name.upper() in short.split())
    return next(meant, "")


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def read_moment(text: str, zone: ZoneInfo, where: str) -> datetime:
    """Return in UTC when something happened; a text without a zone is on the clock of `zone`.

    It reads ISO 8601, deadlines, and words of any language, such as `Donnerstag, 17. Dezember 2026,
    20:15`. A time that comes twice is the first one, unless the text names the zone. Raises
    ArenaError, which names `where`.
    """
    if _NAMED.fullmatch(text):
        return parse_moment(text, where).astimezone(UTC)
    if dotted := _DAY_FIRST.fullmatch(text):
        day, month, year, clock = dotted.groups()
        text = f"{year}-{month:0>2}-{day:0>2} {clock:0>5}"
    written = _ISO.fullmatch(text)
    if written is None:
        return _in_words(text, zone, where)
    offset = written["zone"] or ""
    naive = in_numbers(written["date"], written["time"], f"'{text}'", where)
    try:
        if offset.startswith(("Z", "+", "-")):
            offset = offset.replace("Z", "+00:00")
            return datetime.fromisoformat(f"{naive.isoformat()}{offset}").astimezone(UTC)
        return _on_clock(naive, offset, zone, text, where).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ArenaError(f"there is no '{text}': {error}", where, "correct it") from None


def _in_words(text: str, zone: ZoneInfo, where: str) -> datetime:
    zoned = _ZONE.fullmatch(text)
    name = zoned["zone"] if zoned and zoned["zone"] not in _HALVES else ""
    words = zoned["time"] if zoned and name else text
    found = None
    if len(text) <= 100 and _CLOCK.search(words) and _WORD.search(words):
        found = _parser().get_date_data(words).date_obj
    if found is None:
        raise ArenaError(f"'{text}' is not a date and a time", where, _HINT)
    return _on_clock(found.replace(tzinfo=None), name, zone, text, where).astimezone(UTC)


def _on_clock(naive: datetime, name: str, zone: ZoneInfo, text: str, where: str) -> datetime:
    """Put a time on the clock that an abbreviation such as CEST names; "" names `zone`."""
    name = _GERMAN.get(name, name)
    meant = zone_meant(name)
    for clock in (zone, *map(ZoneInfo, filter(None, (meant, "UTC", "GMT")))):
        for fold in (0, 1):
            moment = naive.replace(tzinfo=clock, fold=fold)
            if name in {"", moment.tzname()}:
                return moment
    hint = "give the time in UTC, as in 2026-11-20T22:59:00Z"
    raise ArenaError(f"'{text}' is in an unknown time zone '{name}'", where, hint)


@cache
def _parser() -> Any:
    """Return the reader of dates in words; it takes no date without a year, and no `yesterday`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dateparser.date import DateDataParser

    settings = {
        "STRICT_PARSING": True,
        "REQUIRE_PARTS": ["day", "month", "year"],
        "PARSERS": ["absolute-time"],
    }
    return DateDataParser(settings=settings, try_previous_locales=False)
