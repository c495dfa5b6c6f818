"""Strict JSON: a line is exactly one valid JSON value, or it is an error."""

import json
from collections import Counter
from math import isfinite
from typing import NoReturn


class StrictError(Exception):
    """A line that is not strict JSON; the message says why."""


def loads(line: bytes) -> object:
    """Decode one JSON value; refuse what lax parsers accept.

    Refused: invalid UTF-8, a byte order mark, duplicate keys, NaN and infinities, numbers that
    overflow, lone surrogates, nesting that is too deep. Raises StrictError.
    """
    try:
        text = line.decode("utf-8")
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
        lone = "\\u" in text and _has_lone_surrogate(value)
    except UnicodeDecodeError:
        raise StrictError("not valid UTF-8") from None
    except RecursionError:
        raise StrictError("nested too deeply") from None
    except ValueError as error:
        raise StrictError(f"not valid JSON: {error}") from None
    if lone:
        raise StrictError("a lone surrogate in a string")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise StrictError(f"duplicate key {key[:40]!r}")
    return value


def _no_constant(name: str) -> NoReturn:
    raise StrictError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise StrictError("a number too large for a float")
    return number


def _has_lone_surrogate(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
