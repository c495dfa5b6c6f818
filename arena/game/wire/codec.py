"""Encodes messages as lines, and decodes lines strictly: one valid JSON value, or an error."""

import json
import re
from collections import Counter
from itertools import accumulate
from json import JSONDecodeError
from math import isfinite
from typing import Final, NoReturn, TypeVar

import msgspec

from arena.game.wire.messages import Answer, Ready, ToBot
from arena.io.errors import did_you_mean

M = TypeVar("M", Ready, Answer)

_ACTIONS = ("bid", "dudo", "calza", "pass")
_encoder: Final = msgspec.json.Encoder()
_answers: Final = msgspec.json.Decoder(Answer)
MAX_DEPTH: Final = 32
"""How deep arrays and objects may be nested in a line; the line's own object is the first."""
_NOT_NESTING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[^]["{}]+', re.DOTALL)
"""Strings, the last of which may lack its end, and all that is not a bracket."""
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}
_BLANKS: Final = " \t\r\n"
_TRAILING: Final = {
    ("Expecting value", "]"): "array",
    ("Expecting property name enclosed in double quotes", "}"): "object",
}
"""What a trailing comma ends, by the words of Python 3.11 and 3.12 and the character behind it."""
_NAMED = 4
"""Fields of a bid that are named if it lacks others."""
_SYNONYMS = {
    **dict.fromkeys(("raise", "bet", "guess"), "bid"),
    **dict.fromkeys(("call", "doubt", "challenge", "liar"), "dudo"),
    **dict.fromkeys(("exact", "spot_on"), "calza"),
    **dict.fromkeys(("check", "skip", "none"), "pass"),
}
"""Words that bots use for an action, in lower case."""


class StrictError(Exception):
    """A line that is not strict JSON; the message says why.

    `is_object`: the line is a JSON object, but not the one that was expected.
    """

    def __init__(self, message: str, *, is_object: bool = False) -> None:
        super().__init__(message)
        self.is_object = is_object


def encode(message: ToBot) -> bytes:
    """Return a message as one line, including its newline."""
    return _encoder.encode(message) + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Decode a bot's answer to a request; raises StrictError."""
    try:
        answer = _answers.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_strictly(line, Answer)
    # With all keys of its action and no more quotation marks than theirs, there is no room for a
    # duplicate or an unknown key.
    needed = 10 if answer.quantity and answer.face else 0 if answer.action == "bid" else 6
    return answer if line.count(b'"') == needed else _decode_strictly(line, Answer)


def decode_ready(line: bytes) -> Ready:
    """Decode a bot's answer to `hello`; raises StrictError."""
    return _decode_strictly(line, Ready)


def _decode_strictly(line: bytes, kind: type[M]) -> M:
    value = loads(line)
    if not isinstance(value, dict):
        raise StrictError("not a JSON object")
    tag = kind.__struct_config__.tag
    # msgspec does not require the tag if only one type is expected; the protocol does.
    if tag is not None and "type" not in value:
        raise StrictError(f"missing `type`, expected `{tag}`", is_object=True)
    try:
        message = msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        what = (kind is Answer and _unknown_action(value.get("action"))) or str(error)
        raise StrictError(what, is_object=True) from None
    if isinstance(message, Answer) and (what := _missing_in_bid(value)):
        raise StrictError(what, is_object=True)
    return message


def _unknown_action(action: object) -> str:
    """Name the action that was probably meant; "" if the action is known, or no text."""
    if not isinstance(action, str) or action in _ACTIONS:
        return ""
    meant = _SYNONYMS.get(action.lower())
    hint = f"did you mean '{meant}'?" if meant else did_you_mean(action.lower(), _ACTIONS)
    return f"unknown action {action[:40]!r} ({hint})"


def _missing_in_bid(value: dict[str, object]) -> str:
    """Name the missing and the other keys of a bid; "" if none is missing."""
    missing = [key for key in ("quantity", "face") if key not in value]
    if value["action"] != "bid" or not missing:
        return ""
    others = [key[:40] for key in value if key not in Answer.__struct_fields__]
    more = [f"{len(others) - _NAMED} more"] if len(others) > _NAMED else []
    has = f"; it has {', '.join(others[:_NAMED] + more)}" if others else ""
    return f"the bid has {' and '.join(f'no {key}' for key in missing)}{has}"


def loads(line: bytes) -> object:
    """Decode one JSON value; refuse what lax parsers accept.

    Refused: invalid UTF-8, a byte order mark, duplicate keys, NaN and infinities, numbers that
    overflow, lone surrogates, nesting deeper than MAX_DEPTH. Raises StrictError.
    """
    try:
        text = line.decode("utf-8")
        if text.count("[") + text.count("{") > MAX_DEPTH:
            _check_depth(text)
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
        lone = "\\u" in text and _has_lone_surrogate(value)
    except UnicodeDecodeError:
        raise StrictError(f"not valid UTF-8{_utf_16(line)}") from None
    except JSONDecodeError as error:
        raise StrictError(f"not valid JSON{_utf_16(line)}: {_what_is_wrong(error)}") from None
    except ValueError as error:
        raise StrictError(f"not valid JSON: {error}") from None
    if lone:
        raise StrictError("a lone surrogate in a string")
    return value


def _check_depth(text: str) -> None:
    """Refuse deep nesting before it is read: how deep Python can read depends on its version."""
    depth = max(accumulate(map(_STEPS.__getitem__, _NOT_NESTING.sub("", text))))
    if depth > MAX_DEPTH:
        raise StrictError(f"nested too deeply: {depth} arrays and objects, at most {MAX_DEPTH}")


def _what_is_wrong(error: JSONDecodeError) -> str:
    """Return what is wrong and where; faults are recorded, so all versions of Python say the same.

    Python 3.13 has words for a comma before the end of an array or object. Older versions get them.
    """
    at = error.doc[error.pos : error.pos + 1]
    before = error.doc[: error.pos].rstrip(_BLANKS)
    ended = _TRAILING.get((error.msg, at)) if before.endswith(",") else None
    if not ended:
        return str(error)
    what = f"Illegal trailing comma before end of {ended}"
    return str(JSONDecodeError(what, error.doc, len(before) - 1))


def _utf_16(line: bytes) -> str:
    """Say that a line is in UTF-16, if it looks like that: every other byte is 0."""
    return ", but UTF-16" if 3 * line.count(0) > len(line) > 2 else ""


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
