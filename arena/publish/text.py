"""Text for pages, spreadsheets and scripts: what bots wrote made harmless, numbers readable."""

from datetime import UTC, datetime
from functools import lru_cache
from math import copysign, floor

import msgspec

from arena.io.text import script_of, visible

CACHED = 1 << 14
"""How many results a function keeps that is called with few different values, very often."""
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_TINY = 1e-9
"""A difference too small to be seen in any number of decimals."""


def one_line(text: str) -> str:
    """Spell out line breaks and tabs too."""
    line = visible(text)
    return line if line.isprintable() else line.replace("\n", "\\n").replace("\t", "\\t")


@lru_cache(maxsize=CACHED)
def csv_text(text: str) -> str:
    """Return a CSV cell that no spreadsheet takes for a formula, all on one line."""
    return "'" * text.startswith(_FORMULA) + one_line(text)


def script(name: str, content: msgspec.Struct) -> str:
    """Return a script of data, as compressed JSON; reports/shared.js loads it by its name."""
    return script_of(name, msgspec.json.encode(content))


def clipped(text: str, limit: int) -> str:
    """Return the first `limit` characters, with an ellipsis if there were more."""
    return text if len(text) <= limit else text[:limit] + "…"


def _rounded(value: float, digits: int) -> str:
    """Return a number with its sign; halves are rounded away from zero, as pages' scripts do it.

    What is nearly a half counts as one: numbers that are equal but for the order in which they were
    computed read the same.
    """
    return f"{value + copysign(_TINY, value):+.{digits}f}"


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign; zero has none."""
    number = _rounded(value, digits)
    return number[1:] if float(number) == 0 else number.replace("-", "\u2212")


def fixed(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals."""
    return signed(value, digits).removeprefix("+")


@lru_cache(maxsize=CACHED)
def percent(share: float, digits: int = 1) -> str:
    """Return a share (0 to 1) in per cent; only none and all are shown as 0 and 100."""
    least = 10**-digits
    number = _rounded(100 * share, digits)[1:]
    if share > 0 and float(number) == 0:
        number = f"<{least:.{digits}f}"
    elif share < 1 and float(number) == 100:
        number = f">{100 - least:.{digits}f}"
    return f"{number}\u202f%"


def chance(probability: float, digits: int = 1) -> str:
    """Return an estimated probability in per cent: never 0 nor 100, whatever its digits say."""
    return percent(min(max(probability, _TINY), 1 - _TINY), digits)


def sure(confidence: float) -> str:
    """Return a confidence in per cent, rounded down; a dash if it is below one half."""
    return "–" if confidence < 0.5 else chance(floor(100 * confidence) / 100, 0)


def grouped(value: int) -> str:
    """Return a whole number with thousands separators."""
    return f"{value:,}"


def counted(number: int, what: str, plural: str = "") -> str:
    """Return a number of things: `1 bot`, `2,000 bots`; most plurals end in s."""
    return f"{grouped(number)} {what if number == 1 else plural or f'{what}s'}"


def timestamp(at: float) -> str:
    """Return a time as RFC 3339 has it, in whole seconds of UTC."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def readable_time(at: float) -> str:
    """Return a time to read, to the minute: `2026-09-21 14:13 UTC`."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%d %H:%M UTC")


def duration(seconds: float) -> str:
    """Return a time in words: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, left = divmod(round(seconds), 60)
    if not minutes:
        return f"{left} s"
    if minutes < 60:
        return f"{minutes} min {left} s"
    return f"{minutes // 60:,} h {minutes % 60} min"
