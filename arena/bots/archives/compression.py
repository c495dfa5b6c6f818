"""Compressed archives: unpacked piece by piece, in bounded memory and time."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

from arena.bots.archives.entry import CHUNK, TooLargeError

_XZ_MEMORY = 128 * 1024 * 1024
"""Memory limit of xz in bytes; `xz -9` needs 65 MiB."""
_MAX_STREAMS = 2000
"""Most streams after one another (gzip: members), of which a program with many threads writes one
for each block: empty ones take time and unpack to nothing."""


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
    """What the streams of a file unpack to, one after the other, with zeros between them left out.

    Raises EOFError if the last one is cut off, TooLargeError if they are too many.
    """

    def __init__(self, file: BinaryIO, decoder: Callable[[], Decoder]) -> None:
        self._file = file
        self._new_decoder = decoder
        self._decoder = decoder()
        self._streams = 1
        self._input = b""
        """Bytes that were read and are not in the decoder yet."""

    def readable(self) -> bool:
        """Return True."""
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
