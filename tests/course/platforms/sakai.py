"""Sakai: the bulk download of an assignment.

From sakaiproject/sakai AssignmentServiceImpl.java (zipSubmissions); the words are those of the
English texts in public copies of grades.csv.
"""

import re
import unicodedata
from datetime import UTC, datetime

from tests.course.platforms.download import TITLE, Download, base
from tests.course.platforms.people import Export, Person
from tests.course.platforms.zips import JAVA

MODES = ("",)


def sakai(download: Download) -> Export:
    """Write the zip: per student the time, an entry for the folder, the files; then the grades."""
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    rows = [
        (TITLE, "SCORE_GRADE_TYPE"),
        ("",),
        (
            *("Display ID", "ID", "Last Name", "First Name", "grade", "Submission date"),
            "Late submission",
        ),
    ]
    for last in download.last():
        person = last.person
        names[person.id] = folder = folder_name(person)
        attachments = f"{TITLE}/{folder}/Submission attachment(s)/"
        entries[f"{TITLE}/{folder}/timestamp.txt"] = java_instant(last.at).encode()
        entries[attachments] = b""
        for path, content in last.files.items():
            entries[attachments + plain(base(path))] = content
        late = "Late" if download.late(last) else "On time"
        who = (person.login, person.login, person.last, person.first)
        rows.append((*who, "", java_instant(last.at), late))
    # opencsv quotes every cell.
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    entries[f"{TITLE}/grades.csv"] = ("\n".join(lines) + "\n").encode()
    submissions = download.zip("bulk_download.zip", JAVA, entries)
    return download.export(submissions, names, download.logins())


def plain(name: str) -> str:
    """Return escapeInvalidCharsEntry of a name: no accents, no `?`; other letters stay."""
    return re.sub("[\u0300-\u036f]+|\\?", "", unicodedata.normalize("NFD", name))


def folder_name(person: Person) -> str:
    # Someone with one name only gets the comma, too.
    name = person.sortable if "," in person.sortable else person.sortable + ","
    # The internal id stands for an account with accents.
    account = person.login if plain(person.login) == person.login else person.number
    return plain(f"{name}({account})").strip()


def java_instant(at: datetime) -> str:
    """Return Instant.toString(): no fraction, three digits, or six."""
    utc = at.astimezone(UTC)
    micro = utc.microsecond
    fraction = f".{micro:06d}".removesuffix("000") if micro else ""
    return f"{utc:%Y-%m-%dT%H:%M:%S}{fraction}Z"
