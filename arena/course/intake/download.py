"""The download of a platform: a folder or archive of hand-ins, and the form of their names.

The sources of the platforms say how: Moodle's mod/assign/classes/downloader.php, Canvas'
lib/content_zipper.rb, ILIAS' SubmissionManager.php, Sakai's AssignmentServiceImpl.java, OpenOLAT's
GTACourseNode.java. The forms of Blackboard and Brightspace are those of downloads.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from arena.bots.archives.unpack import is_archive, unpack_all
from arena.bots.folder import is_ignored
from arena.course.table import composed
from arena.io.errors import ArenaError

_MAX_ENTRIES = 200_000
_MAX_BYTES = 4 << 30
"""The most of an archive with all hand-ins."""
STAMP = r"[0-9]{4}(?:-[0-9]{2}){5}"
# Students choose the end of a name, and on some platforms the display name.
MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<number>[0-9]+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL
)
"""NAME_NUMBER_assignsubmission_KIND_FILE; Moodle's names of people have no _."""
MOODLE_GROUPLESS = re.compile(r"[^_]*_assignsubmission_[a-z]+(?:_.*)?", re.DOTALL)
"""The folder of all students without a group, if groups hand in together."""
BLACKBOARD = re.compile(
    rf"(?P<begin>.+?)_attempt_(?P<time>{STAMP})(?:[_.](?P<file>.*))?", re.DOTALL
)
"""ASSIGNMENT_LOGIN_attempt_TIME_FILE"""
CANVAS = re.compile(r"(?!anon_)(?P<name>.+?)(?:_LATE)?_[0-9]+_[0-9]+_.+", re.DOTALL)
"""NAME_USER_NUMBER OF FILE_FILE"""
CANVAS_USER = re.compile(r"(?<=.)(?=_([0-9]+)_[0-9]+_.)", re.DOTALL)
"""Every number in a name that may be that of the user."""
CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<user>[A-Za-z0-9]+)_[0-9]+_(?P<file>.+)", re.DOTALL
)
GRADESCOPE = re.compile(r"submission_[0-9]+.*", re.DOTALL)
BRIGHTSPACE = re.compile(
    r"[0-9]+-[0-9]+ - (?P<name>.+) - "
    r"(?P<date>.*?[0-9]{4}),? (?P<hour>[0-9]{1,2})[.:]?(?P<minute>[0-9]{2}) ?(?P<half>[AaPp][Mm])?"
)
"""NUMBERS - NAME - Oct 10, 2025 1022 AM"""
ILIAS = re.compile(r"(?P<name>.+)_(?P<user>[0-9]+)")
"""LAST_FIRST_LOGIN_ID"""
ILIAS_TEAM = re.compile(r"Team [0-9]+")
"""A folder with the folders of a team's members."""
SAKAI = re.compile(r"(?P<name>[^,()]*,[^()]*)\((?P<user>[^()]+)\)")
"""LAST, FIRST(EID)"""
_TEXT = re.compile(
    r"[^_]*_[0-9]+_assignsubmission_onlinetext(?:_.*)?"
    rf"|.+_attempt_{STAMP}\.txt"
    r"|.+_[0-9]+_(?:text|link)\.html",
    re.DOTALL,
)
"""A text that a platform writes beside a file, or instead of one."""
METADATA = "submission_metadata.yml"
FILE_LIST = "archive_filelist.csv"
OWN_FILES = frozenset({METADATA, FILE_LIST, "index.html", "grades.csv", "grades.xls"})
"""Files that platforms write beside the hand-ins of all."""
OPENOLAT = re.compile(r"(?P<number>[0-9]+)_(?:submissions|revisions_[0-9]+)")
"""The folder of an attempt, in the folder of a student."""
_ILIAS_LATE = ("Late Submission - ", "Verspaetete Abgabe - ")
"""The beginnings of late files' names in ILIAS, in English and German."""
LATE_TEXT = "Late_submission.txt"
EXTENDED_TEXT = "Extended_submission.txt"
"""Files that OpenOLAT writes into the folder of an attempt."""
TIMESTAMP = "timestamp.txt"
"""The file that Sakai writes into the folder of a student."""
OWN_TEXTS = frozenset({LATE_TEXT, EXTENDED_TEXT, TIMESTAMP})
"""Files that platforms write beside the files of one student."""
_NUMBERED = re.compile(
    r"(?P<base>.*?) ?(?:\((?P<number>[0-9]{1,9})\)|\[(?P<also>[0-9]{1,9})\])", re.DOTALL
)
_SUFFIXED = re.compile(r"(?P<stem>.+)(?:-[0-9]+|\[[0-9]+\])(?P<end>\.[A-Za-z0-9]+)")


class Download(Struct, frozen=True):
    """The hand-ins of a class, in a folder."""

    folder: Path
    refused: Mapping[str, ArenaError] = {}
    """Why entries of an archive were not unpacked, by their paths."""
    times: Mapping[str, datetime] | None = None
    """The times that a zip file gives its entries, by their paths; None for a folder."""


def open_download(source: Path, work: Path, zone: tzinfo, *, timed: bool) -> Download:
    """Return the hand-ins in a folder, or in an archive, which is unpacked into the folder `work`.

    Entries that must not be unpacked are left out. If `timed`, the times of entries are read, on
    the clock of `zone`. Raises ArenaError if `source` is neither a folder nor an archive.
    """
    if source.is_dir():
        return Download(source)
    if not is_archive(source):
        what = "neither a folder nor an archive" if source.exists() else "no such folder or archive"
        raise ArenaError(what, str(source), "correct `submissions` in course.yaml")
    work.mkdir(mode=0o700)
    refused = unpack_all(source, work, _MAX_ENTRIES, _MAX_BYTES)
    return Download(work, refused, _times(source, zone) if timed else {})


def _times(path: Path, zone: tzinfo) -> dict[str, datetime]:
    times: dict[str, datetime] = {}
    if not path.name.lower().endswith(".zip"):
        return times
    try:
        with ZipFile(path) as archive:
            for info in archive.infolist():
                try:
                    moment = datetime(*info.date_time, tzinfo=zone).astimezone(UTC)
                except ValueError:  # no date was set
                    continue
                for name in outwards(composed(info.filename).rstrip("/")):
                    times[name] = max(moment, times.get(name, moment))
    except (BadZipFile, OSError) as error:
        raise ArenaError(f"the archive is damaged: {error}", str(path)) from None
    return times


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; a link to one is not."""
    return path.is_dir() and not path.is_symlink()


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted, without hidden files and files of systems."""
    names = (path for path in folder.iterdir() if not is_ignored(path.name))
    return sorted(path for path in names if not path.name.startswith("."))


def outwards(path: str) -> Iterator[str]:
    """Yield a path, and the paths of the folders around it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


class Part(Struct, frozen=True):
    """What the name of a file says of the submission that it belongs to."""

    file: str = ""
    """The student's name for the file; "" for a folder."""
    attempt: str = ""
    """A key that all files of one attempt of a student have in common."""
    time: str = ""
    """The time as the platform writes it, without a time zone; "" for none."""
    late: bool | None = None
    """Whether the platform calls it late; None if its names do not say that."""


def is_text(name: str) -> bool:
    """Return whether a file is a text of the platform, not of a student."""
    return _TEXT.fullmatch(name) is not None


def part_of(platform: str, name: str, account: str) -> Part:
    """Return what a name says of its submission; `account` is its owner's on the platform."""
    if platform == "moodle" and (match := MOODLE.fullmatch(name)):
        return Part(match["file"] or "", match["number"])
    if platform == "blackboard" and (match := BLACKBOARD.fullmatch(name)):
        return Part(match["file"] or "", match["time"], match["time"])
    if platform == "canvas" and (match := CANVAS_ANONYMOUS.fullmatch(name)):
        return Part(match["file"], match["user"], late=match["late"] is not None)
    if platform == "canvas":
        user = rf"_{re.escape(account)}_[0-9]+_"
        form = re.compile(rf".+?(?P<late>_LATE)?{user}(?P<file>.+)", re.DOTALL)
        if match := form.fullmatch(name):
            return Part(match["file"], account, late=match["late"] is not None)
    if platform == "brightspace" and (match := BRIGHTSPACE.fullmatch(name)):
        clock = f"{match['hour']}:{match['minute']} {match['half'] or ''}"
        return Part(attempt=name, time=f"{match['date']} {clock}".strip())
    return Part(attempt=name)


class Numbered(NamedTuple):
    """A name, and the number that tells it from other files of this name."""

    base: str
    number: int
    """0 if there is none."""


def numbered(stem: str) -> Numbered:
    """Return a name such as `bot (2)` or `bot[2]` in its two parts."""
    match = _NUMBERED.fullmatch(stem)
    if match is None:
        return Numbered(stem, 0)
    return Numbered(match["base"], int(match["number"] or match["also"]))


def unsuffixed(name: str) -> str:
    """Return the name of a file that was uploaded again under that name.

    Canvas calls it `bot-1.py`, Stud.IP `bot[1].py`: both are `bot.py`.
    """
    match = _SUFFIXED.fullmatch(name)
    return f"{match['stem']}{match['end']}" if match else name


def is_openolat(inside: Collection[str]) -> bool:
    """Return whether a folder with these names in it is one of OpenOLAT's."""
    return any(OPENOLAT.fullmatch(name) for name in inside)


def is_late_in_ilias(path: Path) -> bool:
    """Return whether ILIAS calls a file late, or a file in a folder."""
    inner = path.iterdir() if is_folder(path) else ()
    return any(one.name.startswith(_ILIAS_LATE) for one in (path, *inner))
