"""Reading a tar archive, compressed or not, entry by entry, in bounded memory and time.

tarfile decodes the header of an entry. Everything after headers is read here, under limits: long
headers, chains of headers and false sizes must not use up the arena's memory or time.
"""

import bz2
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from tarfile import TarInfo
from typing import BinaryIO, Protocol

from arena.bots.archives.entry import (
    CHUNK,
    LEAVE_OUT,
    ArchiveError,
    Entry,
    TooLargeError,
    instead_of_link,
)

_XZ_MEMORY = 128 * 1024 * 1024
"""Memory limit of xz in bytes; `xz -9` needs 65 MiB."""
_MAX_STREAMS = 2000
"""Most streams (gzip: members) in a file. A program with many threads writes one for each block;
empty ones take time and unpack to nothing."""


class Decoder(Protocol):
    """Decompresses one stream, as bz2 and lzma do."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing comes out before more goes in."""

    @property
    def unused_data(self) -> bytes:
        """The bytes after the end."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most so many bytes; what is left comes with the next calls."""


class _Gzip:
    """One member of a gzip file."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)


DECODERS: dict[str, Callable[[], Decoder]] = {
    "gz": _Gzip,
    "z2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}
"""By the last two letters of a file's name: .tgz, .tbz2 and .txz are as common as .tar.gz."""


class Decompressed(io.RawIOBase):
    """The content of a file's compressed streams, one after the other, without zeros between them.

    Raises EOFError if the last one is cut off, TooLargeError if there are too many.
    """

    def __init__(self, file: BinaryIO, decoder: Callable[[], Decoder]) -> None:
        self._file = file
        self._new_decoder = decoder
        self._decoder = decoder()
        self._streams = 1
        self._input = b""
        """Bytes that were read and are not in the decoder yet."""

    def readable(self) -> bool:
        """Return that the stream can be read."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Fill a part of the buffer; returns its length, 0 at the end.

        The stubs want any writable buffer; the standard library passes a memoryview.
        """
        while not self._decoder.eof or self._next_stream():
            fed = b""
            if self._decoder.needs_input:
                fed, self._input = self._input or self._file.read(CHUNK), b""
            data = self._decoder.decompress(fed, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
            if not fed and not self._decoder.eof:
                raise EOFError("it ends too early")
        return 0

    def _next_stream(self) -> bool:
        """Begin with the next stream; returns False if the file is at its end."""
        rest = self._decoder.unused_data.lstrip(b"\0")
        while not rest:
            if not (read := self._file.read(CHUNK)):
                return False
            rest = read.lstrip(b"\0")
        if self._streams == _MAX_STREAMS:
            raise TooLargeError(f"the archive is compressed in more than {_MAX_STREAMS:,} parts")
        self._streams += 1
        self._decoder, self._input = self._new_decoder(), rest
        return True


_BLOCK = 512
_MAX_EXTENDED_SIZE = 65_536
"""Longest header with an entry's long name or attributes, in bytes."""
_MAX_EXTENDED = 8
"""Most such headers before one entry."""
_MAX_ATTRIBUTES = 64
"""Most attributes in one of them."""
_MIN_HEADERS = 30_000
_HEADERS_PER_ENTRY = 2
"""Most headers of all kinds in an archive: _MIN_HEADERS, or more for many entries. Each takes time,
though few bytes."""
_FILES = {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}
_EXTENDED = {
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE),
}
"""Types of headers about the entry after them."""
_COPY = "put a copy of the file in its place"
_LEAVE_OUT = "leave it out"
_SPARSE = ("a file with holes", "archive it without --sparse")
_REFUSED = {
    tarfile.SYMTYPE: ("a symbolic link", _COPY),
    tarfile.LNKTYPE: ("a hard link", _COPY),
    tarfile.CHRTYPE: ("a device", _LEAVE_OUT),
    tarfile.BLKTYPE: ("a device", _LEAVE_OUT),
    tarfile.FIFOTYPE: ("a FIFO", _LEAVE_OUT),
    tarfile.GNUTYPE_SPARSE: _SPARSE,
}
"""The kind of an entry in words, and a hint."""
_WITHOUT_CONTENT = {
    *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
}
_Read = Callable[[int], bytes]


def read_tar(path: Path, name: str, max_entries: int, max_bytes: int) -> Iterator[Entry]:
    """Yield a tar archive's entries, which unpack to `max_bytes` at most.

    The ending of `name` says how it is compressed. Raises ArchiveError, and what codecs raise.
    """
    max_headers = max(_MIN_HEADERS, _HEADERS_PER_ENTRY * max_entries)
    ending = name.lower()[-2:]
    with path.open("rb") as file:
        read: _Read = file.read
        if ending in DECODERS:
            read = io.BufferedReader(Decompressed(file, DECODERS[ending]), CHUNK).read1
        stream = _Stream(read, max_bytes)
        for header, extended in _headers(stream, max_headers):
            given = extended.get(b"path")
            inner = header.name if given is None else given.decode("utf-8", "surrogateescape")
            size = header.size
            if text := extended.get(b"size"):
                size = int(text) if text.isdigit() and len(text) < 20 else -1
            if size < 0:
                raise ArchiveError("a size that is not a number", inner)
            yield from _entry(stream, header, inner, size)
        # The rest is padding, but a compressed stream has its checksum at the end.
        while stream.some(CHUNK):
            pass


def is_tar(beginning: bytes) -> bool:
    """Tell whether the first 512 bytes of a file are those of a tar archive, maybe damaged."""
    if beginning[257:262] == b"ustar" or beginning == bytes(_BLOCK):
        return True
    try:
        TarInfo.frombuf(beginning, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _Stream:
    """Decompressed bytes, counted against a limit."""

    def __init__(self, read: _Read, limit: int) -> None:
        self._read = read
        self._left = limit

    def some(self, size: int) -> bytes:
        """Return 1 to `size` bytes, b"" at the end of the archive."""
        chunk = self._read(min(size, CHUNK))
        self._left -= len(chunk)
        if self._left < 0:
            raise TooLargeError("the archive unpacks to too many bytes", "", LEAVE_OUT)
        return chunk

    def parts(self, size: int) -> Iterator[bytes]:
        """Yield exactly `size` bytes."""
        while size > 0:
            chunk = self.some(size)
            if not chunk:
                raise ArchiveError("the archive is cut off")
            size -= len(chunk)
            yield chunk

    def skip(self, size: int) -> None:
        for _ in self.parts(size):
            pass


def _headers(stream: _Stream, max_headers: int) -> Iterator[tuple[TarInfo, dict[bytes, bytes]]]:
    """Yield each entry's header, and its path and size if headers before it give them."""
    extended: dict[bytes, bytes] = {}
    count = total = 0
    header = _header(stream, "not a tar archive")
    while header is not None:
        total += 1
        if total > max_headers:
            raise TooLargeError(f"the archive holds more than {max_headers:,} headers")
        if header.type not in _EXTENDED:
            yield header, extended
            extended, count = {}, 0
        elif count == _MAX_EXTENDED:
            raise ArchiveError(f"more than {_MAX_EXTENDED} headers for one entry", header.name)
        else:
            extended |= _extended_header(stream, header)
            count += 1
        header = _header(stream, "the archive is damaged")


def _header(stream: _Stream, damage: str) -> TarInfo | None:
    """Return the next header, None at the end of the archive; `damage` names a bad one."""
    try:
        return TarInfo.frombuf(b"".join(stream.parts(_BLOCK)), "utf-8", "surrogateescape")
    # Missing in the stubs of the standard library.
    except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
        return None
    except tarfile.HeaderError as error:
        raise ArchiveError(f"{damage}: {error}") from None


def _extended_header(stream: _Stream, header: TarInfo) -> dict[bytes, bytes]:
    """Read a header about the entry after it: its long name, or attributes."""
    if not 0 <= header.size <= _MAX_EXTENDED_SIZE:
        raise ArchiveError(f"a header of more than {_MAX_EXTENDED_SIZE:,} bytes", header.name)
    content = b"".join(stream.parts(header.size))
    stream.skip(-header.size % _BLOCK)
    if header.type == tarfile.GNUTYPE_LONGLINK:
        return {}
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return {b"path": content.partition(b"\0")[0]}
    pairs = list(islice(_attributes(content), _MAX_ATTRIBUTES + 1))
    if len(pairs) > _MAX_ATTRIBUTES:
        raise ArchiveError(f"a header of more than {_MAX_ATTRIBUTES} attributes", header.name)
    attributes = dict(pairs)
    if any(key.startswith(b"GNU.sparse") for key in attributes):
        what, hint = _SPARSE
        raise ArchiveError(what, header.name, hint)
    used = {key: value for key, value in attributes.items() if key in {b"path", b"size"}}
    if used and header.type == tarfile.XGLTYPE:
        raise ArchiveError("one name or size for all entries", header.name)
    return used


def _attributes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key and value of each "LENGTH KEY=VALUE" line of a pax header."""
    at = 0
    while at < len(content):
        length = content[at : at + 8].partition(b" ")[0]
        if not length.isdigit() or not len(length) + 4 <= int(length) <= len(content) - at:
            raise ArchiveError("the archive is damaged: bad attributes")
        key, _, value = content[at + len(length) + 1 : at + int(length) - 1].partition(b"=")
        at += int(length)
        yield key, value


def _entry(stream: _Stream, header: TarInfo, name: str, size: int) -> Iterator[Entry]:
    """Yield the entry, then skip what was not read of it."""
    if header.type == tarfile.DIRTYPE:
        yield Entry(name, is_folder=True, executable=True, content=iter(()))
        return
    if header.type not in _FILES:
        other = ("what is neither a file nor a folder", _LEAVE_OUT)
        what, hint = _REFUSED.get(header.type, other)
        if header.type == tarfile.SYMTYPE:
            hint = instead_of_link(PurePath(name))
        refusal = ArchiveError(what, name, hint)
        if header.type not in _WITHOUT_CONTENT:
            raise refusal
        yield Entry(name, False, False, iter(()), refusal)
        return
    content = stream.parts(size)
    yield Entry(name, is_folder=False, executable=bool(header.mode & 0o100), content=content)
    for _ in content:
        pass
    stream.skip(-size % _BLOCK)
