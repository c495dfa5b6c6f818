"""Unpacking archives of bots: only plain files and folders, under limits, without other tools."""

import errno
import lzma
import os
import struct
import tarfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from zipfile import BadZipFile

from msgspec import Struct

from arena.bots.archives.entry import (
    LEAVE_OUT,
    MAX_PART,
    MAX_PATH,
    ArchiveError,
    Entry,
    TooLargeError,
    folded,
)
from arena.bots.archives.tar import is_tar, read_tar
from arena.bots.archives.zip import is_zip, read_zip
from arena.bots.sandboxes.run_folder import RunFolder
from arena.io.errors import ArenaError


class Kind(Struct, frozen=True):
    """A kind of archive."""

    words: str
    """What it is, as in "a zip archive"."""
    endings: tuple[str, ...] = ()
    """The endings of its name, the usual one first; () if it is not read."""


_TAR = Kind("a tar archive", (".tar",))
_BEGINNINGS = {
    b"PK": Kind("a zip archive", (".zip",)),
    b"\x1f\x8b": Kind("compressed by gzip", (".tar.gz", ".tgz")),
    b"BZh": Kind("compressed by bzip2", (".tar.bz2", ".tbz2")),
    b"\xfd7zXZ": Kind("compressed by xz", (".tar.xz", ".txz")),
    b"Rar!\x1a\x07": Kind("a RAR archive"),
    b"7z\xbc\xaf\x27\x1c": Kind("a 7z archive"),
}
"""The kinds by the first bytes of a file."""


def folder_name(source: Path) -> str:
    """Return the name of a bot's folder, or of an archive without its ending."""
    name = source.resolve().name
    endings = [end for end in ENDINGS if source.is_file() and name.lower().endswith(end)]
    return name[: -len(max(endings, key=len))] if endings else name


def kind_of(path: Path) -> Kind | None:
    """Return the kind of an archive, maybe damaged; None for another file. Raises OSError."""
    with path.open("rb") as file:
        beginning = file.read(tarfile.BLOCKSIZE)
    for magic, kind in _BEGINNINGS.items():
        if beginning.startswith(magic):
            return kind
    return _TAR if is_tar(beginning) else None


ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
"""The endings of archives that are accepted, in lower case."""
_OVERHEAD = 4 * MAX_PATH
"""Bytes of headers and padding per entry, at most."""
PACK = "send the bot's folder as a .zip or a .tar.gz"
_MAX_SHOWN = 120
"""Characters of an entry's name that an error shows."""
_DAMAGED = (
    *(BadZipFile, tarfile.HeaderError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, OverflowError, NotImplementedError, RuntimeError),
)
"""The standard library's errors for damaged archives."""


def is_archive(path: Path) -> bool:
    """Return whether a path is a file that `unpack` accepts, by its name."""
    return path.name.lower().endswith(ENDINGS) and path.is_file()


class UnpackedArchive:
    """A folder for the files of an archive, which is removed with this object or by `remove`."""

    def __init__(self) -> None:
        folder = RunFolder()
        self.path = folder.path
        self.remove = weakref.finalize(self, folder.remove)
        self.path.chmod(0o700)


def unpack(archive: Path, target: Path, max_entries: int, max_bytes: int) -> None:
    """Unpack an archive into an empty folder; raises ArenaError if anything in it may do harm.

    Bytes are counted as they are unpacked, whatever the archive says. Only the executable bit of
    the files' modes is kept.
    """
    unpacking = _Unpacking(target, max_entries, max_bytes)
    with _naming(archive), reading(archive, archive.name, max_entries, max_bytes) as entries:
        for entry in entries:
            unpacking.add(entry, entry.parts())


def unpack_all(
    archive: Path, target: Path, max_entries: int, max_bytes: int
) -> dict[str, ArchiveError]:
    """Unpack an archive of many people's files; skip entries that may do harm, and return them.

    They are returned by name. Names are read as `read_zip` reads them if `loose`. Raises ArenaError
    for an archive that is damaged or unpacks to too much.
    """
    # Names of two people may differ by case alone.
    unpacking = _Unpacking(target, max_entries, max_bytes, key=str)
    refused: dict[str, ArchiveError] = {}
    limits = max_entries, max_bytes
    with _naming(archive), reading(archive, archive.name, *limits, loose=True) as entries:
        for entry in entries:
            try:
                unpacking.add(entry, entry.loose_parts())
            except TooLargeError:
                raise
            except ArchiveError as error:
                if not error.where:
                    raise
                refused[entry.name.replace("\\", "/").rstrip("/")] = error
    return refused


@contextmanager
def _naming(archive: Path) -> Iterator[None]:
    """Have errors name the archive, and the entry in it."""
    try:
        yield
    except ArchiveError as error:
        what, where = error.what, str(archive)
        if error.where:
            what, where = f"the archive holds {what}", f"{archive}: {shown(error.where)}"
        raise ArenaError(what, where, error.hint) from None
    except OSError as error:
        what = f"cannot be unpacked: {error.strerror or _one_line(error)}"
        raise ArenaError(what, str(archive)) from None


@contextmanager
def reading(
    archive: Path, name: str, max_entries: int, max_bytes: int, *, loose: bool = False
) -> Iterator[Iterator[Entry]]:
    """Yield an archive's entries, to be read inside; the ending of `name` says which kind it is.

    `loose`: as in `read_zip`. Raises ArchiveError, and OSError if the machine is at fault.
    """
    try:
        yield _read(archive, name, max_entries, max_bytes, loose=loose)
    except UnicodeDecodeError:
        what = "the archive holds a name that is not UTF-8"
        raise ArchiveError(what, "", "rename the file") from None
    except OSError as error:
        # Decompressors raise it for damage, too, but without an error number; a false offset leads
        # to a place before the file.
        if error.errno not in {None, errno.EINVAL}:
            raise
        damage = error.strerror or _one_line(error)
        raise ArchiveError(f"the archive is damaged: {damage}") from None
    except _DAMAGED as error:
        raise ArchiveError(f"the archive is damaged: {_one_line(error)}") from None


def _read(
    archive: Path, name: str, max_entries: int, max_bytes: int, *, loose: bool
) -> Iterator[Entry]:
    kind = kind_of(archive)
    # A zip may begin with anything: its list of contents is at its end.
    if not (kind and kind.endings) and not is_zip(archive):
        raise ArchiveError("it is neither a zip nor a tar archive", "", PACK)
    max_size = max_bytes + max_entries * _OVERHEAD
    if archive.stat().st_size > max_size:
        raise TooLargeError("the archive is too large", "", LEAVE_OUT)
    if name.lower().endswith(".zip"):
        return read_zip(archive, max_entries, loose=loose)
    return read_tar(archive, name, max_entries, max_size)


def shown(name: str) -> str:
    """Return an entry's name as an error shows it: every character visible, and not too many."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _Unpacking:
    """Writes entries below a folder, and counts names, entries and bytes."""

    def __init__(
        self, target: Path, max_entries: int, max_bytes: int, key: Callable[[str], str] = folded
    ) -> None:
        self._target, self._key = target, key
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries = 0
        self._bytes = 0
        self._claimed: dict[str, tuple[str, bool]] = {}
        """By the key of a path: the path as written, and whether it is a folder."""
        self._folders: set[str] = set()
        """Folders that are claimed: to fold up to 32 names for each entry would take seconds."""

    def add(self, entry: Entry, parts: tuple[str, ...]) -> None:
        """Make a folder or write a file at this path; raises ArchiveError if it is not allowed."""
        if entry.refusal:
            raise entry.refusal
        self._entries += 1
        if self._entries > self._max_entries:
            raise TooLargeError(f"the archive holds more than {self._max_entries:,} entries")
        if any(len(os.fsencode(part)) > MAX_PART for part in parts):
            raise ArchiveError(f"a name of more than {MAX_PART} bytes", entry.name)
        *folders, path = list(accumulate(parts, "{}/{}".format)) or [""]
        if folders and folders[-1] not in self._folders:
            for folder in folders:
                self._claim(folder, is_folder=True, name=entry.name)
            self._folders.update(folders)
        if path:
            self._claim(path, is_folder=entry.is_folder, name=entry.name)
        if entry.is_folder:
            (self._target / path).mkdir(parents=True, exist_ok=True)
        else:
            self._write(self._target / path, entry)

    def _claim(self, path: str, *, is_folder: bool, name: str) -> None:
        """Claim a path; a folder may be named again, a file may not."""
        key = self._key(path)
        written, was_folder = self._claimed.get(key, ("", False))
        if not written:
            self._claimed[key] = (path, is_folder)
            if len(self._claimed) > self._max_entries:
                what = f"the archive holds more than {self._max_entries:,} files and folders"
                raise TooLargeError(what, "", LEAVE_OUT)
        elif written != path:
            what = f"a name that differs only by case or Unicode form from {written[:_MAX_SHOWN]}"
            raise ArchiveError(what, name, "rename one of them")
        elif is_folder != was_folder:
            raise ArchiveError("a file and a folder of one name", name)
        elif not is_folder:
            raise ArchiveError("the same file twice", name)

    def _write(self, path: Path, entry: Entry) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            for chunk in entry.content:
                self._bytes += len(chunk)
                if self._bytes > self._max_bytes:
                    mib = self._max_bytes // (1024 * 1024)
                    raise TooLargeError(f"more than {mib} MiB", entry.name, LEAVE_OUT)
                file.write(chunk)
        path.chmod(0o755 if entry.executable else 0o644)
