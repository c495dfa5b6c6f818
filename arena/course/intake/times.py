"""When hand-ins were received, by the first record that says it.

The teacher's list comes first, then the records of the platform. Students can set the times of
files, of entries of archives and of commits: these count only if course.yaml says so.
"""

import os
import re
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from msgspec import Struct

from arena.course.intake import download
from arena.course.intake.download import Part, is_folder
from arena.course.intake.records import Listed, Record, Records
from arena.course.moments import Due, read_moment, stamp
from arena.course.roster import Student
from arena.io.errors import ArenaError
from arena.io.files import read_limited, reason

_SECONDS = 60
_REF = re.compile(r"ref: (refs/[\w./-]+)")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_COMMITTER = re.compile(r"^committer .* ([0-9]{1,12}) [+-][0-9]{4}$", re.MULTILINE)
_MAX_PACKED = 16 << 20
"""Bytes of a repository's list of references."""
_MAX_TEXT = 1 << 20
"""The most bytes of a text that a platform writes."""
_SUBMITTED = re.compile(r"^Date Submitted:[ \t]*(\S[^\r\n]*?)\s*$", re.MULTILINE)
_LOGIN = re.compile(r"^Name: [^\r\n]*\(([^()\r\n]+)\)\s*$", re.MULTILINE)
_SAME = timedelta(minutes=1)
"""Times that differ by less are the same: many records have no seconds."""
_OFFSET = timedelta(minutes=15)
"""Time zones differ by multiples of this."""
_MOST_OFFSET = timedelta(hours=27)
"""Time zones differ by less than this."""
_LISTS = {"gradescope": "Gradescope's metadata", "studip": "Stud.IP's list"}
"""What the list in a download is called, by the platform."""


class Receipt(Struct, frozen=True):
    """When a hand-in was received; it is not late unless a record says so."""

    moment: datetime | None = None
    """The moment in UTC; None if no record has it."""
    late: bool | None = None
    """Whether the platform calls it late; None if it does not say."""
    source: str = ""
    """The record that says so, in words."""

    @property
    def is_known(self) -> bool:
        """Whether it is known how late it is: some platforms only say that it is late."""
        return self.moment is not None or self.late is False

    def days_late(self, due: Due) -> int:
        """Return how many days late it is, each one that has begun; at least 1 if it is late."""
        if self.moment is not None:
            return due.days_late(self.moment)
        return 1 if self.late else 0

    def late_by(self, due: Due) -> timedelta | None:
        """Return how long after the deadline it was received; None if unknown or on time."""
        if self.moment is None or self.moment <= due.deadline:
            return None
        return self.moment - due.deadline

    def said(self, due: Due) -> str:
        """Return in words when it was received, on the clock of the deadline."""
        if self.moment is not None:
            return stamp(self.moment.astimezone(due.deadline.tzinfo))
        return {True: "late", False: "on time", None: "at an unknown time"}[self.late]


UNKNOWN = Receipt()


class Place(Struct, frozen=True):
    """Where a hand-in lies, and what its name says."""

    name: str
    """The name of its entry in the download."""
    paths: Sequence[str]
    """The paths by which a list may name it, the longest first."""
    path: Path
    platform: str
    part: Part
    owner: Student


class Told(Struct, frozen=True):
    """What the records say of one hand-in."""

    receipt: Receipt
    disagreement: str = ""
    """How two records disagree, in words; "" if they do not."""
    records: tuple[Record, ...] = ()
    """The lines of lists that are about it."""


class Times:
    """All records of times of a course."""

    def __init__(
        self,
        records: Records,
        listed: Listed,
        zone: ZoneInfo,
        allowed: str | None,
        zipped: Mapping[str, datetime] | None,
    ) -> None:
        """Take the records; `allowed` is `times` of course.yaml, `zipped` is `Download.times`."""
        self._records = records
        self._listed = listed
        self._zone = zone
        self._allowed = allowed
        self._zipped = zipped

    def told(self, place: Place) -> Told:
        """Return when a hand-in was received; raises ArenaError for a time that cannot be read."""
        records = self._lines(place)
        receipts = [
            (Receipt(record.moment, record.late, record.source), record.reason)
            for record in records
        ]
        receipts += [(receipt, "") for receipt in self._in_download(place)]
        said = [(one, why) for one, why in receipts if one.moment or one.late is not None]
        disagreements = (
            f"{_said(one, self._zone)}, {_said(other, self._zone)}"
            for (one, why), (other, _) in combinations(said, 2)
            if not why and _differ(one, other)
        )
        known = [one for one, _ in said if one.moment] or [one for one, _ in said]
        found = known[0] if known else self._by_files(place)
        return Told(found, next(disagreements, ""), tuple(records))

    def _lines(self, place: Place) -> list[Record]:
        """Return the lines of lists about a hand-in, the teacher's first."""
        found = [*self._records.of_file(place.paths)]
        match = download.MOODLE.fullmatch(place.name)
        if match and place.platform == "moodle":
            found += self._records.of_moodle(match["name"], match["number"])
        by_student = self._records.of_student(place.owner)
        found += [
            one
            for one in by_student
            if one.is_own or not any(f.source == one.source for f in found)
        ]
        return sorted(found, key=lambda record: not record.is_own)

    def _in_download(self, place: Place) -> Iterator[Receipt]:
        """Yield what the platform wrote beside the hand-in, or into its name."""
        part = place.part
        if text := self._listed.times.get(place.name):
            yield Receipt(self._read(text, self._listed.where), source=_LISTS[place.platform])
        if place.platform == "blackboard":
            yield from self._blackboard(place)
        elif part.time:
            yield Receipt(self._read(part.time, place.name), source="the name of the folder")
        if part.late is not None:
            source = "LATE in Canvas' name" if part.late else "no LATE in Canvas' name"
            yield Receipt(late=part.late, source=source)
        if place.platform == "sakai" and (text := _text(place.path / download.TIMESTAMP)):
            yield Receipt(
                self._read(text.strip(), place.name), source=f"Sakai's {download.TIMESTAMP}"
            )
        if place.platform == "openolat":
            yield _openolat(place.path)
        if place.platform == "ilias" and download.is_late_in_ilias(place.path):
            yield Receipt(late=True, source="ILIAS' name of the file")

    def _blackboard(self, place: Place) -> Iterator[Receipt]:
        """Yield the times in the text of an attempt, which names the zone, and in its name."""
        date, clock = place.part.time[:10], place.part.time[11:].replace("-", ":")
        named = Receipt(self._read(f"{date} {clock}", place.name), source="Blackboard's name")
        match = _SUBMITTED.search(_text_of_attempt(place.path))
        if match is None:
            yield named
            return
        written = Receipt(self._read(match[1], place.name), source="Blackboard's text")
        yield written
        if not _on_another_clock(written, named):
            yield named

    def _by_files(self, place: Place) -> Receipt:
        if self._allowed == "commits":
            found = committed(place.path)
            return Receipt(found, source="the last commit") if found else UNKNOWN
        if self._allowed == "files":
            zipped = self._zipped or {}
            entry = next((zipped[path] for path in place.paths if path in zipped), None)
            found = _written(place.path) if self._zipped is None else entry
            return Receipt(found, source="the time of the file") if found else UNKNOWN
        return UNKNOWN

    def _read(self, text: str, where: str) -> datetime:
        return read_moment(text, self._zone, where)


def login_of(path: Path) -> str:
    """Return the login in the text that Blackboard wrote beside a file; "" without one."""
    match = _LOGIN.search(_text_of_attempt(path))
    return match[1] if match else ""


def _text_of_attempt(path: Path) -> str:
    match = download.BLACKBOARD.fullmatch(path.name)
    if match is None:
        return ""
    return _text(path.with_name(f"{match['begin']}_attempt_{match['time']}.txt"))


def _differ(one: Receipt, other: Receipt) -> bool:
    """Return whether two records cannot both be right."""
    if one.moment and other.moment and abs(one.moment - other.moment) >= _SAME:
        return True
    return one.late is not None and other.late is not None and one.late != other.late


def _said(receipt: Receipt, zone: ZoneInfo) -> str:
    late = {True: "late", False: "on time", None: ""}[receipt.late]
    at = stamp(receipt.moment.astimezone(zone))[:19] if receipt.moment else late
    return f"{at} by {receipt.source}"


def _on_another_clock(first: Receipt, second: Receipt) -> bool:
    """Return whether two times may be one, read from the clocks of two time zones."""
    if first.moment is None or second.moment is None:
        return False
    apart = abs(first.moment - second.moment)
    rest = apart % _OFFSET
    return apart < _MOST_OFFSET and min(rest, _OFFSET - rest) < _SAME


def _openolat(folder: Path) -> Receipt:
    found = {path.name for path in folder.glob("*.txt")}
    if download.LATE_TEXT in found:
        return Receipt(late=True, source=f"OpenOLAT's {download.LATE_TEXT}")
    if download.EXTENDED_TEXT in found:
        return Receipt(late=False, source=f"OpenOLAT's {download.EXTENDED_TEXT}")
    return Receipt(late=False, source=f"no {download.LATE_TEXT} of OpenOLAT")


def _text(path: Path) -> str:
    """Return a text that a platform wrote; "" if there is no such file."""
    if not path.is_file() or path.is_symlink():
        return ""
    return read_limited(path, _MAX_TEXT).decode("utf-8-sig", "replace")


def _written(path: Path) -> datetime:
    """Return when a file was last written, or the newest file in a folder."""
    inner = path.rglob("*") if is_folder(path) else ()
    try:
        infos = [file.lstat() for file in (path, *inner)]
        files = [info for info in infos if stat.S_ISREG(info.st_mode)] or infos[:1]
        return datetime.fromtimestamp(int(max(info.st_mtime for info in files)), UTC)
    except (OSError, ValueError, OverflowError) as error:
        raise ArenaError(f"cannot be read: {reason(error)}", str(path)) from None


def committed(folder: Path) -> datetime | None:
    """Return the time of the commit that is checked out in a repository; None without one.

    Only the objects of the repository are read, as its configuration may name programs to be run.
    Raises ArenaError if git is not installed.
    """
    place = folder / ".git"
    if place.is_symlink() or not (place / "objects").is_dir():
        return None
    head = _head(place)
    if not head:
        return None
    with TemporaryDirectory() as empty:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": empty,
            "GIT_DIR": empty,
            "GIT_OBJECT_DIRECTORY": str((place / "objects").absolute()),
        }
        try:
            for command in (["init", "-q", "--bare"], ["cat-file", "commit", head]):
                ran = subprocess.run(
                    ["git", *command],
                    env=environment,
                    cwd=empty,
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                )
        except FileNotFoundError:
            hint = "install git, or leave out `times: commits`"
            raise ArenaError("the times of commits need git", "course.yaml", hint) from None
        except subprocess.TimeoutExpired:
            return None
    found = _COMMITTER.search(ran.stdout.partition(b"\n\n")[0].decode("utf-8", "replace"))
    return datetime.fromtimestamp(int(found[1]), UTC) if ran.returncode == 0 and found else None


def _head(place: Path) -> str:
    """Return the hash of the commit that is checked out; "" without one."""
    text = _line(place / "HEAD")
    if ref := _REF.fullmatch(text):
        if ".." in ref[1]:
            return ""
        packed = (
            line.partition(" ")[0]
            for line in _lines(place / "packed-refs")
            if line.endswith(f" {ref[1]}")
        )
        text = _line(place / ref[1]) or next(packed, "")
    return text if _HASH.fullmatch(text) else ""


def _line(path: Path) -> str:
    return "".join(_lines(path)[:1]).strip()


def _lines(path: Path) -> list[str]:
    try:
        return read_limited(path, _MAX_PACKED).decode("utf-8", "replace").splitlines()
    except ArenaError:
        return []
