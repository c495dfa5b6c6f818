"""Reading a zip archive entry by entry, in bounded memory."""

import io
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo, is_zipfile

from arena.bots.archives.entry import CHUNK, ArchiveError, Entry, instead_of_link

_ENCRYPTED = 0x1
_MAX_READ = 4 * 1024 * 1024
"""zipfile reads the whole directory at once: 10,000 entries take 1 to 2 MB."""
_PLAIN_HINT = "archive it again: zip -r"


def read_zip(path: Path, max_entries: int) -> Iterator[Entry]:
    """Yield the entries of a zip archive; raises ArchiveError, and whatever zipfile raises."""
    # Names without the UTF-8 flag are read as UTF-8, too: most programs write it.
    with _Bounded(path) as file, ZipFile(file, metadata_encoding="utf-8") as zipped:
        entries = zipped.infolist()
        if len(entries) > max_entries:
            raise ArchiveError(f"the archive holds more than {max_entries:,} entries")
        for info in entries:
            _check(info)
            name = info.orig_filename
            executable = bool((info.external_attr >> 16) & stat.S_IXUSR)
            yield Entry(name, name.endswith("/"), executable, _content(zipped, info))


def is_zip(path: Path) -> bool:
    """Tell whether a file ends as a zip archive does, whatever it begins with."""
    with _Bounded(path) as file:
        return is_zipfile(file)


class _Bounded(io.FileIO):
    """A file that refuses large reads, whatever sizes the archive claims."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_READ:
            raise ArchiveError("the archive's list of contents is too long")
        return super().read(-1 if size is None else size)


def _check(info: ZipInfo) -> None:
    name = info.orig_filename
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise ArchiveError("a symbolic link", name, instead_of_link(PurePath(name)))
    if kind == stat.S_IFDIR and not name.endswith("/"):
        raise ArchiveError("a folder that is named like a file", name, _PLAIN_HINT)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise ArchiveError("what is neither a file nor a folder", name, "leave it out")
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveError("an encrypted file", name, "archive it without a password")
    if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise ArchiveError("a file with an unsupported compression method", name, _PLAIN_HINT)


def _content(zipped: ZipFile, info: ZipInfo) -> Iterator[bytes]:
    """Yield a file's bytes; zipfile itself checks their CRC at the end."""
    total = 0
    with zipped.open(info) as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield chunk
    if total != info.file_size:
        raise ArchiveError("a file that is not as long as it says", info.orig_filename, _PLAIN_HINT)
