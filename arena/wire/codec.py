"""Encodes messages as lines, and decodes lines strictly."""

from typing import TypeVar

import msgspec

from arena.wire import strict
from arena.wire.messages import Answer, Ready, ToBot
from arena.wire.strict import StrictError

M = TypeVar("M", Ready, Answer)

_encoder = msgspec.json.Encoder()
_answers = msgspec.json.Decoder(Answer)


def encode(message: ToBot) -> bytes:
    """Return a message as one line, including its newline."""
    return _encoder.encode(message) + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Decode a bot's answer to a request; raises StrictError."""
    try:
        answer = _answers.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_strictly(line, Answer)
    return answer if _has_only_known_keys(line, answer) else _decode_strictly(line, Answer)


def decode_ready(line: bytes) -> Ready:
    """Decode a bot's answer to `hello`; raises StrictError."""
    return _decode_strictly(line, Ready)


def _has_only_known_keys(line: bytes, answer: Answer) -> bool:
    """Return whether the line surely has only the known keys, each once: the fast path.

    With all keys of its action present, exactly their quotation marks and no escapes, there is no
    room for a duplicate or an unknown key.
    """
    if answer.action != "bid":
        return line.count(b'"') == 6 and b"\\" not in line
    complete = answer.quantity and answer.face
    return bool(complete) and line.count(b'"') == 10 and b"\\" not in line


def _decode_strictly(line: bytes, kind: type[M]) -> M:
    value = strict.loads(line)
    if not isinstance(value, dict):
        raise StrictError("not a JSON object")
    tag = kind.__struct_config__.tag
    # msgspec does not require the tag if only one type is expected; the protocol does.
    if tag is not None and "type" not in value:
        raise StrictError(f"missing `type`, expected `{tag}`")
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise StrictError(str(error)) from None
