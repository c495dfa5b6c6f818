"""What a program may have stumbled over in the last message that it was sent."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

import msgspec

_MISSING = re.compile(r"KeyError: '([a-z]\w*)'")
_OF_EMPTY = re.compile(
    r"IndexError|(?:arg|iterable argument) is (?:an )?empty|Reduce of empty array"
    r"|undefined \(reading '(?:seat|quantity|face|min|max)'\)"
    r"|index out of bounds: the len is 0|`None` value"
)
_OF_NULL = re.compile(r"NoneType|null \(reading|null is not iterable")
"""Python, Node.js and Rust say so of what is empty or null."""
_EMPTY = {"bids": "is empty: it opens the round", "raises": "is empty: it can only doubt"}
_NULL = {
    "dice_counts": "is null: lost dice are not visible",
    "palifico_seat": "is null: it is no palifico round",
}


def kind_of(line: str) -> str:
    """Return the type of a message, "" if it has none."""
    kind = _decoded(line).get("type", "")
    return kind if isinstance(kind, str) else ""


def legal_answer(line: str) -> str:
    """Return an answer that is legal after a message; one to a turn if it wants none."""
    message = _decoded(line)
    if message.get("type") == "hello":
        return '{"type": "ready"}'
    id_ = message.get("id", 7)
    if message.get("type") == "calza":
        return f'{{"id": {id_}, "action": "pass"}}'
    match message.get("raises", [{"face": 4, "min": 3}]):
        case [{"face": face, "min": quantity}, *_]:
            return f'{{"id": {id_}, "action": "bid", "quantity": {quantity}, "face": {face}}}'
    return f'{{"id": {id_}, "action": "dudo"}}'


def of_message(stderr: str, sent: Sequence[str]) -> str:
    """Return what the last message lacks that a program looked for in vain; "" if nothing."""
    message = _decoded(sent[-1]) if sent else {}
    if not message:
        return ""
    if (missing := _MISSING.search(stderr)) and missing[1] not in message:
        return _lacks(str(message.get("type")), missing[1], list(message))
    null = bool(_OF_NULL.search(stderr))
    # Kits make null of an empty `bids`: there is no last bid.
    meanings = {**(_EMPTY if null or _OF_EMPTY.search(stderr) else {}), **(_NULL if null else {})}
    facts = {
        name: f"`{name}` {meaning}"
        for name, meaning in meanings.items()
        if name in message and message[name] in ([], None)
    }
    told = [fact for name, fact in facts.items() if name in stderr] or [*facts.values()]
    return f"note that here {', and '.join(told)}" if told else ""


def _lacks(kind: str, name: str, names: list[str]) -> str:
    what = f"the message that was sent, `{kind}`, has no '{name}'"
    if near := get_close_matches(name, names, 1):
        return f"{what}; did you mean '{near[0]}'?"
    return what if kind == "turn" else f"{what}: look at `type` first"


def _decoded(line: str) -> dict[str, object]:
    try:
        message = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return message if isinstance(message, dict) else {}
