"""Zip archives, header by header: what zipfile cannot write, or writes in its own way."""

import struct
import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal, NamedTuple

STORED, DEFLATED = 0, 8
ENCRYPTED, SIZES_FOLLOW, UTF8 = 0x1, 0x8, 0x800
FILE, LINK = 0o100644 << 16, 0o120777 << 16
"""External attributes of Unix."""
ZERO_DATE = 0


def dos(at: datetime) -> int:
    """Return a local time as zip archives hold it: two 16-bit numbers in one, even seconds."""
    day = (at.year - 1980) << 9 | at.month << 5 | at.day
    return day << 16 | at.hour << 11 | at.minute << 5 | at.second // 2


class Library(NamedTuple):
    """How a program or library writes its entries."""

    made_by: int
    """The high byte names the system: 0 DOS, 3 Unix, 6 OS/2."""
    needs: int = 20
    utf8: Literal["always", "if needed", "never"] = "if needed"
    """When names are flagged as UTF-8; they are UTF-8 without the flag, too."""
    attributes: int = 0
    streams: bool = False
    """Whether sizes follow the data."""
    zip64: bool = False
    """Whether sizes that follow have 64 bits."""

    def entry(self, name: str, data: bytes, at: int, attributes: int | None = None) -> "Entry":
        flagged = self.utf8 == "always" or (self.utf8 == "if needed" and not name.isascii())
        flags = UTF8 * flagged | SIZES_FOLLOW * self.streams
        shown = self.attributes if attributes is None else attributes
        return Entry(name.encode(), data, at, flags, shown, self.made_by, self.needs, self.zip64)


# ZipStream-PHP 3 (src/File.php, ZIP_VERSION_MADE_BY = 0x603): flags every name that is valid
# UTF-8, sends sizes after the data and 64-bit fields before and after it.
ZIPSTREAM = Library(0x603, 45, "always", 32, streams=True, zip64=True)
# ZipStream-PHP 2: flags names beyond ASCII only, and writes sizes first.
ZIPSTREAM_2 = Library(0x603, 20, "if needed", 32)
# rubyzip (lib/zip/entry.rb) with Zip.unicode_names: version 63, Unix, regular files of mode 644.
RUBYZIP = Library(0x33F, 20, "always", FILE)
# java.util.zip.ZipOutputStream: flags every name, sizes follow.
JAVA = Library(20, 20, "always", 0, streams=True)
# libzip below PHP's ZipArchive (_zip_dirent_write): a guessed encoding is never flagged.
LIBZIP = Library(0x33F, 20, "never", 0o100666 << 16)
DOTNET = Library(20, 20, "if needed", 0)


class Entry(NamedTuple):
    """One entry, as its headers hold it."""

    name: bytes
    data: bytes
    at: int = ZERO_DATE
    flags: int = 0
    attributes: int = FILE
    made_by: int = 0x314
    needs: int = 20
    zip64: bool = False
    method: int = DEFLATED
    packed: bytes | None = None
    """The compressed bytes, where they are not zlib's of `data`; `data` is not read then."""
    size: int | None = None
    crc: int | None = None


def zip_bytes(entries: Iterable[Entry]) -> bytes:
    """Return an archive of these entries, in their order."""
    body, central, count = bytearray(), bytearray(), 0
    for entry in entries:
        local, listed = _headers(entry, len(body))
        body += local
        central += listed
        count += 1
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(central), len(body), 0)
    return bytes(body + central + end)


def zipped(files: Mapping[str, bytes], library: Library, at: int) -> bytes:
    """Return an archive of files as a library writes it, every entry with the same time."""
    return zip_bytes(library.entry(name, data, at) for name, data in files.items())


def _headers(entry: Entry, offset: int) -> tuple[bytes, bytes]:
    """Return the local header with the data, and the entry of the central directory."""
    packed = _packed(entry)
    crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
    size = len(entry.data) if entry.size is None else entry.size
    known = (crc, len(packed), size)
    first, extra, last = known, b"", b""
    if entry.flags & SIZES_FOLLOW:
        first = (0, 0, 0)
        last = struct.pack("<4s3L", b"PK\7\x08", *known)
    if entry.zip64:
        # The second field, without data, makes Linux's unzip look at the flag for UTF-8.
        first, extra = (0, 0xFFFFFFFF, 0xFFFFFFFF), struct.pack("<2H2Q2H", 1, 16, 0, 0, 0x5653, 0)
        last = struct.pack("<4sL2Q", b"PK\7\x08", *known)
    common = (entry.needs, entry.flags, entry.method, entry.at)
    name = len(entry.name)
    local = struct.pack("<4s3H4L2H", b"PK\3\4", *common, *first, name, len(extra))
    listed = struct.pack(
        *("<4s4H4L5H2L", b"PK\1\2", entry.made_by, *common, *known, name),
        *(0, 0, 0, 0, entry.attributes, offset),
    )
    return local + entry.name + extra + packed + last, listed + entry.name


def _packed(entry: Entry) -> bytes:
    if entry.packed is not None:
        return entry.packed
    if entry.method == STORED:
        return entry.data
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(entry.data) + deflate.flush()
