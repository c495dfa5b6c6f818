"""The platforms whose downloads are read: what they are called, and where they have the times."""

from collections.abc import Sequence

from msgspec import Struct

from arena.course.intake.names import MOODLE
from arena.course.intake.owner import BY_HAND


class Platform(Struct, frozen=True):
    """A platform, as teachers are told of it."""

    name: str
    times: str
    """Where to get the times of receipt, if they are not in the download."""


_LIST = "list the times in a CSV file with the columns file and received"
PLATFORMS = {
    "moodle": Platform(
        "Moodle",
        "download the grading worksheet of the assignment, and add `received: FILE.csv`",
    ),
    "canvas": Platform(
        "Canvas",
        "save the answer of Canvas' API to .../assignments/ID/submissions as a .json file, and add"
        " `received: FILE.json`",
    ),
    "blackboard": Platform("Blackboard", "put the text of each attempt beside its files"),
    "gradescope": Platform(
        "Gradescope",
        "export the submissions with submission_metadata.yml, or download the scores, and add"
        " `received: FILE.csv`",
    ),
    "github": Platform(
        "GitHub Classroom", "download the grades of the assignment, and add `received: FILE.csv`"
    ),
    "brightspace": Platform("Brightspace", f"{_LIST}, and add `received: FILE.csv`"),
    "ilias": Platform("ILIAS", f"ILIAS keeps none: {_LIST}, and add `received: FILE.csv`"),
    "sakai": Platform("Sakai", "download the submissions in folders, with their timestamp.txt"),
    "openolat": Platform("OpenOLAT", f"{_LIST}, and add `received: FILE.csv`"),
    "studip": Platform(
        "Stud.IP", "download the folder as an archive, with its archive_filelist.csv"
    ),
    BY_HAND: Platform("files by hand", f"{_LIST}, and add `received: FILE.csv`"),
}


def shape_of(platform: str, names: Sequence[str]) -> str:
    """Return in one word how a platform packed the hand-ins; "" if there is one way only."""
    if platform != "moodle":
        return ""
    matches = [match for name in names if (match := MOODLE.fullmatch(name.partition("/")[0]))]
    return "files" if any(match["file"] for match in matches) else "folders"
