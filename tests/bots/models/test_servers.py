"""Servers that fail: one line for the operator, or an error for the bot that alone causes it."""

import json
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from threading import Event, Thread
from typing import Any

import pytest

from arena.bots.models.config import Cap, Caps, KeySource
from arena.bots.models.gateway import Gateway, ServerDownError
from arena.bots.models.model_socket import Waits
from tests.bots.models.callers import Connection, Seat, model, table
from tests.support.model_server import Reply, completion, say, send, serving

KEY = "sk-secret-secret"


def with_status(status: int, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        send(handler, status, f'{{"error": "{KEY}"}}'.encode(), **headers)

    return reply


def with_body(body: bytes) -> Reply:
    return lambda handler, _: send(handler, 200, body)


def endless(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


def dripping(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.over.wait(0.05):  # type: ignore[attr-defined]
        handler.wfile.write(b" ")


def cut(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(completion("hi")[:20])


def garbage(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"\x00" * 100)


def found_down(gateway: Gateway, seat: Seat) -> str:
    """Ask, and return why the server is taken to be down."""
    connection = Connection(seat.socket.path)
    connection.connect()
    thread = Thread(target=asked_quietly, args=(seat, connection), daemon=True)
    thread.start()
    while thread.is_alive():
        try:
            gateway.check()
        except ServerDownError as error:
            return str(error)
        thread.join(0.01)
    return ""


def asked_quietly(seat: Seat, connection: Connection) -> None:
    try:
        seat.ask(connection)
    except OSError:
        return


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (with_status(401), "it does not accept the key (401)"),
        (with_status(403), "it does not accept the key (403)"),
        (with_status(302, Location="http://127.0.0.1:9/"), "it redirects elsewhere (302)"),
        (with_status(404), "it answers with the status 404"),
        (with_status(500), "it answers with the status 500"),
        (with_status(429), "it answers with the status 429"),
        (with_body(b"<html>"), "its answer is no chat completion"),
        (with_body(b'{"choices": []}'), "its answer has no choices"),
        (with_body(b"[" * 100_000), "its answer is no chat completion"),
        (endless, "its answer has more than 1,048,576 bytes"),
        (dripping, "no answer within 0.2 s"),
        (cut, "its answer is no chat completion"),
        (garbage, "its answer is not HTTP"),
    ],
)
def test_failing_server_is_one_line(
    reply: Reply, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", KEY)
    with serving(reply) as server:
        server.over = Event()  # type: ignore[attr-defined]
        small = model(server.url, key=KeySource(env="KEY"), timeout=0.2 if reply is dripping else 5)
        with table({"small": small}, ("small",)) as (gateway, [seat]):
            line = found_down(gateway, seat)
        server.over.set()  # type: ignore[attr-defined]
    assert line.startswith(f"the server of the model 'small' fails: {why}")
    assert line.count("\n") == 0
    assert KEY not in line
    assert gateway.exchanges == []


LONG = [{"role": "user", "content": "long"}]


def silent(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.server.over.wait()  # type: ignore[attr-defined]


def only_long(fails: Reply) -> Reply:
    """Fail with long prompts, and answer all others."""

    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        (fails if body["messages"] == LONG else say("hi"))(handler, body)

    return reply


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        (with_status(500), "it answers with the status 500"),
        (silent, "no answer within 0.2 s"),
        (with_body(b"<html>"), "its answer is no chat completion"),
        (endless, "its answer has more than 1,048,576 bytes"),
    ],
)
def test_failure_that_only_some_requests_cause_is_an_error_for_their_bot(
    fails: Reply, why: str
) -> None:
    with serving(only_long(fails)) as server:
        server.over = Event()  # type: ignore[attr-defined]
        small = model(server.url, timeout=0.2 if fails is silent else 5)
        with table({"small": small}, ("small",), ("small",)) as (gateway, [seat, other]):
            failed = seat.ask(messages=LONG)
            gateway.check()
            assert (seat.ask().text, other.ask().text) == ("hi", "hi")
        server.over.set()  # type: ignore[attr-defined]
    assert (failed.status, failed.code) == (502, "server_failed")
    assert failed.body["error"]["type"] == "server_error"
    assert why in failed.body["error"]["message"]
    noted = [(one.seat, one.refused, one.answer, one.micros) for one in gateway.exchanges]
    assert noted == [(0, "server_failed", "", 0), (0, "", "hi", 200), (1, "", "hi", 200)]


def test_bot_whose_requests_fail_is_soon_refused_for_the_rest_of_the_game() -> None:
    with (
        serving(only_long(with_status(500))) as server,
        table({"small": model(server.url, retries=1)}, ("small",)) as (gateway, [seat]),
    ):
        codes = [seat.ask(messages=LONG).code for _ in range(4)]
        asked = [body["messages"] == LONG for body in server.asked]
        assert seat.ask().code == "server_failed"
        seat.next_game(1)
        assert seat.ask().text == "hi"
    assert codes == ["server_failed"] * 4
    # A request that failed is tried again in a game once, and a probe follows each.
    assert asked == [True, True, False, True, False, True, False]
    assert [one.refused for one in gateway.exchanges] == [*["server_failed"] * 3, ""]


def without_usage(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    answer = json.loads(completion("x" * 400))
    del answer["usage"]
    send(handler, 200, json.dumps(answer).encode())


def counting_none(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    send(handler, 200, completion("x" * 400, tokens=(0, 0)))


@pytest.mark.parametrize("reply", [without_usage, counting_none])
def test_tokens_that_a_server_does_not_count_are_estimated(reply: Reply) -> None:
    caps = Caps(game=Cap(tokens=200))
    with (
        serving(reply) as server,
        table({"small": model(server.url, caps=caps)}, ("small",)) as (gateway, [seat]),
    ):
        usage = seat.ask(messages=[{"role": "user", "content": "x" * 400}]).body["usage"]
        assert seat.ask().code == "game_tokens_used_up"
    [answer, _] = gateway.exchanges
    assert answer.estimated
    assert 100 <= answer.tokens_in == usage["prompt_tokens"] <= 130
    assert answer.tokens_out == usage["completion_tokens"] == 100
    assert answer.micros == answer.tokens_in + 10 * answer.tokens_out


def test_no_server_at_all_is_one_line() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with table({"small": model(url)}, ("small",)) as (gateway, [seat]):
        assert "connection refused" in found_down(gateway, seat)


@pytest.mark.slow
def test_server_that_recovers_is_asked_again_and_the_bot_does_not_notice() -> None:
    def recovers(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        (with_status(503) if len(server.asked) < 3 else say("hi"))(handler, body)

    with (
        serving(recovers) as server,
        table({"small": model(server.url, retries=2)}, ("small",)) as (_, [seat]),
    ):
        assert seat.ask().text == "hi"
        waits = seat.socket.waits
        # The pauses between attempts are nobody's.
        assert waits.held - waits.for_answer >= 0.75
    assert len(server.asked) == 3


def test_request_that_a_server_refuses_is_the_bots_to_mend() -> None:
    with (
        serving(with_status(400)) as server,
        table({"small": model(server.url)}, ("small",)) as (gateway, [seat]),
    ):
        refused = seat.ask()
        gateway.check()
    assert (refused.status, refused.code) == (400, "server_refused")


@pytest.mark.parametrize("wait", [lambda waits: waits.holding(), lambda waits: waits.serving()])
def test_parallel_requests_wait_once(wait: Callable[[Any], Any]) -> None:
    now = [0.0]
    waits = Waits(lambda: now[0])
    with wait(waits):
        now[0] = 1.0
        with wait(waits):
            now[0] = 3.0
    now[0] = 9.0
    assert (waits.held, waits.for_answer) in [(3.0, 0.0), (0.0, 3.0)]
