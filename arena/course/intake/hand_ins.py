"""Hand-ins: whose they are, and when they were received."""

import csv
import io
import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from arena.bots.archives.unpack import UnpackedArchive, is_archive, unpack
from arena.bots.folder import is_ignored
from arena.bots.manifest import MANIFEST
from arena.course.config import Course, LadderEntry
from arena.course.deadlines import parse_moment
from arena.course.intake.choice import HandIn
from arena.course.intake.from_ladder import hand_ins_from_ladder
from arena.course.intake.owner import is_text, owners
from arena.course.intake.submitters import METADATA, export_folder, read_submitters
from arena.io.errors import ArenaError
from arena.io.files import read_limited, reason

_MAX_ENTRIES, _MAX_BYTES = 200_000, 4 << 30
"""Of a zip file with all hand-ins."""
_MAX_LIST = 4 << 20
"""Bytes of the list of times."""


@contextmanager
def hand_ins_of(course: Course) -> Iterator[tuple[list[HandIn], list[str]]]:
    """Yield all hand-ins, and the names of files that belong to nobody on the roster.

    They lie in a folder or an archive, each named after its student or as a platform names them
    (`owner`); or a ladder received them. Raises ArenaError if they cannot be read, or a name fits
    several.
    """
    source = course.submissions
    if isinstance(course.file.submissions, LadderEntry):
        yield hand_ins_from_ladder(source, course.students)
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


def _found(
    course: Course, folder: Path, times: Mapping[str, datetime]
) -> tuple[list[HandIn], list[str]]:
    listed = {**times, **_listed_times(course)}
    export = export_folder(folder)
    paths = {path.name: path for path in sorted(export.iterdir()) if _is_hand_in(path.name)}
    owned = owners([*paths], course.students, read_submitters(export), course.submissions)
    hand_ins = []
    for name, owner in owned.items():
        if owner is None:
            continue
        for path in _each(paths[name]):
            inner = path.relative_to(folder).as_posix()
            received = listed.get(_composed(inner)) or _written(path)
            hand_ins.append(HandIn(owner.id, inner, path, received))
    return hand_ins, [name for name, owner in owned.items() if owner is None]


def _is_hand_in(name: str) -> bool:
    ignored = is_ignored(name) or name.startswith(".") or name == METADATA
    return not (ignored or is_text(name))


def _composed(name: str) -> str:
    """Return the same text for the names that a Mac and others give a file."""
    return unicodedata.normalize("NFC", name)


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
                for name in _prefixes(_composed(info.filename).rstrip("/")):
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
        times[_composed(row["file"].strip())] = parse_moment(
            row["received"].strip(), where
        ).astimezone(UTC)
    return times
