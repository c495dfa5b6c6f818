"""Deadlines: what is a moment, what is refused, who is late and by how many days."""

from datetime import UTC, datetime, timedelta

import pytest

from arena.course.moments import Due, extended, parse_moment
from arena.io.errors import ArenaError

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"

MOMENTS = {
    "2026-11-20 23:59 Europe/Berlin": "2026-11-20 22:59:00",
    "2026-07-20 23:59 Europe/Berlin": "2026-07-20 21:59:00",
    "2026-11-20T23:59 Europe/Berlin": "2026-11-20 22:59:00",
    "2026-11-20 23:59:59 Europe/Berlin": "2026-11-20 22:59:59",
    "2026-11-20 00:00 UTC": "2026-11-20 00:00:00",
    "2026-11-20 12:00 Asia/Kolkata": "2026-11-20 06:30:00",
    "2026-11-20 12:00 Pacific/Kiritimati": "2026-11-19 22:00:00",
    "2028-02-29 12:00 America/New_York": "2028-02-29 17:00:00",
    "2026-03-29 01:59 Europe/Berlin": "2026-03-29 00:59:00",
    "2026-03-29 03:00 Europe/Berlin": "2026-03-29 01:00:00",
    "2026-10-25 01:59 Europe/Berlin": "2026-10-24 23:59:00",
    "2026-10-25 03:00 Europe/Berlin": "2026-10-25 02:00:00",
    "2026-03-29 02:30 Africa/Cairo": "2026-03-29 00:30:00",
}
"""What is written -> the moment in UTC."""


@pytest.mark.parametrize("text", MOMENTS)
def test_moment_is_read_on_the_clock_of_its_zone(text: str) -> None:
    found = parse_moment(text, "here").astimezone(UTC)
    assert f"{found:%Y-%m-%d %H:%M:%S}" == MOMENTS[text]


REFUSED = {
    "2026-11-20 23:59": "no time zone",
    "2026-11-20": "not a date and a time",
    "tomorrow": "not a date and a time",
    "20.11.2026 23:59 Europe/Berlin": "not a date and a time",
    "2026-11-20 23:59 +01:00": "an offset, not a time zone",
    "2026-11-20T23:59:00+01:00": "an offset, not a time zone",
    "2026-11-20T23:59:00Z": "an offset, not a time zone",
    "2026-11-20 23:59 UTC+1": "an offset, not a time zone",
    "2026-11-20 23:59 Europe/Belrin": "did you mean 'Europe/Berlin'",
    "2026-11-20 23:59 CEST": "did you mean 'Europe/Berlin'",
    "2026-11-20 23:59 PST": "did you mean 'America/Los_Angeles'",
    "2026-11-20 23:59 ../../etc/passwd": "unknown time zone",
    "2026-02-30 23:59 Europe/Berlin": "there is no 2026-02-30",
    "2026-13-01 23:59 Europe/Berlin": "there is no 2026-13-01",
    "2026-11-20 24:00 Europe/Berlin": "there is no 2026-11-20 24:00",
    "2026-11-20 23:60 Europe/Berlin": "there is no",
    "2027-02-29 12:00 UTC": "there is no 2027-02-29",
    "2026-03-29 02:00 Europe/Berlin": "not at all",
    "2026-03-29 02:59:59 Europe/Berlin": "not at all",
    "2026-03-08 02:30 America/New_York": "not at all",
    "2026-10-25 02:00 Europe/Berlin": "twice",
    "2026-10-25 02:59:59 Europe/Berlin": "twice",
    "2026-11-01 01:30 America/New_York": "twice",
    "2026-04-05 02:30 Australia/Sydney": "twice",
    "2026-10-04 02:30 Australia/Sydney": "not at all",
    "2026-10-04 02:15 Australia/Lord_Howe": "not at all",
    "2011-12-30 12:00 Pacific/Apia": "not at all",
    "0001-01-01 00:00 Asia/Tokyo": "too far away",
}
"""What is written -> why it is refused."""


@pytest.mark.parametrize("text", REFUSED)
def test_impossible_moment_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ArenaError) as caught:
        parse_moment(text, "course.yaml:4:11")
    line = str(caught.value)
    assert REFUSED[text] in line
    assert "course.yaml:4:11" in line
    assert caught.value.hint
    assert "\n" not in line


# The deadline, minutes of grace, when it was received (UTC), and how many days late that is.
LATE = [
    ("2026-11-20 23:59 Europe/Berlin", 0, "2026-11-20 22:58:59", 0),
    ("2026-11-20 23:59 Europe/Berlin", 0, "2026-11-20 22:59:00", 0),
    ("2026-11-20 23:59 Europe/Berlin", 0, "2026-11-20 22:59:01", 1),
    ("2026-11-20 23:59 Europe/Berlin", 10, "2026-11-20 23:09:00", 0),
    ("2026-11-20 23:59 Europe/Berlin", 10, "2026-11-20 23:09:01", 1),
    ("2026-11-20 23:59 Europe/Berlin", 10, "2026-11-21 23:09:00", 1),
    ("2026-11-20 23:59 Europe/Berlin", 10, "2026-11-21 23:09:01", 2),
    ("2026-11-20 23:59 Europe/Berlin", 0, "2026-11-23 22:59:00", 3),
    ("2026-11-20 23:59 Europe/Berlin", 0, "2026-11-23 22:59:01", 4),
    ("2026-11-20 23:59 America/New_York", 0, "2026-11-21 04:59:00", 0),
    ("2026-11-20 23:59 America/New_York", 0, "2026-11-21 04:59:01", 1),
    # The day of the change has 23 hours, or 25: a day ends at the same time on the clock.
    ("2026-03-28 23:59 Europe/Berlin", 0, "2026-03-29 21:59:00", 1),
    ("2026-03-28 23:59 Europe/Berlin", 0, "2026-03-29 21:59:01", 2),
    ("2026-10-24 23:59 Europe/Berlin", 0, "2026-10-25 22:59:00", 1),
    ("2026-10-24 23:59 Europe/Berlin", 0, "2026-10-25 22:59:01", 2),
    # A day that would end in an hour that is skipped or repeated ends at the later reading.
    ("2026-03-28 02:30 Europe/Berlin", 0, "2026-03-29 01:30:00", 1),
    ("2026-03-28 02:30 Europe/Berlin", 0, "2026-03-29 01:30:01", 2),
    ("2026-10-24 02:30 Europe/Berlin", 0, "2026-10-25 01:30:00", 1),
    ("2026-10-24 02:30 Europe/Berlin", 0, "2026-10-25 01:30:01", 2),
    # Grace runs on, whatever the clock shows.
    ("2026-03-29 01:59 Europe/Berlin", 10, "2026-03-29 01:09:00", 0),
    ("2026-03-29 01:59 Europe/Berlin", 10, "2026-03-29 01:09:01", 1),
    ("2020-01-01 12:00 UTC", 0, "2026-11-20 00:00:00", 400),
]


@pytest.mark.parametrize(("deadline", "minutes", "received", "days"), LATE)
def test_days_late(deadline: str, minutes: float, received: str, days: int) -> None:
    due = Due(parse_moment(deadline, "here"), 60 * minutes)
    moment = datetime.fromisoformat(received).replace(tzinfo=UTC)
    assert due.days_late(moment) == days
    assert (days == 0) == (moment <= due.until)


DEADLINE = "2026-10-23 23:59 Europe/Berlin"
OPENED = "2026-10-19 23:59 Europe/Berlin"
# What is written, and the end of the extension, in UTC.
EXTENSIONS = {
    "2026-10-30 12:00 Europe/Berlin": "2026-10-30 11:00",
    "+1 day": "2026-10-24 21:59",
    "+3 days": "2026-10-26 22:59",  # the same time on the clock, which was changed
    "+1 week": "2026-10-30 22:59",
    "+72 hours": "2026-10-26 21:59",
    "+1.5 hours": "2026-10-23 23:29",
    "+90 minutes": "2026-10-23 23:29",
    "+25 %": "2026-10-24 21:59",  # of four days
    "+0,1%": "2026-10-23 22:05",  # 5.76 minutes, rounded up
}


@pytest.mark.parametrize("text", EXTENSIONS)
def test_extension(text: str) -> None:
    deadline, opened = parse_moment(DEADLINE, "here"), parse_moment(OPENED, "here")
    later = extended(deadline, text, opened, "here")
    assert f"{later.astimezone(UTC):%Y-%m-%d %H:%M}" == EXTENSIONS[text]
    assert later.tzinfo == deadline.tzinfo


BAD_EXTENSIONS = {
    "+3": "'+3' is not an extension",
    "+3 fortnights": "is not an extension",
    "+1.5 days": "no whole number of days",
    "+25 %": "percent needs to know of what",
    "3 days": "not a date and a time",
}


@pytest.mark.parametrize("text", BAD_EXTENSIONS)
def test_extension_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ArenaError) as caught:
        extended(parse_moment(DEADLINE, "here"), text, None, "course.yaml:9")
    assert BAD_EXTENSIONS[text] in caught.value.what
    assert (caught.value.where, bool(caught.value.hint)) == ("course.yaml:9", True)


def test_extension_into_an_hour_that_is_there_twice_has_one_end() -> None:
    deadline = parse_moment("2026-10-25 01:59 Europe/Berlin", "here")
    due = Due(extended(deadline, "+30 minutes", None, "here"), 0)
    end = datetime(2026, 10, 25, 0, 29, tzinfo=UTC)
    assert due.until == end
    assert [due.days_late(end + timedelta(seconds=more)) for more in (0, 1)] == [0, 1]


def test_enough_cases() -> None:
    assert len(MOMENTS) + len(REFUSED) + len(LATE) >= 40
