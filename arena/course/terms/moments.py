"""Times of the past, as platforms, interfaces and teachers write them."""

import re
import warnings
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from arena.course.terms.deadlines import EXAMPLE, in_numbers, parse_moment, zone_meant
from arena.io.errors import ArenaError

_ISO = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?"
    r"(?: ?(?P<zone>Z|[+-]\d\d(?::?\d\d)?|[A-Z]{2,5}))?"
)
_DAY_FIRST = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4}),?[T ]+(\d\d?:\d\d(?::\d\d)?)")
"""18.11.2026 23:05: where points separate, the day comes first."""
_NAMED = re.compile(r"\d{4}-\d\d-\d\d[ T][\d:]+ [A-Za-z_]+/[A-Za-z_/+-]+")
_CLOCK = re.compile(r"\d ?[:.h] ?\d\d")
_WORD = re.compile(r"[^\W\d_]{3,}|年")
"""A month is a word: dates of numbers alone may begin with the day or the month."""
_ZONE = re.compile(r"(?P<time>.*\d(?: ?[AaPp]\.?[Mm]\.?)?)(?: o'clock)? (?P<zone>[A-Z]{2,5})")
_HALVES = ("AM", "PM")
_GERMAN = {"MEZ": "CET", "MESZ": "CEST"}
_HINT = f"write it like {EXAMPLE}, or as 2026-11-20T22:59:00Z"


def read_moment(text: str, zone: ZoneInfo, where: str) -> datetime:
    """Return in UTC when something happened; a text without a zone is on the clock of `zone`.

    Read are dates and times in numbers, as in ISO 8601 and in deadlines, and in words of any
    language: `Donnerstag, 17. Dezember 2026, 20:15`. In an hour that is there twice it is the first
    one, unless the text names the zone. Raises ArenaError, which names `where`.
    """
    if _NAMED.fullmatch(text):
        return parse_moment(text, where).astimezone(UTC)
    if dotted := _DAY_FIRST.fullmatch(text):
        day, month, year, clock = dotted.groups()
        text = f"{year}-{month:0>2}-{day:0>2} {clock:0>5}"
    if written := _ISO.fullmatch(text):
        return _in_numbers(written, zone, text, where)
    return _in_words(text, zone, where)


def _in_numbers(written: re.Match[str], zone: ZoneInfo, text: str, where: str) -> datetime:
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
    """Put a time on the clock of the zone that an abbreviation such as CEST names."""
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
    """Return what reads dates in words: a day, a month and a year, nothing relative to now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dateparser.date import DateDataParser

    settings = {
        "STRICT_PARSING": True,
        "REQUIRE_PARTS": ["day", "month", "year"],
        "PARSERS": ["absolute-time"],
    }
    return DateDataParser(settings=settings, try_previous_locales=False)
