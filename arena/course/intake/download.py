"""The download of a platform: a folder or archive of hand-ins, and the form of their names.

The sources of the platforms say how: Moodle's mod/assign/classes/downloader.php, Canvas'
lib/content_zipper.rb, ILIAS' SubmissionManager.php, Sakai's AssignmentServiceImpl.java, OpenOLAT's
GTACourseNode.java. The forms of Blackboard and Brightspace are those of downloads.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from arena.bots.archives.unpack import is_archive, unpack_all
from arena.bots.folder import is_ignored
from arena.course.table import composed
from arena.io.errors import ArenaError

_MAX_ENTRIES, _MAX_BYTES = 200_000, 4 << 30
"""The most entries and bytes of an archive with all hand-ins."""


class Export(Struct, frozen=True):
    """Where the hand-ins of a class lie."""

    folder: Path
    refused: Mapping[str, ArenaError] = {}
    """Entries of an archive that were not unpacked, by their paths."""
    times: Mapping[str, datetime] | None = None
    """When entries of a zip file were written by their own account, by their paths; None for a
    folder, whose files have times of their own."""


def open_export(source: Path, work: Path, zone: tzinfo, *, timed: bool) -> Export:
    """Return the hand-ins of a folder or an archive, which is unpacked into the new folder `work`.

    An entry that may not be unpacked is left out. If `timed`, the times of entries are read, on the
    clock of `zone`. Raises ArenaError for what is neither a folder nor an archive.
    """
    if source.is_dir():
        return Export(source)
    if not is_archive(source):
        what = "neither a folder nor an archive" if source.exists() else "no such folder or archive"
        raise ArenaError(what, str(source), "correct `submissions` in course.yaml")
    work.mkdir(mode=0o700)
    refused = unpack_all(source, work, _MAX_ENTRIES, _MAX_BYTES)
    return Export(work, refused, _times(source, zone) if timed else {})


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted, without what systems leave there."""
    names = (path for path in folder.iterdir() if not is_ignored(path.name))
    return sorted(path for path in names if not path.name.startswith("."))


def outwards(path: str) -> Iterator[str]:
    """Yield a path, and those of the folders around it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


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


STAMP = r"[0-9]{4}(?:-[0-9]{2}){5}"
# The student chooses the end of each, and perhaps the display name.
MOODLE = re.compile(
    r"(?P<name>[^_]*)_(?P<number>[0-9]+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL
)
"""Moodle has no _ in names."""
MOODLE_GROUPLESS = re.compile(r"[^_]*_assignsubmission_[a-z]+(?:_.*)?", re.DOTALL)
"""The folder of all students without a group, where groups hand in together."""
BLACKBOARD = re.compile(
    rf"(?P<begin>.+?)_attempt_(?P<time>{STAMP})(?:[_.](?P<file>.*))?", re.DOTALL
)
"""ASSIGNMENT_LOGIN_attempt_TIME_FILE"""
CANVAS = re.compile(r"(?!anon_)(?P<name>.+?)(?:_LATE)?_[0-9]+_[0-9]+_.+", re.DOTALL)
"""NAME_USER_FILE'S NUMBER_FILE"""
CANVAS_USER = re.compile(r"(?<=.)(?=_([0-9]+)_[0-9]+_.)", re.DOTALL)
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
"""A folder with those of the members."""
SAKAI = re.compile(r"(?P<name>[^,()]*,[^()]*)\((?P<user>[^()]+)\)")
"""LAST, FIRST(EID)"""
_TEXT = re.compile(
    r"[^_]*_[0-9]+_assignsubmission_onlinetext(?:_.*)?"
    rf"|.+_attempt_{STAMP}\.txt"
    r"|.+_[0-9]+_(?:text|link)\.html",
    re.DOTALL,
)
"""A text that a platform writes beside the files, or instead of one."""
METADATA = "submission_metadata.yml"
FILE_LIST = "archive_filelist.csv"
OWN_FILES = frozenset({METADATA, FILE_LIST, "index.html", "grades.csv", "grades.xls"})
"""What platforms write beside the hand-ins of all."""
OPENOLAT = re.compile(r"(?P<number>[0-9]+)_(?:submissions|revisions_[0-9]+)")
"""The folder of an attempt, in that of a student."""
_ILIAS_LATE = ("Late Submission - ", "Verspaetete Abgabe - ")
"""How ILIAS has the names of late files begin, in English and German."""
LATE_TEXT, EXTENDED_TEXT = "Late_submission.txt", "Extended_submission.txt"
"""What OpenOLAT writes into the folder of an attempt."""
TIMESTAMP = "timestamp.txt"
"""What Sakai writes into the folder of a student."""
OWN_TEXTS = frozenset({LATE_TEXT, EXTENDED_TEXT, TIMESTAMP})
"""What platforms write beside the files of one student."""
_NUMBERED = re.compile(
    r"(?P<base>.*?) ?(?:\((?P<number>[0-9]{1,9})\)|\[(?P<also>[0-9]{1,9})\])", re.DOTALL
)
_SUFFIXED = re.compile(r"(?P<stem>.+)(?:-[0-9]+|\[[0-9]+\])(?P<end>\.[A-Za-z0-9]+)")


class Part(Struct, frozen=True):
    """What a name says of the submission that a file belongs to."""

    file: str = ""
    """As the student called it; "" for a folder."""
    attempt: str = ""
    """The same for all files of one attempt of a student."""
    time: str = ""
    """As the platform writes it, on a clock that it does not name."""
    late: bool | None = None
    """Whether the platform calls it late; None if names do not say so."""


def is_text(name: str) -> bool:
    """Return whether a platform wrote this beside the files that were handed in."""
    return _TEXT.fullmatch(name) is not None


def part_of(platform: str, name: str, account: str) -> Part:
    """Return what a name of a platform says of its submission; `account` is its owner's there."""
    if platform == "moodle" and (match := MOODLE.fullmatch(name)):
        return Part(match["file"] or "", match["number"])
    if platform == "blackboard" and (match := BLACKBOARD.fullmatch(name)):
        return Part(match["file"] or "", match["time"], match["time"])
    if platform == "canvas":
        return _canvas(name, account)
    if platform == "brightspace" and (match := BRIGHTSPACE.fullmatch(name)):
        clock = f"{match['hour']}:{match['minute']} {match['half'] or ''}"
        return Part(attempt=name, time=f"{match['date']} {clock}".strip())
    return Part(attempt=name)


def _canvas(name: str, account: str) -> Part:
    if match := CANVAS_ANONYMOUS.fullmatch(name):
        return Part(match["file"], match["user"], late=match["late"] is not None)
    form = re.compile(rf".+?(?P<late>_LATE)?_{re.escape(account)}_[0-9]+_(?P<file>.+)", re.DOTALL)
    match = form.fullmatch(name)
    if match is None:
        return Part(attempt=name)
    return Part(match["file"], account, late=match["late"] is not None)


def number_of(stem: str) -> tuple[str, int]:
    """Return a name without the number of a second one of that name, and the number."""
    match = _NUMBERED.fullmatch(stem)
    return (match["base"], int(match["number"] or match["also"])) if match else (stem, 0)


def unsuffixed(name: str) -> str:
    """Return a name without the number of a second upload of it: `bot.py` for `bot-1.py`.

    So Canvas writes it, and Stud.IP `bot[1].py`.
    """
    match = _SUFFIXED.fullmatch(name)
    return f"{match['stem']}{match['end']}" if match else name


def is_openolat(inside: Collection[str]) -> bool:
    """Return whether the folder of a student has the subfolders that OpenOLAT makes."""
    return any(OPENOLAT.fullmatch(name) for name in inside)


def is_late_in_ilias(path: Path) -> bool:
    """Return whether ILIAS calls a file late, or one in a folder; it never says that one is not."""
    inner = path.iterdir() if is_folder(path) else ()
    return any(one.name.startswith(_ILIAS_LATE) for one in (path, *inner))
