"""The golden transcripts: live bots reproduce them, schemas and codec accept them."""

import json
from itertools import pairwise
from typing import Any

import jsonschema
import msgspec
import pytest

from arena.game.wire.codec import decode_answer, decode_ready, encode
from arena.game.wire.messages import MAX_LINE, ToBot
from arena.game.wire.schemas import schemas
from tests.protocol.golden import TRANSCRIPTS, goldens, play

NAMES = sorted(goldens())


def lines_of(name: str) -> list[tuple[str, int, str]]:
    """Return a transcript as (direction, seat, line)."""
    text = (TRANSCRIPTS / f"{name}.txt").read_text(encoding="utf-8")
    return [(line[:2], int(line[2]), line[4:]) for line in text.splitlines()]


def validator(file: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schemas()[file])


def test_folder_holds_exactly_the_golden_transcripts() -> None:
    assert sorted(path.stem for path in TRANSCRIPTS.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_live_bots_reproduce_the_transcript(name: str) -> None:
    """The same bots and seed make the same conversation; `make protocol` rewrites it."""
    assert play(goldens()[name]) == (TRANSCRIPTS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_schemas_and_codec_accept_every_line(name: str) -> None:
    to_bot, from_bot = validator("to_bot.json"), validator("from_bot.json")
    decode = msgspec.json.Decoder(ToBot).decode
    for direction, _, line in lines_of(name):
        message = json.loads(line)
        if direction == ">>":
            to_bot.validate(message)
            assert encode(decode(line)).decode().rstrip() == line
            assert len(line) < MAX_LINE
        else:
            from_bot.validate(message)
            (decode_ready if "type" in message else decode_answer)(line.encode())


@pytest.mark.parametrize("name", NAMES)
def test_notices_come_with_a_request_or_bye(name: str) -> None:
    """To each seat: hello first, bye last, and an answer after each request."""
    seats = {seat for _, seat, _ in lines_of(name)}
    for seat in seats:
        said = [
            (direction, json.loads(line))
            for direction, other, line in lines_of(name)
            if other == seat
        ]
        kinds = [_kind(direction, message) for direction, message in said]
        assert kinds[0] == "hello"
        assert kinds[1] == "answer"
        for kind, following in pairwise(kinds):
            assert (kind in ("hello", "turn", "calza")) == (following == "answer")
        assert "bye" not in kinds[:-1]


def test_transcripts_show_every_message_and_action() -> None:
    said = [
        (direction, json.loads(line)) for name in NAMES for direction, _, line in lines_of(name)
    ]
    told = {_kind(direction, message) for direction, message in said if direction == ">>"}
    assert told == {"hello", "turn", "calza", "round_end", "fault", "game_end", "bye"}
    actions = {m["action"] for direction, m in said if direction == "<<" and "action" in m}
    assert actions == {"bid", "dudo", "calza", "pass"}


def _kind(direction: str, message: dict[str, Any]) -> str:
    return str(message["type"]) if direction == ">>" else "answer"
