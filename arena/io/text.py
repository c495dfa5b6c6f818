"""Text that people write and read: numbers, sizes, times, CSV; hidden characters spelled out."""

import base64
import csv
import gzip
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from io import StringIO

from arena.io.errors import ArenaError

_SIZES = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def script_of(name: str, data: bytes) -> str:
    """Return a script that hands data to the page, compressed; `data_of` reads it.

    A page on a file system may load nothing but scripts; base64 has no letters that could end one.
    """
    packed = gzip.compress(data, compresslevel=6, mtime=0)
    return f'perudoShard("{name}", "{base64.b64encode(packed).decode()}");\n'


def data_of(script: str) -> bytes:
    """Return the data of a script; raises ValueError or OSError if it is none."""
    return gzip.decompress(base64.b64decode(script.rsplit('"', 2)[-2]))


def whole_number(text: str, digits: int = 9) -> int | None:
    """Return the number that so many ASCII digits write at most; None for any other text."""
    short = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if short else None


def parse_size(text: str, where: str) -> int:
    """Return the bytes that a text means; raises ArenaError, naming `where`, for any other text."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?) ?([KMGT]iB)?", text)
    if not match:
        raise ArenaError(f"'{text}' is not a size", where, "write it like 500MiB or 5GiB")
    number, unit = match.groups("")
    return int(float(number) * _SIZES[unit])


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that fits: `3.1 GiB`."""
    unit = next((unit for unit in reversed(_SIZES) if size >= _SIZES[unit]), "")
    return f"{size / _SIZES[unit]:.1f} {unit}" if unit else f"{size} bytes"


def stamp(seconds: float) -> str:
    """Return a time in seconds since 1970 as `2026-11-23T09:14:02Z`, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def span(seconds: float) -> str:
    """Return a length of time in its largest unit: `12 s`, `6 h`, `3 d`."""
    whole = max(0, round(seconds))
    for size, unit in _SPANS:
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


_KEPT = "\n\t"
_INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories that a browser or terminal would obey, hide or stumble over, not show."""


class _Visible(dict[int, str | int]):
    """A table for str.translate, filled as characters occur."""

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        if char in _KEPT or unicodedata.category(char) not in _INVISIBLE:
            self[code] = code
        else:  # an escape: any font has its letters
            self[code] = f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
        return self[code]


_TABLE = _Visible()


def visible(text: str) -> str:
    """Spell out control, format and unpaired characters, to be seen; keep line breaks and tabs."""
    # All of Python's printable characters are visible, and isprintable is much faster.
    return text if text.isprintable() else text.translate(_TABLE)


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; None is an empty cell. Texts are not guarded against spreadsheets."""
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
