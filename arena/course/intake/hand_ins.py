"""Hand-ins: whose they are, and when they were received."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from arena.bots.archives.unpack import ENDINGS, UnpackedArchive, is_archive, unpack
from arena.bots.folder import is_ignored
from arena.bots.manifest import MANIFEST
from arena.course.config import Course, LadderEntry
from arena.course.deadlines import parse_moment
from arena.course.intake.choice import HandIn
from arena.course.intake.from_ladder import hand_ins_from_ladder
from arena.course.roster import Student
from arena.io.errors import ArenaError
from arena.io.files import read_limited, reason

_MAX_ENTRIES, _MAX_BYTES = 200_000, 4 << 30
"""Of a zip file with all hand-ins."""
_MAX_LIST = 4 << 20
"""Bytes of the list of times."""


@contextmanager
def hand_ins_of(course: Course) -> Iterator[tuple[list[HandIn], list[str]]]:
    """Yield all hand-ins, and the names of files that belong to nobody on the roster.

    They lie in a folder or a zip file, each named after its student: `ID`, `ID_bot.zip`, or as
    Moodle and Canvas name them; or a ladder received them. Raises ArenaError if they cannot be
    read, or a name fits several.
    """
    source = course.submissions
    if isinstance(course.file.submissions, LadderEntry):
        yield hand_ins_from_ladder(source, course.students)
    elif source.is_dir():
        yield _found(course, source, {})
    elif is_archive(source):
        unpacked = UnpackedArchive()
        try:
            unpack(source, unpacked.path, _MAX_ENTRIES, _MAX_BYTES)
            yield _found(course, unpacked.path, _times_in_zip(source, course))
        finally:
            unpacked.remove()
    else:
        what = "neither a folder nor an archive" if source.exists() else "no such folder or archive"
        raise ArenaError(what, str(source), "correct `submissions` in course.yaml")


def content_hash(source: Path) -> str:
    """Return the SHA-256 over what was handed in, whatever it is."""
    total = sha256()
    paths = [source] if source.is_file() else sorted(source.rglob("*"))
    for path in paths:
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(source).as_posix().encode("utf-8", "surrogateescape")
            total.update(b"%b\0%b\n" % (name, sha256(path.read_bytes()).hexdigest().encode()))
    return total.hexdigest()


def bot_in(source: Path) -> Path:
    """Return the folder or archive of the bot: the only one inside, if it is wrapped in folders."""
    while source.is_dir() and not (source / MANIFEST).exists():
        inner = [one for one in source.iterdir() if not is_ignored(one.name)]
        if len(inner) != 1 or not (inner[0].is_dir() or is_archive(inner[0])):
            break
        source = inner[0]
    return source


def _found(
    course: Course, folder: Path, times: Mapping[str, datetime]
) -> tuple[list[HandIn], list[str]]:
    listed = {**times, **_listed_times(course)}
    hand_ins: list[HandIn] = []
    strangers: list[str] = []
    for path in sorted(folder.iterdir()):
        if is_ignored(path.name) or path.name.startswith("."):
            continue
        owner = _owner(path.name, course.students, course.submissions)
        if owner is None:
            strangers.append(path.name)
            continue
        for one in _each(path):
            name = one.relative_to(folder).as_posix()
            hand_ins.append(HandIn(owner.id, name, one, listed.get(name) or _written(one)))
    return hand_ins, strangers


def _each(path: Path) -> Iterator[Path]:
    """Yield the hand-ins of one student in a folder of an LMS: each archive in it is one."""
    inner = [path / one.name for one in path.iterdir()] if path.is_dir() else []
    archives = sorted(one for one in inner if is_archive(one))
    if archives and len(archives) == len([one for one in inner if not is_ignored(one.name)]):
        yield from archives
    else:
        yield path


def _owner(name: str, students: Sequence[Student], where: Path) -> Student | None:
    """Return the student after whom a file is named: by the id, else by the name."""
    stem = next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end)), name)
    stem = stem.casefold()
    parts = stem.split("_")
    by_id = [one for one in students if _begins(stem, one.id.casefold())]
    by_id = by_id or [one for one in students if one.id.casefold() in parts]
    fits = by_id or [one for one in students if one.name and one.name.casefold() == parts[0]]
    longest = max((len(one.id) for one in by_id), default=0)
    fits = [one for one in fits if not by_id or len(one.id) == longest]
    if len(fits) > 1:
        names = " and ".join(f"'{one.id}'" for one in fits)
        raise ArenaError(
            f"'{name}' may be from {names}", str(where), "rename it to begin with the id"
        )
    return fits[0] if fits else None


def _begins(stem: str, id_: str) -> bool:
    return stem == id_ or (stem.startswith(id_) and stem[len(id_)] in "_-. (")


def _written(path: Path) -> datetime:
    """Return when a file, or what is newest in a folder, was written."""
    paths = [path, *path.rglob("*")] if path.is_dir() else [path]
    files = [one for one in paths if one.is_file()] or [path]
    try:
        return datetime.fromtimestamp(int(max(one.stat().st_mtime for one in files)), UTC)
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
                for name in _prefixes(info.filename.rstrip("/")):
                    times[name] = max(moment, times.get(name, moment))
    except (BadZipFile, ValueError, OSError) as error:
        raise ArenaError(f"the archive is damaged: {error}", str(path)) from None
    return times


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split("/")
    yield from ("/".join(parts[:size]) for size in range(1, len(parts) + 1))


def _listed_times(course: Course) -> dict[str, datetime]:
    """Return the times in the teacher's list; raises ArenaError with the line that is wrong."""
    path = course.received
    if path is None:
        return {}
    try:
        text = read_limited(path, _MAX_LIST).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ArenaError(f"cannot be read: {error}", str(path)) from None
    times = {}
    for line, row in enumerate(rows, 2):
        where = f"{path}:{line}"
        if not (row.get("file") and row.get("received")):
            raise ArenaError("a line without a file or a time", where, "columns: file,received")
        times[row["file"].strip()] = parse_moment(row["received"].strip(), where).astimezone(UTC)
    return times
