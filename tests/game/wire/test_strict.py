"""Lines from bots are decoded strictly: each refusal, and what is accepted."""

import functools
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game.wire.codec import StrictError, decode_answer, decode_ready, loads
from arena.game.wire.messages import Answer, Ready

Decode = Callable[[bytes], object]
DUDO = b'"id":1,"action":"dudo"'

# Refused in any line: as a value of the key "x", or around it.
BAD_VALUES = {
    "invalid UTF-8": (b'"\xff"', "not valid UTF-8"),
    "an overlong encoding": (b'"\xc0\xaf"', "not valid UTF-8"),
    "an encoded surrogate": (b'"\xed\xa0\x80"', "not valid UTF-8"),
    "NaN": (b"NaN", "NaN is not JSON"),
    "Infinity": (b"Infinity", "Infinity is not JSON"),
    "-Infinity": (b"-Infinity", "-Infinity is not JSON"),
    "a number that overflows": (b"1e999", "too large"),
    "more digits than can be printed": (b"9" * 5000, "not valid JSON"),
    "a leading zero": (b"01", "not valid JSON"),
    "a plus sign": (b"+1", "not valid JSON"),
    "a bare point": (b"1.", "not valid JSON"),
    "a lone high surrogate": (rb'"\ud83d"', "lone surrogate"),
    "a lone low surrogate": (rb'"\ude00"', "lone surrogate"),
    "surrogates the wrong way round": (rb'"\ude00\ud83d"', "lone surrogate"),
    "a lone surrogate in a key": (rb'{"\ud800":1}', "lone surrogate"),
    "a duplicate key further in": (b'{"a":1,"a":1}', "duplicate key 'a'"),
    "a duplicate key in an array": (b'[{"a":1,"b":2,"a":3}]', "duplicate key 'a'"),
    "deep arrays": (b"[" * 30_000 + b"]" * 30_000, "nested too deeply: 30001 "),
    "deep objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested too deeply: 10001 "),
    "deep arrays that do not end": (b"[" * 30_000, "nested too deeply: 30001 "),
    "32 arrays, 33 with the line's own object": (
        b"[" * 32 + b"]" * 32,
        "nested too deeply: 33 arrays and objects, at most 32",
    ),
    "32 objects in each other": (b'{"a":' * 32 + b"1" + b"}" * 32, "nested too deeply: 33 "),
    "arrays after a string that ends in a backslash": (
        rb'["\\",%b]' % (b"[" * 31 + b"]" * 31),
        "nested too deeply: 33 ",
    ),
    "arrays between strings with brackets": (
        b'["]",' * 32 + b"1" + b"]" * 32,
        "nested too deeply: 33 ",
    ),
    "a control character": (b'"a\tb"', "not valid JSON"),
    "an unknown escape": (rb'"\x41"', "not valid JSON"),
    "single quotes": (b"'a'", "not valid JSON"),
    "nothing": (b"", "not valid JSON"),
    "a trailing comma": (b"1,", "not valid JSON: Illegal trailing comma before end of object: "),
    "a comma before the end of an array": (
        b"[1, ]",
        "not valid JSON: Illegal trailing comma before end of array: ",
    ),
    "a comma before the end of something else": (b"[1,}", "not valid JSON: Expecting value: "),
    "a comment": (b"1 // one", "not valid JSON"),
}
GOOD_VALUES = {
    "a pair of surrogates": rb'"\ud83d\ude00"',
    "an escaped letter": rb'"\u0041"',
    "an escaped backslash before a u": rb'"\\ud800"',
    "raw UTF-8": '"Würfel 🎲"'.encode(),
    "a float": b"1.5e3",
    "a large whole number": b"9" * 400,
    "31 arrays, 32 with the line's own object": b"[" * 31 + b"]" * 31,
    "31 objects in each other": b'{"a":' * 31 + b"1" + b"}" * 31,
    "many arrays side by side": b"[" + b"[[]]," * 1000 + b"[[]]]",
    "brackets in a string": b'"%b"' % (b"[{" * 1000),
    "brackets after an escaped quotation mark": rb'"\"%b"' % (b"[" * 1000),
    "brackets after two escapes": rb'"\\\"%b"' % (b"[" * 1000),
    "brackets in a key": b'{"%b":1}' % (b"{" * 1000),
    "all of a line": b"[" + b"[[]]," * 12_000 + b"1]",
    "the same key in two objects": b'[{"a":1},{"a":1}]',
}
BAD_LINES = {
    "an empty line": b"\n",
    "blanks": b"  \n",
    "text": b"hello\n",
    "an array": b"[1]\n",
    "null": b"null\n",
    "a string": b'"dudo"\n',
    "a number": b"1\n",
    "two objects": b"{%b} {%b}\n" % (DUDO, DUDO),
    "something after it": b"{%b} x\n" % DUDO,
    "a zero byte after it": b"{%b}\0\n" % DUDO,
    "a byte order mark": b"\xef\xbb\xbf{%b}\n" % DUDO,
    "a form feed before it": b"\x0c{%b}\n" % DUDO,
    "UTF-16": "{}".encode("utf-16"),
    "half an object": b'{"id":1,\n',
}
BAD_ANSWERS = {
    "no id": (b'{"action":"dudo"}', "missing required field `id`"),
    "another action": (b'{"id":1,"action":"zz"}', "(known: bid, calza, dudo, pass)"),
    "an action of 1": (b'{"id":1,"action":1}', "$.action"),
    "a bid of nothing": (b'{"id":1,"action":"bid"}', "the bid has no quantity and no face"),
    "a bid of other fields": (
        b'{"id":1,"action":"bid","face":3,"count":2}',
        "the bid has no quantity; it has count",
    ),
    "no action": (b'{"id":1}', "missing required field `action`"),
    "an unknown action": (
        b'{"id":1,"action":"raise"}',
        "unknown action 'raise' (did you mean 'bid'?)",
    ),
    "an action in capitals": (b'{"id":1,"action":"DUDO"}', "(did you mean 'dudo'?)"),
    "an id of true": (b'{"id":true,"action":"dudo"}', "got `bool` - at `$.id`"),
    "an id of 1.0": (b'{"id":1.0,"action":"dudo"}', "got `float` - at `$.id`"),
    "an id of 1e0": (b'{"id":1e0,"action":"dudo"}', "got `float` - at `$.id`"),
    "an id of text": (b'{"id":"1","action":"dudo"}', "got `str` - at `$.id`"),
    "an id of null": (b'{"id":null,"action":"dudo"}', "at `$.id`"),
    "a negative id": (b'{"id":-1,"action":"dudo"}', "at `$.id`"),
    "an endless id": (b'{"id":%b,"action":"dudo"}' % (b"9" * 5000), "not valid JSON"),
    "a quantity of 3.0": (b'{"id":1,"action":"bid","quantity":3.0,"face":4}', "$.quantity"),
    "a face of true": (b'{"id":1,"action":"bid","quantity":3,"face":true}', "$.face"),
    "a negative face": (b'{"id":1,"action":"bid","quantity":3,"face":-4}', "$.face"),
    "an endless quantity": (
        b'{"id":1,"action":"bid","quantity":%b,"face":2}' % (b"9" * 5000),
        "not valid JSON",
    ),
    "the same key twice": (b'{"id":1,"id":1,"action":"dudo"}', "duplicate key 'id'"),
    "two actions": (b'{"id":1,"action":"dudo","action":"pass"}', "duplicate key 'action'"),
    "a key twice, once escaped": (rb'{"id":1,"\u0069d":2,"action":"dudo"}', "duplicate key 'id'"),
    "a bid with a key twice": (
        b'{"id":1,"action":"bid","quantity":3,"face":4,"face":5}',
        "duplicate key 'face'",
    ),
    "a bid with one key twice instead of another": (
        b'{"id":1,"action":"bid","quantity":3,"quantity":4}',
        "duplicate key 'quantity'",
    ),
    "an unknown key twice": (b'{"id":1,"action":"dudo","x":1,"x":1}', "duplicate key 'x'"),
}
BAD_READIES = {
    "another protocol": (b'{"type":"ready","protocol":2}', "$.protocol"),
    "a protocol of true": (b'{"type":"ready","protocol":true}', "$.protocol"),
    "calza as a number": (b'{"type":"ready","calza":1}', "$.calza"),
    "no concurrent game": (b'{"type":"ready","concurrent_games":0}', "$.concurrent_games"),
    "far too many": (b'{"type":"ready","concurrent_games":1025}', "$.concurrent_games"),
    "half a game": (b'{"type":"ready","concurrent_games":1.5}', "$.concurrent_games"),
    "another type": (b'{"type":"steady"}', "$.type"),
    "no type": (b"{}", "type"),
    "an answer": (b"{%b}" % DUDO, "type"),
    "a key twice": (b'{"type":"ready","calza":false,"calza":true}', "duplicate key 'calza'"),
}


def check_refused(decode: Decode, line: bytes, because: str = "") -> None:
    with pytest.raises(StrictError) as refusal:
        decode(line)
    assert because in str(refusal.value)


# ---------------------------------------------------------------- any line


@pytest.mark.parametrize("decode", [loads, decode_answer, decode_ready])
@pytest.mark.parametrize("what", BAD_VALUES)
def test_lax_json_is_refused(what: str, decode: Decode) -> None:
    value, because = BAD_VALUES[what]
    known = b'"type":"ready"' if decode is decode_ready else DUDO
    check_refused(decode, b'{%b,"x":%b}\n' % (known, value), because)


@pytest.mark.parametrize("what", GOOD_VALUES)
def test_unknown_fields_may_hold_any_json(what: str) -> None:
    value = GOOD_VALUES[what]
    assert decode_answer(b'{%b,"x":%b}\n' % (DUDO, value)) == Answer(id=1, action="dudo")
    assert decode_ready(b'{"x":%b,"type":"ready"}\n' % value) == Ready()


@pytest.mark.parametrize("decode", [decode_answer, decode_ready])
@pytest.mark.parametrize("line", BAD_LINES.values(), ids=list(BAD_LINES))
def test_a_line_is_one_object(line: bytes, decode: Decode) -> None:
    check_refused(decode, line)


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, dict | list) + max(map(_depth, inner), default=0)


_TEXTS = st.text('[]{}\\",:a\u2028', max_size=8)
_DEEP = st.builds(
    lambda value, around: functools.reduce(lambda inner, wrap: wrap(inner), around, value),
    st.recursive(_TEXTS, lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner)),
    st.lists(
        st.sampled_from([lambda inner: [inner], lambda inner: {"[": inner, '"': "]"}]),
        min_size=20,
        max_size=40,
    ),
)


@given(value=_DEEP, ascii_only=st.booleans())
def test_32_arrays_and_objects_may_be_nested(value: object, ascii_only: bool) -> None:
    answer = {"id": 1, "action": "dudo", "x": value}
    line = json.dumps(answer, ensure_ascii=ascii_only).encode()
    depth = _depth(answer)
    if depth <= 32:
        assert decode_answer(line) == Answer(id=1, action="dudo")
    else:
        check_refused(decode_answer, line, f"nested too deeply: {depth} ")


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_refused_answers(what: str) -> None:
    line, because = BAD_ANSWERS[what]
    check_refused(decode_answer, line + b"\n", because)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"  \n", b"\t\r\n"])
def test_line_ends_and_blanks_are_accepted(end: bytes) -> None:
    bid = Answer(id=7, action="bid", quantity=3, face=4)
    assert decode_answer(b'{"id":7,"action":"bid","quantity":3,"face":4}' + end) == bid
    spaced = b' { "face" : 4 , "quantity" : 3 , "action" : "bid" , "id" : 7 }'
    assert decode_answer(spaced + end) == bid
    assert decode_ready(b'{"type":"ready"}' + end) == Ready()


def test_escapes_and_unknown_fields_in_answers() -> None:
    assert decode_answer(rb'{"\u0069d":1,"action":"\u0064udo"}') == Answer(id=1, action="dudo")
    assert decode_answer(b'{"id":1,"action":"pass","type":"answer"}') == Answer(id=1, action="pass")
    bid = b'{"id":1,"action":"bid","quantity":0,"face":0}'
    assert decode_answer(bid) == Answer(id=1, action="bid")
    assert decode_answer(b'{"id":10000000000000000000000,"action":"dudo"}').id == 10**22


# ---------------------------------------------------------------- ready


@pytest.mark.parametrize("what", BAD_READIES)
def test_refused_readies(what: str) -> None:
    line, because = BAD_READIES[what]
    check_refused(decode_ready, line + b"\n", because)


def test_ready_has_defaults() -> None:
    assert decode_ready(b'{"type":"ready"}') == Ready(protocol=1, calza=False, concurrent_games=1)
    full = b'{"concurrent_games":16,"calza":true,"protocol":1,"type":"ready","name":"Ada"}'
    assert decode_ready(full) == Ready(calza=True, concurrent_games=16)


def test_a_long_key_is_not_quoted_in_full() -> None:
    key = b"k" * 1000
    with pytest.raises(StrictError) as refusal:
        decode_answer(b'{%b,"%b":1,"%b":2}' % (DUDO, key, key))
    assert len(str(refusal.value)) < 100
