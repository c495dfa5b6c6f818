"""Sizes as people write them: `500MiB`, `5GiB`."""

import re

from arena.io.errors import ArenaError

_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def parse_size(text: str, where: str) -> int:
    """Return the bytes of a size; raises ArenaError, which names `where`, if it is none."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?) ?([KMGT]iB)?", text)
    if not match:
        raise ArenaError(f"'{text}' is not a size", where, "write it like 500MiB or 5GiB")
    number, unit = match.groups("")
    return int(float(number) * _UNITS[unit])


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that fits: `3.1 GiB`."""
    unit = next((unit for unit in reversed(_UNITS) if size >= _UNITS[unit]), "")
    return f"{size / _UNITS[unit]:.1f} {unit}" if unit else f"{size} bytes"
