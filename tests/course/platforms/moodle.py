"""Moodle's assignment: the download of all submissions and the grading worksheet.

From moodle/moodle mod/assign/classes/downloader.php, lib/classes/param.php (PARAM_FILE,
PARAM_PATH), mod/assign/gradingtable.php and the language packs' assign.php and langconfig.php,
and openspout's CSV writer.
"""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from tests.course.platforms.download import (
    COURSE,
    TITLE,
    UNICODE_MARK,
    Download,
    base,
    clock_12,
    php_csv,
)
from tests.course.platforms.people import Export, Person, Submitted
from tests.course.platforms.zips import ZIPSTREAM, ZIPSTREAM_2

MODES = ("", "folders", "files", "old-folders", "blind", "german", "teams")
MODULE = 4242
"""The number of the assignment in the course's pages."""


def clean_file(name: str) -> str:
    """Return a name as clean_filename leaves it."""
    cleaned = re.sub(r"[\x00-\x1f\x7f]|[&<>\"`|':\\/]", "", name)
    return "" if cleaned in {".", ".."} else cleaned


def clean_path(path: str) -> str:
    """Return a path as PARAM_PATH and then ZipStream's filterFilename leave it."""
    crumbs = [clean_file(crumb) for crumb in path.replace("\\", "/").split("/")]
    joined = re.sub("/(\\./)+", "/", re.sub("//+", "/", "/".join(crumbs)))
    return re.sub(r"[\\:*?\"<>|]", "_", joined.lstrip("/"))


class _Words(NamedTuple):
    """What a worksheet says in the teacher's language."""

    headers: tuple[str, ...]
    participant: str
    submitted: str
    none: str
    late: str
    overdue: str
    yes: str
    most: str
    group: str
    default_team: str
    units: tuple[tuple[str, str], ...]
    """Of a duration: day, hour, minute, second; one and several."""
    end: str


_ENGLISH = _Words(
    headers=(
        *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade"),
        *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
        "Feedback comments",
    ),
    participant="Participant ",
    submitted="Submitted for grading",
    none="No submission",
    late="late",
    overdue="Assignment is overdue by",
    yes="Yes",
    most="100.00",
    group="Group",
    default_team="Default group",
    units=(("day", "days"), ("hour", "hours"), ("min", "mins"), ("sec", "secs")),
    # openspout calls fputcsv, which ends lines with LF.
    end="\n",
)
_GERMAN = _Words(
    headers=(
        *("ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung"),
        *("Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)"),
        *("Zuletzt geändert (Bewertung)", "Feedback als Kommentar"),
    ),
    participant="Teilnehmer/in",
    submitted="Zur Bewertung abgegeben",
    none="Keine Abgabe",
    late="zu spät",
    overdue="Abgabeende überschritten seit",
    yes="Ja",
    most="100,00",
    group="Gruppe",
    default_team="Standard-Gruppe",
    units=(
        *(("Tag", "Tage"), ("Stunde", "Stunden"), ("Minute", "Minuten")),
        ("Sekunde", "Sekunden"),
    ),
    # A spreadsheet program on Windows wrote it again.
    end="\r\n",
)
_GERMAN_DAYS = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
_GERMAN_MONTHS = [
    *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September"),
    *("Oktober", "November", "Dezember"),
]


def moodle(download: Download) -> Export:
    """Write the zip and the worksheet; modes: MODES."""
    words = _GERMAN if download.mode == "german" else _ENGLISH
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for prefix, hand_in, people in _owners(download, words):
        paths = [_path(download.mode, prefix, path) for path in hand_in.files]
        entries.update(zip(paths, hand_in.files.values(), strict=True))
        first = paths[0] if download.mode == "files" else paths[0].partition("/")[0]
        names |= dict.fromkeys((person.id for person in people), first)
    library = ZIPSTREAM_2 if download.mode == "old-folders" else ZIPSTREAM
    submissions = download.zip(f"{COURSE}-{TITLE}-{MODULE}.zip", library, entries)
    sheet = UNICODE_MARK + php_csv(_rows(download, words), end=words.end)
    worksheet = download.write(f"Grades-{COURSE}-{TITLE}--{MODULE}.csv", sheet.encode())
    # A blind download has no other name of a student than the number.
    accounts = download.numbers() if download.mode == "blind" else download.logins()
    return download.export(submissions, names, accounts, worksheet)


def _owners(download: Download, words: _Words) -> list[tuple[str, Submitted, list[Person]]]:
    """Return the prefix, the files and the people of each submission."""
    if download.mode == "teams":
        return [
            (_team_prefix(team, groups[team], words), last, members)
            for groups in [group_numbers(download)]
            for team, members in download.teams().items()
            if (last := download.last_of(members))
        ]
    blind = download.mode == "blind"
    return [
        (_prefix("Participant" if blind else last.person.name, last.person.number), last, [who])
        for last in download.last()
        for who in [last.person]
    ]


def _prefix(name: str, number: str) -> str:
    return clean_file(name.replace("_", " ") + "_" + number)


def _team_prefix(team: str, number: int, words: _Words) -> str:
    if not team:
        return clean_file(words.default_team.replace("_", " "))
    return _prefix(team, str(number))


def group_numbers(download: Download) -> dict[str, int]:
    """Return the number of each team's group: that of a participant who is not in it, if any."""
    found: dict[str, int] = {}
    for team, members in download.teams().items():
        others = [int(person.number) for person in download.people if person not in members]
        found[team] = next((n for n in others if n not in found.values()), len(found) + 1)
    return found


def _path(mode: str, prefix: str, path: str) -> str:
    if mode == "files":
        return clean_path(clean_file(f"{prefix}_assignsubmission_file_{base(path)}"))
    # Before 4.1 an empty file name ended the name of the folder.
    folder = clean_file(f"{prefix}_assignsubmission_file" + "_" * (mode == "old-folders"))
    return clean_path(f"{folder}/{path}")


def _rows(download: Download, words: _Words) -> list[list[str]]:
    headers = list(words.headers)
    teams = download.mode == "teams"
    if teams:
        headers.insert(4, words.group)
    rows = [headers]
    members = download.teams()
    for person in download.people:
        last = download.last_of(members[person.team] if teams else [person])
        rows.append(_row(download, words, person, last))
    if download.mode == "blind":
        rows = [[row[0], *row[3:]] for row in rows]
    return rows


def _row(download: Download, words: _Words, person: Person, last: Submitted | None) -> list[str]:
    modified = day_and_time(download.local(last.at), words is _GERMAN) if last else "-"
    group = [person.team or words.default_team] if download.mode == "teams" else []
    name = [words.participant + person.number, person.name, person.email]
    status = _status(download, words, last)
    return [*name, status, *group, "", words.most, words.yes, modified, "-", ""]


def _status(download: Download, words: _Words, last: Submitted | None) -> str:
    """Return col_status of a download: how late a hand-in is, or how long it is missing."""
    after = (last.at if last else download.downloaded) - download.deadline
    parts = [words.submitted if last else words.none]
    if after > timedelta(0):
        lasted = duration(after, words.units)
        parts.append(f"{lasted} {words.late}" if last else f"{words.overdue}: {lasted}")
    return " - ".join(parts)


def day_and_time(at: datetime, german: bool = False) -> str:
    """Return strftimedaydatetime: a long date, no seconds, no zone."""
    if german:
        day, month = _GERMAN_DAYS[at.weekday()], _GERMAN_MONTHS[at.month - 1]
        return f"{day}, {at.day}. {month} {at.year}, {at:%H:%M}"
    return f"{at:%A}, {at.day} {at:%B %Y}, {clock_12(at)}"


def duration(lasted: timedelta, units: tuple[tuple[str, str], ...]) -> str:
    """Return format_time: the largest unit and the next one, if that is not 0."""
    seconds = int(lasted.total_seconds())
    parts = [seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60]
    largest = next((place for place, n in enumerate(parts) if n), 3)
    shown = [
        f"{n} {several if n != 1 else one}"
        for n, (one, several) in list(zip(parts, units, strict=True))[largest : largest + 2]
        if n
    ]
    return " ".join(shown) or "now"
