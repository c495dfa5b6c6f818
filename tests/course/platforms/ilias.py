"""ILIAS: all submissions of an assignment of an exercise.

From ILIAS components/ILIAS/Exercise/Submission/SubmissionManager.php (copySubmissionsToDir) and
ilFileUtils::getASCIIFilename.
"""

import re
from html.entities import codepoint2name

from tests.course.platforms.download import Download, base
from tests.course.platforms.people import Export, Person
from tests.course.platforms.zips import LIBZIP

MODES = ("", "teams", "german")
_UMLAUTS = {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


def ascii_name(name: str) -> str:
    """Return getASCIIFilename of a name: the first letter of an HTML entity, `_` for a byte."""

    def letter(char: str) -> str:
        if char in _UMLAUTS:
            return _UMLAUTS[char]
        entity = codepoint2name.get(ord(char)) if char not in "\"'" else None
        if entity:
            return entity[0]
        return char if ord(char) < 0x7F else "_" * len(char.encode())

    return re.sub(r"[:\\/*?\"<>|]", "_", "".join(map(letter, name)))


def ilias(download: Download) -> Export:
    """Write the zip: every file that was not deleted, so all attempts; modes: MODES."""
    late_words = "Verspätete Abgabe" if download.mode == "german" else "Late Submission"
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for person in download.people:
        names[person.id] = _folder(download, person)
        seen: dict[str, int] = {}
        for hand_in in download.attempts(person):
            late = f"{late_words} - " if download.late(hand_in) else ""
            for path, content in hand_in.files.items():
                title = ascii_name(late + _numbered(base(path), seen))
                entries[f"{names[person.id]}/{title}"] = content
    submissions = download.zip("Perudo_bot.zip", LIBZIP, entries)
    # Who uploaded nothing has no folder, but perhaps that of a team.
    folders = {path.rpartition("/")[0] for path in entries}
    tops = folders | {folder.partition("/")[0] for folder in folders}
    for person in download.people:
        if names[person.id] not in tops:
            names[person.id] = names[person.id].partition("/")[0]
    present = {owner: name for owner, name in names.items() if name in tops}
    return download.export(submissions, present, download.logins())


def _folder(download: Download, person: Person) -> str:
    """Return a person's folder, which is in that of the team; teams are numbered."""
    if download.mode != "teams" or not person.team:
        return folder_name(person)
    return f"Team {31 + list(download.teams()).index(person.team)}/{folder_name(person)}"


def folder_name(person: Person) -> str:
    parts = [person.last.strip(), person.first.strip(), person.login, person.number]
    return ascii_name("_".join(parts))


def _numbered(title: str, seen: dict[str, int]) -> str:
    """Return the title, with (2) before the extension the second time."""
    if title not in seen:
        seen[title] = 1
        return title
    seen[title] += 1
    stem, dot, extension = title.rpartition(".")
    # Without a dot PHP's substr cuts at 0.
    return f"{stem} ({seen[title]}){dot}{extension}"
