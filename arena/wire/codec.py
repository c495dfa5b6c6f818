"""Messages to lines and lines to messages, strictly."""

from typing import TypeVar

import msgspec

from arena.wire import strict
from arena.wire.messages import Answer, Ready, ToBot
from arena.wire.strict import StrictError

M = TypeVar("M", Ready, Answer)

_encoder = msgspec.json.Encoder()
_answers = msgspec.json.Decoder(Answer)


def encode(message: ToBot) -> bytes:
    """Return a message as one line, its newline included."""
    return _encoder.encode(message) + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Decode a bot's answer; raises StrictError saying what is wrong with the line."""
    try:
        answer = _answers.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_carefully(line, Answer)
    return answer if _is_plain(line, answer) else _decode_carefully(line, Answer)


def decode_ready(line: bytes) -> Ready:
    """Decode a bot's answer to `hello`; raises StrictError."""
    return _decode_carefully(line, Ready)


def _is_plain(line: bytes, answer: Answer) -> bool:
    """Tell whether the line can hold nothing but the known keys, each once.

    With all keys of its action found, exactly their quote marks and no escapes, there is no room
    for a duplicate or an unknown key; only other lines need to be read key by key.
    """
    if answer.action != "bid":
        return line.count(b'"') == 6 and b"\\" not in line
    named = answer.quantity and answer.face
    return bool(named) and line.count(b'"') == 10 and b"\\" not in line


def _decode_carefully(line: bytes, kind: type[M]) -> M:
    value = strict.loads(line)
    if not isinstance(value, dict):
        raise StrictError("not a JSON object")
    tag = kind.__struct_config__.tag
    # msgspec does without the tag where only one type is awaited; the protocol does not.
    if tag is not None and "type" not in value:
        raise StrictError(f"`type` is missing, `{tag}` is awaited")
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise StrictError(str(error)) from None
