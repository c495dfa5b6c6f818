"""The published schemas are those of the message types, and agree with the codec."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from arena.game.records import BidMade, CallMade, Cause, Event, Faulted, GameRecord, RoundStarted
from arena.game.rules.round import raises
from arena.game.rules.view import seen_by
from arena.game.wire.codec import encode
from arena.game.wire.messages import (
    Answer,
    Bye,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    Limits,
    Ready,
    RoundEnd,
    ToBot,
    Turn,
    in_full,
)
from arena.game.wire.schemas import schemas, write
from arena.io import shipped
from tests.game.wire.test_strict import BAD_ANSWERS, BAD_READIES
from tests.support.depth import depth
from tests.support.random_games import Played, games, rules

some = settings(max_examples=depth(10, 30), deadline=None, database=None)
SCHEMAS: dict[str, Any] = json.loads(json.dumps(schemas()))
"""As anyone reads them: a default `()` is `[]`."""
FOLDER = shipped.folder("protocol") / "schema"
# Two keys in one object and numbers without end are no matter of a schema.
NOT_FOR_SCHEMAS = ("duplicate key", "not valid JSON")


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[name])


def part(name: str) -> Draft202012Validator:
    """Return the validator of one of the two answers: which applies depends on the request."""
    whole = SCHEMAS["from_bot.json"]
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def plain(message: Any) -> Any:
    return json.loads(msgspec.json.encode(message))


# ---------------------------------------------------------------- the files


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_published_schema_is_the_generated_one(name: str) -> None:
    """If not: `make schemas`."""
    assert json.loads((FOLDER / name).read_text(encoding="utf-8")) == SCHEMAS[name]
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_writing_the_schemas_makes_the_published_files(tmp_path: Any) -> None:
    write(tmp_path / "new")
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert written == {path.name: path.read_bytes() for path in FOLDER.iterdir()}


# ---------------------------------------------------------------- what the arena writes


def told(game: list[Played]) -> list[Any]:
    """Every message that a table of all-seeing spectators would get of a game."""
    messages: list[Any] = []
    for number, played in enumerate(game):
        where: dict[str, Any] = {"game": 0, "round": number}
        for index, state in enumerate(played.states):
            view = seen_by(state.to_act, state, played.hands, played.said[:index])
            seen: dict[str, Any] = {name: getattr(view, name) for name in view.__struct_fields__}
            offers = raises(state)
            messages.append(Turn(**seen, **where, id=index, raises=offers, dudo=index > 0))
            messages.append(CalzaOffer(**seen, **where, id=index))
        end = played.outcome
        settled: dict[str, Any] = {"count": end.count, "loser": end.loser, "gainer": end.gainer}
        said: dict[str, Any] = {"bids": played.said, "caller": end.caller, "call": end.call}
        said["palifico_seat"] = played.before.palifico_seat
        messages.append(RoundEnd(**where, **said, **settled, dice=played.hands))
    return messages


@some
@given(games())
def test_messages_of_a_game_are_valid(game: list[Played]) -> None:
    check = validator("to_bot.json")
    for message in told(game)[:100]:
        check.validate(plain(message))


@some
@given(rules(), st.integers(2, 6), st.data())
def test_all_other_messages_are_valid(book: Any, seats: int, data: st.DataObject) -> None:
    check = validator("to_bot.json")
    seat = data.draw(st.integers(0, seats - 1))
    places = tuple(data.draw(st.permutations(range(1, seats + 1))))
    limits = Limits(10.0, 0.5, 60)
    hello = Hello(
        protocol=1, seat=seat, seats=seats, games=3, seed=7, rules=in_full(book), limits=limits
    )
    fault = [FaultNotice(game=0, round=1, seat=seat, cause=cause.value) for cause in Cause]
    messages: list[ToBot] = [hello, *fault, GameEnd(game=2, places=places), Bye()]
    for message in messages:
        check.validate(plain(message))
        assert encode(message).count(b"\n") == 1


@pytest.mark.parametrize(
    "message",
    [
        {"type": "bye now"},
        {"type": "fault", "game": 0, "round": 0, "seat": 0, "cause": "bad luck"},
        {"type": "fault", "game": 0, "round": 0, "seat": 6, "cause": "crash"},
        {"type": "game_end", "game": 0},
        {"id": 1, "action": "dudo"},
    ],
)
def test_the_schema_refuses_what_the_arena_never_writes(message: dict[str, Any]) -> None:
    assert not validator("to_bot.json").is_valid(message)


# ---------------------------------------------------------------- what bots write


@some
@given(
    st.builds(Ready, calza=st.booleans(), concurrent_games=st.integers(1, 1024)),
    st.builds(
        Answer,
        id=st.integers(0, 2**60),
        action=st.sampled_from(["bid", "dudo", "calza", "pass"]),
        quantity=st.integers(0, 60),
        face=st.integers(0, 6),
    ),
)
def test_answers_are_valid(ready: Ready, answer: Answer) -> None:
    validator("from_bot.json").validate(plain(ready))
    validator("from_bot.json").validate(plain(answer))
    part("Answer").validate({**plain(answer), "comment": "unknown fields are free"})


@pytest.mark.parametrize(("kind", "what"), [
    *(("Answer", what) for what in BAD_ANSWERS),
    *(("Ready", what) for what in BAD_READIES),
])  # fmt: skip
def test_schema_and_codec_refuse_the_same(kind: str, what: str) -> None:
    line, because = (BAD_ANSWERS if kind == "Answer" else BAD_READIES)[what]
    if because not in NOT_FOR_SCHEMAS and not any(word in because for word in NOT_FOR_SCHEMAS):
        # JSON Schema takes 1.0 for a whole number: there the codec is the stricter one.
        value = json.loads(line, parse_float=str)
        assert not part(kind).is_valid(value)


# ---------------------------------------------------------------- records

numbers = st.integers(0, 30)
seat_numbers = st.integers(0, 5)
hands = st.lists(st.lists(st.integers(1, 6), max_size=5).map(tuple), max_size=6).map(tuple)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(RoundStarted, numbers, seat_numbers, st.none() | seat_numbers, hands),
    st.builds(BidMade, seat_numbers, numbers, st.integers(1, 6)),
    st.builds(
        CallMade,
        seat_numbers,
        st.sampled_from(["dudo", "calza"]),
        numbers,
        st.none() | seat_numbers,
        st.none() | seat_numbers,
        st.lists(seat_numbers, max_size=3).map(tuple),
    ),
    st.builds(Faulted, seat_numbers, st.sampled_from(list(Cause)), st.text(max_size=30)),
)


@some
@given(st.builds(GameRecord, numbers, st.permutations(range(1, 4)).map(tuple), st.lists(events)))
def test_records_are_valid_and_decode_to_themselves(record: GameRecord) -> None:
    stored = msgspec.json.encode(record)
    validator("record.json").validate(json.loads(stored))
    assert msgspec.json.decode(stored, type=GameRecord) == record
