"""Decompress what others may have made: never more than is allowed."""

import zlib


def inflate(data: bytes, most: int) -> bytes:
    """Return what zlib compressed.

    Raises zlib.error if it is damaged, cut off, or unpacks to more than `most` bytes.
    """
    decoder = zlib.decompressobj()
    content = decoder.decompress(data, most + 1)
    if len(content) > most:
        raise zlib.error(f"it unpacks to more than {most:,} bytes")
    if not decoder.eof:
        raise zlib.error("it is cut off")
    return content
