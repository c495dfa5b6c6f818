"""Hints for answers that are JSON, but none that the request allows."""

import re
from collections.abc import Iterable

import msgspec

Message = dict[str, object]
_NO_FIELDS = {
    "node": "JSON.stringify writes a promise, a Map and a Set so: `await` a promise",
    "go": "encoding/json leaves out fields whose names begin with a small letter",
}
"""The usual reason for an empty object, by runtime."""
_MISNAMED = {"go": ': give the field a tag, as in `json:"id"`'}
_NO_VALUE = {
    "node": ": JSON.stringify writes NaN so, and leaves out what is undefined",
    "python": ": None is written so",
}
_FRACTION = ": round it, or divide with // in Python and Lua, intdiv() in PHP"
_NEGATIVE = ": in C, Go, Java, JavaScript, PHP, Rust and shells, -7 % 6 is -1"
_NUMBERS = ("id", "quantity", "face")
_WORDS = ("type", "action")


def decoded(line: str) -> Message:
    """Return the object in a line, an empty one if there is none."""
    value = _value(line)
    return value if isinstance(value, dict) else {}


def of_answer(came: str, asked: str, runtime: str) -> str:
    """Return what is wrong with a line of JSON that should answer `asked`; "" if nothing is known.

    `asked` is the type of the request.
    """
    answer = _value(came)
    if isinstance(answer, list):
        return "it is a list, and an answer is an object: name its fields"
    if not isinstance(answer, dict):
        return ""
    if not answer:
        return f"it has no fields; {_NO_FIELDS.get(runtime, 'an answer has them')}"
    needed: tuple[str, ...] = ("type",) if asked == "hello" else ("id", "action")
    if answer.get("action") == "bid":
        needed += ("quantity", "face")
    return _of_names(answer, needed, runtime) or _of_values(answer, runtime)


def _value(line: str) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _of_names(answer: Message, needed: Iterable[str], runtime: str) -> str:
    """Return the fields whose names differ from what is needed by their letters' size alone."""
    plain = {_plain(name): name for name in answer}
    wrong = [
        f"'{plain[name]}' for '{name}'" for name in needed if name not in answer and name in plain
    ]
    return f"it says {', '.join(wrong)}{_MISNAMED.get(runtime, '')}" if wrong else ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _of_values(answer: Message, runtime: str) -> str:
    """Return the first value that is of another kind than its field takes."""
    for name in _WORDS:
        word = answer.get(name)
        if isinstance(word, str) and word != _plain(word):
            return f"`{name}` is '{word}': write {_plain(word)!r}"
    wrong = ((name, _of_number(answer.get(name, 1), runtime)) for name in _NUMBERS)
    return next((f"`{name}` is {what}" for name, what in wrong if what), "")


def _of_number(value: object, runtime: str) -> str:
    """Return what a value is that should be an integer of at least 0; "" if it is one."""
    match value:
        case None:
            return f"null{_NO_VALUE.get(runtime, ': its variable has no value')}"
        case str():
            return "a text: write the number without quotes"
        case bool():
            return f"{str(value).lower()}, and must be an integer"
        case float():
            return f"{value}, and must be written as an integer{_FRACTION}"
        case int() if value < 0:
            return f"below 0{'' if runtime == 'python' else _NEGATIVE}"
    return ""


def of_bid(came: str, request: str) -> str:
    """Return which bids near an illegal one are legal; "" if it is no bid, or nothing is known."""
    bid, asked = decoded(came), decoded(request)
    rows = asked.get("raises")
    quantity, face = bid.get("quantity"), bid.get("face")
    if not isinstance(rows, list) or not isinstance(quantity, int) or not isinstance(face, int):
        return ""
    if not rows:
        return "`raises` is empty: it can only doubt"
    legal = {row.get("face"): (row.get("min", 0), row.get("max", 0)) for row in rows}
    low, high = legal.get(face, (0, 0))
    near = f"on face {face}, {_span(low, high)} would be legal" if high else ""
    near = near or f"on face {face} no bid is legal"
    if face == 1 and high and quantity < low and quantity == _last(asked) // 2:
        near += f"; half of {_last(asked)} is rounded up: (n + 1) / 2 in integers"
    swapped_low, swapped_high = legal.get(quantity, (1, 0))
    if swapped_low <= face <= swapped_high:
        near += f". Perhaps quantity and face are swapped: {face} x {quantity} would be legal"
    return near


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _last(asked: Message) -> int:
    """Return the quantity of the last bid, 0 if the request opens a round."""
    bids = asked.get("bids")
    match bids[-1] if isinstance(bids, list) and bids else None:
        case {"quantity": int(quantity)}:
            return quantity
    return 0
