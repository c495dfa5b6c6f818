"""Times of the past, as platforms, interfaces and teachers write them."""

import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course import moments
from arena.course.moments import read_moment
from arena.io.errors import ArenaError
from tests.support.depth import FULL

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(scope="module", autouse=True)
def _few_languages() -> Iterator[None]:
    """Try the languages below alone: to load all two hundred for a text in none takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from dateparser import date
            few = partial(date.DateDataParser, languages=["en", "de", "fr", "es"])
            patch.setattr(date, "DateDataParser", few)
        moments._parser.cache_clear()
        yield
    moments._parser.cache_clear()


MOMENTS = {
    "2026-11-20T22:58:00Z": "2026-11-20 22:58:00",
    "2026-11-20T22:58:00+01:00": "2026-11-20 21:58:00",
    "2026-11-20T22:58:00.250-0500": "2026-11-21 03:58:00",
    "2026-11-20 22:58": "2026-11-20 21:58:00",
    "2025-01-07 23:12:11 UTC": "2025-01-07 23:12:11",
    "2026-11-25 10:32:56.104713000 Z": "2026-11-25 10:32:56",
    "2026-11-20 23:59 America/New_York": "2026-11-21 04:59:00",
    "2026-07-20 23:59 CEST": "2026-07-20 21:59:00",
    "18.11.2026 23:05": "2026-11-18 22:05:00",
    "Thursday, 17 December 2026, 8:15 PM": "2026-12-17 19:15:00",
    "Saturday, 19 December 2026, 12:02 AM": "2026-12-18 23:02:00",
    "Wednesday, September 23, 2020, 9:00 PM": "2020-09-23 19:00:00",
    "Donnerstag, 17. Dezember 2026, 20:15": "2026-12-17 19:15:00",
    "Dienstag, 2. Dezember 2025, 10:37": "2025-12-02 09:37:00",
    "jeudi 17 décembre 2026, 20:15": "2026-12-17 19:15:00",
    "jueves, 17 de diciembre de 2026, 20:15": "2026-12-17 19:15:00",
    "Tuesday, 21 April 2020 06:34:13 o'clock BST": "2020-04-21 05:34:13",
    "Monday, September 26, 2022 3:45:12 PM EDT": "2022-09-26 19:45:12",
    "Wednesday, November 18, 2026 10:00:00 AM CET": "2026-11-18 09:00:00",
    "Oct 10, 2025 10:22 AM": "2025-10-10 08:22:00",
    # An hour that is there twice: the first one, unless the zone is named.
    "2026-10-25 02:30": "2026-10-25 00:30:00",
    "Sunday, October 25, 2026 2:30:00 AM CEST": "2026-10-25 00:30:00",
    "Sunday, October 25, 2026 2:30:00 AM CET": "2026-10-25 01:30:00",
    "Sonntag, 25. Oktober 2026 02:30:00 MEZ": "2026-10-25 01:30:00",
}
"""What is written -> the moment in UTC, where a text without a zone is on the clock of Berlin."""


@pytest.mark.parametrize("text", MOMENTS)
def test_moment_is_read(text: str) -> None:
    found = read_moment(text, BERLIN, "here")
    assert found.utcoffset() == UTC.utcoffset(None)
    assert f"{found:%Y-%m-%d %H:%M:%S}" == MOMENTS[text]


REFUSED = {
    "-": "not a date and a time",
    "yesterday 10:00": "not a date and a time",
    "Thursday, 17 December 2026": "not a date and a time",
    "17 December, 20:15": "not a date and a time",
    "3/4/2026 10:00": "not a date and a time",
    "33 December 2026, 8:15 PM": "not a date and a time",
    "2026-02-30 10:00": "the calendar has no such day",
    "2026-11-20 24:00": "the clock has no such time",
    "2026-11-20 23:59 CEST": "unknown time zone 'CEST'",
    "5 March 2026 10:00 XYZ": "unknown time zone 'XYZ'",
    "2026-11-20 23:59 Europe/Belrin": "did you mean 'Europe/Berlin'",
    "0001-01-01 00:00": "out of range",
}
"""What is written -> why it is refused."""


@pytest.mark.parametrize("text", REFUSED)
def test_text_without_a_moment_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ArenaError) as caught:
        read_moment(text, BERLIN, "times.csv:3")
    line = str(caught.value)
    assert REFUSED[text] in line
    assert ("times.csv:3" in line, "\n" in line, bool(caught.value.hint)) == (True, False, True)


@given(moment=st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_time_that_python_writes_is_read_to_the_second(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    for text in (moment.isoformat(), f"{moment:%Y-%m-%dT%H:%M:%SZ}", str(moment)):
        assert read_moment(text, BERLIN, "here") == whole
    local = moment.astimezone(BERLIN)
    assert read_moment(local.isoformat(), BERLIN, "here") == whole
