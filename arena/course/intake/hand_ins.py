"""Hand-ins: whose they are, and when they were received."""

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from arena.bots.archives.unpack import UnpackedArchive, is_archive, unpack
from arena.bots.folder import is_ignored
from arena.bots.manifest import MANIFEST
from arena.course.config import Course
from arena.course.intake.choice import HandIn
from arena.course.intake.from_ladder import hand_ins_from_ladder
from arena.course.intake.owner import is_text, owners, sign
from arena.course.intake.submitters import METADATA, export_folder, read_submitters
from arena.course.keys import LadderEntry
from arena.course.terms.deadlines import parse_moment
from arena.course.terms.roster import Student
from arena.course.terms.table import composed, read_table
from arena.io.errors import ArenaError
from arena.io.files import reason

_MAX_ENTRIES, _MAX_BYTES = 200_000, 4 << 30
"""Of a zip file with all hand-ins."""


class Intake(Struct, frozen=True):
    """What was handed in."""

    hand_ins: list[HandIn]
    strangers: list[str]
    """Names of files, or of a ladder's authors, that belong to nobody on the roster."""
    unknown_lines: list[str] = []
    """Lines of the list of times whose file is not there."""
    unlisted: frozenset[str] = frozenset()
    """Names of hand-ins that the list of times lacks: they have the time of their files."""


@contextmanager
def hand_ins_of(course: Course) -> Iterator[Intake]:
    """Yield what was handed in, as long as it lies unpacked.

    Hand-ins lie in a folder or an archive, each named after its student or as a platform names them
    (`owner`); or a ladder received them. Raises ArenaError if they cannot be read, or a name fits
    several.
    """
    source = course.submissions
    if isinstance(course.file.submissions, LadderEntry):
        hand_ins, strangers = hand_ins_from_ladder(source, course.students)
        yield Intake(hand_ins, _not_ignored(strangers, course))
    elif source.is_dir():
        yield _found(course, source, {})
    elif is_archive(source):
        unpacked = UnpackedArchive()
        try:
            _unpack(source, unpacked.path)
            yield _found(course, unpacked.path, _times_in_zip(source, course))
        finally:
            unpacked.remove()
    else:
        what = "neither a folder nor an archive" if source.exists() else "no such folder or archive"
        raise ArenaError(what, str(source), "correct `submissions` in course.yaml")


def hand_ins_by_student(course: Course, hand_ins: Iterable[HandIn]) -> dict[Student, list[HandIn]]:
    """Return what counts as handed in by each student: by the whole team, if there is one."""
    units = {student.id: student.unit for student in course.students}
    by_unit = defaultdict[str, list[HandIn]](list)
    for hand_in in hand_ins:
        by_unit[units[hand_in.student]].append(hand_in)
    return {student: by_unit[student.unit] for student in course.students}


def _not_ignored(names: Iterable[str], course: Course) -> list[str]:
    ignored = {composed(name) for name in course.file.ignored}
    return [name for name in names if composed(name) not in ignored]


def _unpack(archive: Path, target: Path) -> None:
    try:
        unpack(archive, target, _MAX_ENTRIES, _MAX_BYTES)
    except ArenaError as error:
        hint = "unpack it yourself, and name the folder in `submissions`"
        raise ArenaError(error.what, error.where, hint) from None


def content_hash(source: Path) -> str:
    """Return the SHA-256 over what was handed in, whatever it is; of links, over their targets."""
    total = sha256()
    for path in _all(source):
        name = os.fsencode(path.relative_to(source).as_posix())
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            total.update(b"%b\0-> %b\n" % (name, os.fsencode(path.readlink())))
        elif stat.S_ISREG(mode):
            with path.open("rb") as file:
                content = file_digest(file, "sha256").hexdigest()
            total.update(b"%b\0%b\n" % (name, content.encode()))
    return total.hexdigest()


def bot_in(source: Path) -> Path:
    """Return the folder or archive of the bot: the only one inside, if it is wrapped in folders.

    It may be a link, which must be refused.
    """
    while _is_folder(source) and not (source / MANIFEST).exists():
        inner = [path for path in source.iterdir() if not is_ignored(path.name)]
        if len(inner) != 1 or not (inner[0].is_symlink() or _may_be_bot(inner[0])):
            break
        source = inner[0]
    return source


def _may_be_bot(path: Path) -> bool:
    return path.is_dir() or is_archive(path)


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def _all(source: Path) -> list[Path]:
    """Return a file or link, or everything in a folder, sorted, links as links."""
    return sorted(source.rglob("*")) if _is_folder(source) else [source]


def _found(course: Course, folder: Path, times: Mapping[str, datetime]) -> Intake:
    listed, export = _listed_times(course), export_folder(folder)
    paths = {path.name: path for path in sorted(export.iterdir()) if _is_hand_in(path.name)}
    submitters = read_submitters(export)
    names = _not_ignored(paths, course)
    owned = owners(names, course.students, submitters, course.submissions)
    hand_ins, unlisted, used = list[HandIn](), set[str](), set[str]()
    for name, owner in owned.items():
        if owner is None:
            continue
        for path in _each(paths[name]):
            inner = path.relative_to(folder).as_posix()
            line = next((one for one in _outwards(composed(inner)) if one in listed), None)
            if line is None:
                received = times.get(composed(inner)) or _written(path)
                unlisted.add(inner)
            else:
                received = listed[line].received
                used.add(line)
            hand_ins.append(HandIn(owner.id, inner, path, received, sign(name, owner, submitters)))
    there = {composed(path.relative_to(folder).as_posix()) for path in export.iterdir()}
    unknown = [line.words for name, line in listed.items() if name not in used | there]
    strangers = [name for name, owner in owned.items() if owner is None]
    return Intake(hand_ins, strangers, unknown, frozenset(unlisted if course.received else ()))


def _outwards(name: str) -> Iterator[str]:
    """Yield the path of a file, and those of the folders around it."""
    while name:
        yield name
        name = name.rpartition("/")[0]


def _is_hand_in(name: str) -> bool:
    ignored = is_ignored(name) or name.startswith(".") or name == METADATA
    return not (ignored or is_text(name))


def _each(path: Path) -> Iterator[Path]:
    """Yield the hand-ins of one student in a folder of an LMS: each archive in it is one."""
    inner = (
        [file for file in path.iterdir() if not is_ignored(file.name)] if _is_folder(path) else []
    )
    if inner and all(map(is_archive, inner)):
        yield from sorted(inner)
    else:
        yield path


def _written(path: Path) -> datetime:
    """Return when a file, or the newest one in a folder, was written."""
    try:
        infos = [file.lstat() for file in (path, *_all(path))]
        files = [info for info in infos if stat.S_ISREG(info.st_mode)] or infos[:1]
        return datetime.fromtimestamp(int(max(info.st_mtime for info in files)), UTC)
    except (OSError, ValueError, OverflowError) as error:
        raise ArenaError(f"cannot be read: {reason(error)}", str(path)) from None


def _times_in_zip(path: Path, course: Course) -> dict[str, datetime]:
    """Return when the entries of a zip file were written, on the clock of the deadline."""
    zone = next(iter(course.due.values())).deadline.tzinfo
    times: dict[str, datetime] = {}
    if not path.name.lower().endswith(".zip"):
        return times
    try:
        with ZipFile(path) as archive:
            for info in archive.infolist():
                moment = datetime(*info.date_time, tzinfo=zone).astimezone(UTC)
                for name in _outwards(composed(info.filename).rstrip("/")):
                    times[name] = max(moment, times.get(name, moment))
    except (BadZipFile, ValueError, OSError) as error:
        raise ArenaError(f"the archive is damaged: {error}", str(path)) from None
    return times


class _Listed(NamedTuple):
    """A line of the teacher's list."""

    received: datetime
    words: str


def _listed_times(course: Course) -> dict[str, _Listed]:
    """Return the lines of the teacher's list by the names of the files.

    Raises ArenaError with the line that is wrong.
    """
    if course.received is None:
        return {}
    path = course.folder / course.received.table
    columns = {"file": course.received.file, "received": course.received.received}
    listed: dict[str, _Listed] = {}
    for row in read_table(path, columns, [*columns]):
        name, time = row.cells["file"].rstrip("/"), row.cells["received"]
        if not (name and time):
            raise ArenaError("a line without a file or a time", row.where, "fill in both cells")
        if name in listed:
            raise ArenaError(f"'{name}' is there twice", row.where, "leave one of the lines out")
        moment = parse_moment(time, row.where).astimezone(UTC)
        listed[name] = _Listed(moment, f"'{name}' in {row.where}")
    return listed
