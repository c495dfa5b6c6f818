"""PNG files (ISO/IEC 15948): only the chunks that the site's pictures need."""

import zlib
from collections.abc import Iterable
from struct import pack

RGB, INDEXED = 2, 3
"""The colour types: pixels are colours, or numbers of colours."""


def png(width: int, height: int, colours: int, chunks: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a picture of 8 bits a channel; the chunks between its head and its end are given."""
    head = pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    whole = [(b"IHDR", head), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in whole)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
