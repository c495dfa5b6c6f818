"""Forbidden output: illegal actions, malformed JSON, floods."""

from .frame import Act, Message, answer, at, legal, put

# Each is written instead of an answer; %d is the request's id.
LINES: dict[str, bytes] = {
    "bids_more_dice_than_there_are": b'{"id":%d,"action":"bid","quantity":99,"face":2}',
    "bids_nothing": b'{"id":%d,"action":"bid"}',
    "bids_a_face_of_4300_digits": b'{"id":%%d,"action":"bid","quantity":1,"face":%b}'
    % (b"9" * 4300),
    "calls_calza_in_its_turn": b'{"id":%d,"action":"calza"}',
    "prints_its_thoughts": b"request %d, let me think ...",
    "writes_terminal_codes": b"\x1b[2J\x1b]0;request %d\x07",
    "writes_invalid_utf_8": b'{"id":%d,"action":"dudo","x":"\xff\xfe\x80"}',
    "writes_a_nul_byte": b'{"id":%d,"action":"dudo","x":"\0"}',
    "writes_a_byte_order_mark": b'\xef\xbb\xbf{"id":%d,"action":"dudo"}',
    "writes_a_lone_surrogate": b'{"id":%d,"action":"dudo","x":"\\ud800"}',
    "writes_a_lone_surrogate_as_bytes": b'{"id":%d,"action":"dudo","x":"\xed\xa0\x80"}',
    "opens_60000_brackets": b'{"id":%%d,"action":"dudo","x":%b' % (b"[" * 60_000),
    "nests_30000_brackets": b'{"id":%%d,"action":"dudo","x":%b}' % (b"[" * 30_000 + b"]" * 30_000),
    "writes_60000_digits": b'{"id":%%d,"action":"dudo","x":%b}' % (b"9" * 60_000),
    "writes_1e400": b'{"id":%d,"action":"dudo","x":1e400}',
    "writes_nan": b'{"id":%d,"action":"dudo","x":NaN}',
    "writes_minus_infinity": b'{"id":%d,"action":"dudo","x":-Infinity}',
    "duplicates_a_key": b'{"id":%d,"action":"pass","action":"dudo"}',
    "duplicates_a_key_by_an_escape": b'{"id":%d,"action":"pass","\\u0061ction":"dudo"}',
    "writes_a_float_for_a_whole_number": b'{"id":%d,"action":"bid","quantity":1.0,"face":2}',
    "writes_a_bool_for_a_whole_number": b'{"id":%d,"action":"bid","quantity":true,"face":2}',
    "writes_a_string_for_a_whole_number": b'{"id":%d,"action":"bid","quantity":"1","face":2}',
    "writes_a_negative_number": b'{"id":%d,"action":"bid","quantity":-1,"face":2}',
    "writes_an_array": b'[{"id":%d,"action":"dudo"}]',
    "writes_null": b"null",
    "writes_an_empty_line": b"",
    "writes_two_values_on_a_line": b'{"id":%d,"action":"dudo"}{}',
    "writes_an_unknown_action": b'{"id":%d,"action":"skip"}',
    "answers_a_request_that_never_was": b'{"id":999999,"action":"dudo"}',
    "answers_a_request_of_4300_digits": b'{"id":%b,"action":"dudo"}' % (b"9" * 4300),
}
READY: dict[str, bytes] = {
    "announces_zero_games_at_a_time": b'{"type":"ready","concurrent_games":0}\n',
    "announces_minus_one_game_at_a_time": b'{"type":"ready","concurrent_games":-1}\n',
    "announces_a_billion_games_at_a_time": b'{"type":"ready","concurrent_games":1000000000}\n',
    "announces_a_bool_of_games_at_a_time": b'{"type":"ready","concurrent_games":true}\n',
    "announces_another_protocol": b'{"type":"ready","protocol":2}\n',
    "answers_before_it_is_ready": b'{"id":1,"action":"dudo"}\n',
    "is_ready_twice": b'{"type":"ready"}\n' * 2,
    "answers_before_it_is_asked": b'{"type":"ready"}\n{"id":999999,"action":"dudo"}\n',
}


def _instead(line: bytes) -> Act:
    def act(message: Message) -> None:
        put((line % message["id"] if b"%d" in line else line) + b"\n")

    return act


def _greeting(lines: bytes) -> Act:
    return lambda message: put(lines)


def _register(moment: str, name: str, act: Act) -> None:
    act.__name__ = name
    at(moment)(act)


for _name, _line in LINES.items():
    _register("turn", _name, _instead(_line))
for _name, _line in READY.items():
    _register("hello", _name, _greeting(_line))


def _flood(chunk: bytes) -> None:
    while True:
        put(chunk)


@at("start")
def prints_before_it_is_ready(message: Message) -> None:
    put(b"hello, world\n")


@at("turn")
def calls_dudo_on_the_opening(message: Message) -> None:
    if message["dudo"]:
        answer(message)
    else:
        put(b'{"id":%d,"action":"dudo"}\n' % message["id"])


@at("turn")
def answers_twice(message: Message) -> None:
    answer(message)
    answer(message)


@at("turn")
def answers_twice_in_one_write(message: Message) -> None:
    put((legal(message) + b"\n") * 2)


_earlier: list[bytes] = []


@at("turn")
def answers_an_old_request(message: Message) -> None:
    _earlier.append(legal(message))
    put(_earlier[0] + b"\n")


@at("turn")
def floods_its_output_without_a_newline(message: Message) -> None:
    _flood(b"x" * 4096)


@at("turn")
def floods_its_output_after_its_answer(message: Message) -> None:
    """While it is not to move."""
    answer(message)
    _flood(b"x" * 4096)


@at("start")
def floods_before_it_is_ready(message: Message) -> None:
    _flood(b"x" * 4096)


@at("turn")
def writes_a_line_too_long(message: Message) -> None:
    put(legal(message).ljust(65_536) + b"\n")
