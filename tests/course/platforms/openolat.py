"""OpenOLAT: the archive of a task.

From OpenOLAT GTACourseNode.java (archiveNodeData), StringHelper.java and FileUtils.java
(normalizeFilename).
"""

import re
import unicodedata

from tests.course.platforms.download import Download, base
from tests.course.platforms.people import Export, Person
from tests.course.platforms.zips import JAVA

MODES = ("", "teams")
_LETTERS = str.maketrans(
    {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "o"}
    | {"\u2205": "o", "æ": "ae"}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "_")
)


def file_system_name(name: str) -> str:
    """Return transformDisplayNameToFileSystemName: ASCII letters, digits and `_`."""
    separated = re.sub(r"[?\\/ ]", "_", name).translate(_LETTERS)
    decomposed = re.sub("[\u0300-\u036f]+", "", unicodedata.normalize("NFKD", separated))
    return re.sub(r"\W+", "", decomposed, flags=re.ASCII) or "_"


def openolat(download: Download) -> Export:
    """Write the zip: the first attempt is the submission, the others revisions; modes: MODES."""
    now = download.local(download.downloaded)
    root = f"ita_Perudo_bot_{now:%Y-%m-%dT%H-%M-%S}_000"
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for folder, people in _owners(download):
        attempts = [hand_in for person in people for hand_in in download.attempts(person)]
        attempts.sort(key=lambda hand_in: hand_in.at)
        for place, hand_in in enumerate(attempts):
            inner = f"{root}/{folder}/{_step(place)}"
            entries |= {f"{inner}/{base(path)}": data for path, data in hand_in.files.items()}
            if place == 0 and download.late(hand_in):
                entries[f"{inner}/Late_submission.txt"] = b"Late"
            names |= dict.fromkeys((person.id for person in people), folder)
    submissions = download.zip(f"{root}.zip", JAVA, entries)
    return download.export(submissions, names, download.logins())


def _step(place: int) -> str:
    """Return the folder of an attempt; the corrections between two have a number, too."""
    return f"{2 * place + 1}_revisions_{place}" if place else "1_submissions"


def _owners(download: Download) -> list[tuple[str, list[Person]]]:
    if download.mode != "teams":
        return [(folder_name(person), [person]) for person in download.people]
    teams = [(team, members) for team, members in download.teams().items() if team]
    return [
        (f"{file_system_name(team)}_{key}", members)
        for key, (team, members) in enumerate(teams, start=65536)
    ]


def folder_name(person: Person) -> str:
    return file_system_name(f"{person.last}_{person.first}_{person.login}")
