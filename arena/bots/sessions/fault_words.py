"""The words of a fault about the conversation; found only once a fault has happened."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

_ANSWERED = frozenset({"hello", "turn", "calza"})
"""The messages that want an answer."""
_SHOWN = 4
"""Open requests that are named."""
_MAX_TEXT = 80
"""Bytes shown of a line without an end."""


def open_requests(ids: Iterable[int], written: Iterable[bytes]) -> str:
    """Name the requests that await an answer, as in "7 (turn), 9 (calza)"; "none" if none does."""
    types = {message.get("id"): message["type"] for message in _messages(written)}
    named = [f"{id_} ({types[id_]})" if id_ in types else str(id_) for id_ in ids]
    more = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN else []
    return ", ".join(named[:_SHOWN] + more) or "none"


def news(written: Iterable[bytes]) -> str:
    """Say what was sent last that wants no answer, to follow another sentence; "" if nothing."""
    told = [str(message["type"]) for message in _messages(written)]
    unasked = list(dict.fromkeys(kind for kind in told if kind not in _ANSWERED))
    if not unasked:
        return ""
    which = "it wants" if len(unasked) == 1 else "they want"
    return f"; you had been sent {', '.join(unasked)}; {which} no answer"


def unfinished(inbox: bytes) -> str:
    """Say what a bot wrote without ending the line, to follow another sentence; "" if nothing."""
    text = inbox[:_MAX_TEXT].decode("utf-8", "backslashreplace")
    return f"; it wrote {text!r} with no newline at its end" if inbox else ""


def _messages(written: Iterable[bytes]) -> Iterator[dict[str, object]]:
    for line in written:
        # The words of a fault must not be a fault of the arena's own.
        with suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and "type" in message:
                yield message
