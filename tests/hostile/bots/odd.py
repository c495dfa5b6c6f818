"""Unusual but allowed: such bots play to the end without a fault."""

import os

from .frame import (
    Message,
    answer,
    at,
    hang,
    legal,
    put,
    read_together,
    ready,
    start_daemon,
)


@at("turn")
def has_a_name_of_html_and_dots(message: Message) -> None:
    """Nothing else: all of these bots have this name."""
    answer(message)


@at("turn")
def writes_one_byte_at_a_time(message: Message) -> None:
    for byte in legal(message) + b"\n":
        put(bytes([byte]))


@at("turn")
def ends_its_lines_with_crlf(message: Message) -> None:
    put(legal(message) + b"\r\n")


@at("turn")
def puts_spaces_around_its_lines(message: Message) -> None:
    put(b" \t" + legal(message) + b" \t\r\n")


@at("turn")
def writes_unicode_line_separators(message: Message) -> None:
    """Programs that split lines as Python does would see five lines."""
    answer(message, x="a\u2028b\u2029c\x85d")


@at("turn")
def adds_unknown_fields(message: Message) -> None:
    answer(message, thoughts=["\u2603", {"x": 1.5}])


@at("turn")
def writes_a_line_of_65536_bytes(message: Message) -> None:
    put(legal(message).ljust(65_535) + b"\n")


@at("hello")
def sends_ready_in_two_parts(message: Message) -> None:
    put(b'{"type":')
    put(b'"ready"}\n')


@at("hello")
def adds_unknown_fields_to_its_ready(message: Message) -> None:
    put(b'{"type":"ready","name":"x","concurrent_games":9}\n')


@at("hello")
def answers_its_latest_request_first(message: Message) -> None:
    """The ids say which is meant."""
    for turns in read_together(64):
        for turn in reversed(turns):
            answer(turn)


@at("turn")
def fills_its_standard_error(message: Message) -> None:
    os.write(2, b"x" * 300_000)
    answer(message)


@at("start")
def closes_its_standard_error(message: Message) -> None:
    os.close(2)


@at("hello")
def has_a_child_that_never_exits(message: Message) -> None:
    if not os.fork():
        hang()
    ready()


@at("hello")
def has_a_daemon_that_holds_its_pipes(message: Message) -> None:
    start_daemon(hold_pipes=True)
    ready()


@at("hello")
def has_a_daemon_without_its_pipes(message: Message) -> None:
    start_daemon(hold_pipes=False)
    ready()


@at("other")
def does_not_exit_after_bye(message: Message) -> None:
    if message["type"] == "bye":
        hang()
