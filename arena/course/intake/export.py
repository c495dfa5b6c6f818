"""The folder or archive with the hand-ins of a class, as a platform gives it."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from arena.bots.archives.unpack import is_archive, unpack_all
from arena.bots.folder import is_ignored
from arena.course.terms.table import composed
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
