"""Reading a zip archive entry by entry, in bounded memory."""

import io
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo, is_zipfile

from arena.bots.archives.entry import CHUNK, ArchiveError, Entry, TooLargeError, instead_of_link

_ENCRYPTED, _UTF_8 = 0x1, 0x800
"""Flags of an entry."""
_RAW, _OLD_WINDOWS = "latin-1", "cp850"
"""The encoding that keeps every byte as it is, and that of old programs in Western Europe."""
_MIN_READ = 4 * 1024 * 1024
_READ_PER_ENTRY = 200
"""Most bytes that are read at once: so many, or more for many entries. zipfile reads the whole
directory at once: 10,000 entries take 1 to 2 MB."""
_PLAIN_HINT = "archive it again: zip -r"


def read_zip(path: Path, max_entries: int, *, loose: bool = False) -> Iterator[Entry]:
    r"""Yield the entries of a zip archive; raises ArchiveError, and whatever zipfile raises.

    Names without the UTF-8 flag are read as UTF-8, too: most programs write it. If `loose`, those
    that are not UTF-8 are read as old programs of Windows wrote them, in CP850 and with `\`.
    """
    encoding = _RAW if loose else "utf-8"
    max_read = max(_MIN_READ, _READ_PER_ENTRY * max_entries)
    with _Bounded(path, max_read) as file, ZipFile(file, metadata_encoding=encoding) as zipped:
        entries = zipped.infolist()
        if len(entries) > max_entries:
            raise TooLargeError(f"the archive holds more than {max_entries:,} entries")
        for info in entries:
            name = _decoded(info) if loose else info.orig_filename
            is_folder = name.endswith(("/", "\\") if loose else "/")
            _check(info, name, is_folder=is_folder)
            if refusal := _special(info, name):
                yield Entry(name, False, False, iter(()), refusal)
                continue
            executable = bool((info.external_attr >> 16) & stat.S_IXUSR)
            yield Entry(name, is_folder, executable, _content(zipped, info, name))


def is_zip(path: Path) -> bool:
    """Tell whether a file ends as a zip archive does, whatever it begins with."""
    with _Bounded(path, _MIN_READ) as file:
        return is_zipfile(file)


class _Bounded(io.FileIO):
    """A file that refuses large reads, whatever sizes the archive claims."""

    def __init__(self, path: Path, max_read: int) -> None:
        super().__init__(path)
        self._max_read = max_read

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self._max_read:
            raise TooLargeError("the archive's list of contents is too long")
        return super().read(-1 if size is None else size)


def _decoded(info: ZipInfo) -> str:
    """Return a name that was read as `_RAW`, unless the UTF-8 flag says what it is."""
    if info.flag_bits & _UTF_8:
        return info.orig_filename
    raw = info.orig_filename.encode(_RAW)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(_OLD_WINDOWS)


def _special(info: ZipInfo, name: str) -> ArchiveError | None:
    """Return why an entry is refused that is neither a file nor a folder."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return ArchiveError("a symbolic link", name, instead_of_link(PurePath(name)))
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return ArchiveError("what is neither a file nor a folder", name, "leave it out")
    return None


def _check(info: ZipInfo, name: str, *, is_folder: bool) -> None:
    if stat.S_ISDIR(info.external_attr >> 16) and not is_folder:
        raise ArchiveError("a folder that is named like a file", name, _PLAIN_HINT)
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveError("an encrypted file", name, "archive it without a password")
    if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise ArchiveError("a file with an unsupported compression method", name, _PLAIN_HINT)


def _content(zipped: ZipFile, info: ZipInfo, name: str) -> Iterator[bytes]:
    """Yield a file's bytes; zipfile itself checks their CRC at the end."""
    total = 0
    with zipped.open(info) as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield chunk
    if total != info.file_size:
        raise ArchiveError("a file that is not as long as it says", name, _PLAIN_HINT)
