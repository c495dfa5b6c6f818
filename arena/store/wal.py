"""SQLite's write-ahead log: whether all of it can be read, which SQLite itself does not say.

What it cannot read at the end of the log SQLite takes for never written: after damage, games that
were stored would be gone without a word. The format is that of https://sqlite.org/fileformat2.html.
"""

import struct
from pathlib import Path

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LITTLE, _BIG = 0x377F0682, 0x377F0683
"""How a log begins whose checksums are over words of this order."""
_Sums = tuple[int, int]


def unreadable(store: Path) -> int:
    """Return from which byte on the log beside a store cannot be read though it was written.

    0 where all is well. Only of use while nobody writes.
    """
    try:
        data = store.with_name(f"{store.name}-wal").read_bytes()
    except FileNotFoundError:
        return 0
    if not data:
        return 0
    good = _readable(data)
    return good or 1 if _goes_on(data, good) else 0


def _readable(data: bytes) -> int:
    """Return how many bytes from the start are whole: the header's and those of frames."""
    if len(data) < _HEADER.size:
        return 0
    magic, _, page, _, *salts_and_sums = _HEADER.unpack_from(data)
    if magic not in (_LITTLE, _BIG) or not page:
        return 0
    order = "<" if magic == _LITTLE else ">"
    sums = _sums(data[: _HEADER.size - 8], order, (0, 0))
    if [*sums] != salts_and_sums[2:]:
        return 0
    at = _HEADER.size
    while len(data) >= at + _FRAME.size + page:
        _, _, *frame = _FRAME.unpack_from(data, at)
        sums = _sums(data[at : at + 8], order, sums)
        sums = _sums(data[at + _FRAME.size : at + _FRAME.size + page], order, sums)
        if frame != [*salts_and_sums[:2], *sums]:
            break
        at += _FRAME.size + page
    return at


def _goes_on(data: bytes, good: int) -> bool:
    """Tell whether frames of the same round of writing follow what can be read."""
    if not good:
        return True
    page = _HEADER.unpack_from(data)[2]
    salts = data[16:20], data[20:24]
    frames = range(good, len(data) - _FRAME.size - page + 1, _FRAME.size + page)
    # Of what an earlier round left, both salts differ; where one alone does, it was changed.
    return any(
        data[at + 8 : at + 12] == salts[0] or data[at + 12 : at + 16] == salts[1] for at in frames
    )


def _sums(data: bytes, order: str, sums: _Sums) -> _Sums:
    """Go on with the log's checksum."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
