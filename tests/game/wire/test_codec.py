"""The fast path agrees with strict decoding; encoded messages can be decoded."""

import json
from contextlib import suppress
from random import Random

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.game.wire import codec
from arena.game.wire.codec import StrictError, decode_answer, decode_ready, encode
from arena.game.wire.messages import Answer, Bye, Ready
from tests.support.depth import depth

every_line = settings(max_examples=depth(133, 400), deadline=None, database=None)

NUMBERS = ["0", "-0", "1", "3", "12", "-1", "1.0", "1e0", "1E2", "01", "true", "null", "NaN"]
NUMBERS += ['"3"', "9" * 30, "9" * 4300, "9" * 4301, "18446744073709551616", "[]", "{}"]
KEYS = ['"id"', '"action"', '"quantity"', '"face"', '"x"', r'"\u0069d"', "id", '"ID"', '"id "']
ACTIONS = ['"bid"', '"dudo"', '"calza"', '"pass"', '"raise"', r'"\u0064udo"', '"Dudo"', "dudo"]
GOOD_PAIRS = [('"id"', "1"), ('"action"', '"bid"'), ('"quantity"', "3"), ('"face"', "4")]
GOOD_PAIRS += [('"by"', '"model"'), ('"by"', '"retry"')]
BLANKS = ["", "", "", " ", "\t", "\r", "\n", "\x0c", "\ufeff", "\0"]


def read(line: bytes, *, strict: bool) -> Answer | None:
    """Decode a line strictly or by the fast path; None if it is refused."""
    try:
        return codec._decode_strictly(line, Answer) if strict else decode_answer(line)
    except StrictError:
        return None


@st.composite
def nearly_answers(draw: st.DrawFn) -> bytes:
    """An object of known and strange keys and values, in any order, some of them twice."""
    blank = st.sampled_from(BLANKS)
    pairs = draw(
        st.lists(
            st.sampled_from(GOOD_PAIRS) | st.tuples(st.sampled_from(KEYS), _values()), max_size=6
        )
    )
    if draw(st.booleans()):
        pairs = [('"id"', "1"), ('"action"', draw(st.sampled_from(ACTIONS))), *pairs]
    inner = ",".join(f"{draw(blank)}{key}{draw(blank)}:{value}" for key, value in pairs)
    return f"{draw(blank)}{{{inner}}}{draw(blank)}{draw(blank)}".encode()


def _values() -> st.SearchStrategy[str]:
    return st.sampled_from(NUMBERS + ACTIONS)


@st.composite
def mutated_answers(draw: st.DrawFn) -> bytes:
    """A good line with some of its bytes changed, lost or doubled."""
    line = bytearray(draw(st.sampled_from(GOOD_LINES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(line) - 1)) if line else 0
        change = draw(st.integers(0, 2))
        if change == 0:
            line[at : at + 1] = draw(st.binary(max_size=2))
        elif change == 1:
            line[at:at] = draw(st.sampled_from([b'"', b"\\", b",", b"}", b"0", b'"id":1,']))
        else:
            del line[at : at + draw(st.integers(1, 8))]
    return bytes(line)


GOOD_LINES = [
    b'{"id":12,"action":"bid","quantity":3,"face":4}\n',
    b'{"id":12,"action":"dudo"}\n',
    b'{"id":0,"action":"calza"}\r\n',
    b'{"action":"pass","id":0}\n',
]


@every_line
@given(nearly_answers() | mutated_answers() | st.binary(max_size=60))
@example(b'{"id":1,"action":"bid","quantity":0,"quantity":3}')
@example(b'{"id":1,"action":"bid","quantity":3,"face":4,"face":0}')
@example(b'{"id":%b,"action":"dudo"}' % (b"9" * 4300))
@example(b'{"id":%b,"action":"dudo"}' % (b"9" * 4301))
@example(b'{"id":1,"action":"dudo"}\xff')
@example(b'{"id":1,"action":"dudo","by":"model","by":"model"}')
@example(b'{"id":1,"action":"dudo","by":"me"}')
@example(b'{"id":1,"action":"dudo","by":null}')
def test_fast_path_agrees_with_strict_decoding(line: bytes) -> None:
    assert read(line, strict=False) == read(line, strict=True)


@pytest.mark.parametrize("line", GOOD_LINES)
def test_plain_lines_take_the_fast_path(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this the property above would compare the careful way with itself."""

    def careful(*_: object) -> None:
        raise AssertionError("not read the fast way")

    monkeypatch.setattr(codec, "_decode_strictly", careful)
    assert decode_answer(line).id in (0, 12)


def test_answer_may_say_who_decided() -> None:
    answer = decode_answer(b'{"id":1,"action":"dudo","by":"model"}')
    assert answer == Answer(id=1, action="dudo", by="model")
    for wrong in (b'"me"', b"null", b"1", b'"model","by":"model"'):
        with pytest.raises(StrictError):
            decode_answer(b'{"id":1,"action":"dudo","by":%b}' % wrong)


@every_line
@given(
    st.builds(
        Answer,
        id=st.integers(0, 2**70),
        action=st.sampled_from(["bid", "dudo", "calza", "pass"]),
        quantity=st.integers(0, 70),
        face=st.integers(0, 9),
        by=st.sampled_from(["model", "retry", "fallback", msgspec.UNSET]),
    ),
    st.randoms(use_true_random=False),
)
def test_output_of_any_json_encoder_is_decoded(answer: Answer, rng: Random) -> None:
    """Keys in any order, spaces or none: as the JSON libraries of all languages write them."""
    fields = [
        (name, value)
        for name, value in msgspec.structs.asdict(answer).items()
        if value is not msgspec.UNSET
    ]
    rng.shuffle(fields)
    for separators in ((",", ":"), (", ", ": ")):
        assert decode_answer(json.dumps(dict(fields), separators=separators).encode()) == answer


@every_line
@given(st.binary(max_size=200) | nearly_answers() | mutated_answers())
def test_any_line_is_read_or_refused(line: bytes) -> None:
    """Nothing that a bot may write raises anything but StrictError."""
    read(line, strict=False)
    with suppress(StrictError):
        assert isinstance(decode_ready(line), Ready)


def test_a_message_is_one_line() -> None:
    assert encode(Bye()) == b'{"type":"bye"}\n'
