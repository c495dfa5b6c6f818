"""What bots may ask at their sockets, and what they get instead of what they may not."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from arena.bots.models.config import Cap, Caps, Model
from arena.game.records import DecidedBy, Decision
from tests.bots.models.callers import HELLO, Connection, model, table
from tests.support.depth import depth
from tests.support.model_server import ModelServer, completion, say, send, serving


def test_answers_come_over_one_connection_and_are_noted_with_game_round_and_turn() -> None:
    with serving(say("[dudo]")) as server, table({"small": model(server.url)}, ("small",)) as at:
        gateway, [seat] = at
        connection = Connection(seat.socket.path)
        answers = [seat.ask(connection, temperature=0.5, max_tokens=9999) for _ in range(3)]
        connection.close()
    assert [answer.text for answer in answers] == ["[dudo]"] * 3
    assert [body["max_tokens"] for body in server.asked] == [1024] * 3
    assert {body["model"] for body in server.asked} == {"there"}
    noted = [(one.seat, one.game, one.round, one.turn, one.model) for one in gateway.exchanges]
    assert noted == [(0, 0, 2, 1, "small")] * 3
    assert sum(one.micros for one in gateway.exchanges) == 3 * (100 * 1 + 10 * 10)


@pytest.mark.parametrize(
    ("field", "said", "noted"),
    [
        ("reasoning_content", "Two are missing.", "Two are missing."),
        ("reasoning", "Two are missing.", "Two are missing."),
        ("reasoning", {"effort": "high"}, ""),
        ("reasoning_content", None, ""),
    ],
)
def test_thoughts_of_a_model_are_noted_and_not_passed_on(
    field: str, said: object, noted: str
) -> None:
    def thinks(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        answer = json.loads(completion("[dudo]"))
        answer["choices"][0]["message"][field] = said
        send(handler, 200, json.dumps(answer).encode())

    with serving(thinks) as server, table({"small": model(server.url)}, ("small",)) as at:
        gateway, [seat] = at
        answer = seat.ask()
    assert answer.body["choices"][0]["message"] == {"role": "assistant", "content": "[dudo]"}
    assert [(one.answer, one.reasoning) for one in gateway.exchanges] == [("[dudo]", noted)]


def test_bot_sees_the_models_that_it_was_granted() -> None:
    models = {name: model("http://127.0.0.1:9/v1") for name in ("small", "large")}
    with table(models, ("small",), ("large", "small", "gone")) as (_, seats):
        listed = [seat.send("GET", "/v1/models").body["data"] for seat in seats]
        refused = seats[0].ask(model="large")
    assert [[entry["id"] for entry in data] for data in listed] == [["small"], ["large", "small"]]
    assert (refused.status, refused.code) == (404, "model_not_found")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"stream": True}, "unsupported"),
        ({"tools": []}, "unsupported"),
        ({"n": 2}, "unsupported"),
        ({"user": "another"}, "unsupported"),
        ({"cache_prompt": True}, "unsupported"),
        ({"id_slot": 0}, "unsupported"),
        ({"messages": []}, "invalid_request"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "invalid_request"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]},
            "invalid_request",
        ),
        ({"max_tokens": 0}, "invalid_request"),
        ({"max_tokens": "many"}, "invalid_request"),
        ({"model": 3}, "invalid_request"),
    ],
)
def test_other_fields_are_refused(fields: dict[str, Any], code: str) -> None:
    with serving(say("")) as server, table({"small": model(server.url)}, ("small",)) as (_, [seat]):
        refused = seat.ask(**fields)
    assert (refused.status, refused.code) == (400, code)
    assert server.asked == []


def test_other_routes_and_sizes_are_refused() -> None:
    with serving(say("")) as server, table({"small": model(server.url)}, ("small",)) as (_, [seat]):
        post = [seat.send("POST", path, b"{}") for path in ("/v1/embeddings", "/props", "/../v1")]
        other = [seat.send("GET", "/slots"), seat.send("DELETE", "/v1/models")]
        huge = seat.send("POST", "/v1/chat/completions", b" " * 10_000_000)
        broken = [seat.send("POST", "/v1/chat/completions", body) for body in (b"{", b"[" * 9000)]
    assert [got.status for got in [*post, *other]] == [404, 404, 404, 404, 501]
    assert (huge.status, huge.code) == (413, "too_large")
    assert [got.code for got in broken] == ["invalid_request"] * 2
    assert server.asked == []


@pytest.mark.slow
def test_many_requests_at_once_are_answered_one_after_another() -> None:
    many = depth(200, 1000)
    with (
        serving(say("hi")) as server,
        table({"small": model(server.url)}, ("small",)) as (_, [seat]),
        ThreadPoolExecutor(many) as threads,
    ):
        got = [answer.text for answer in threads.map(lambda _: seat.ask(), range(many))]
    assert got == ["hi"] * many
    assert len(server.asked) == many


def test_models_answer_only_while_the_arena_waits_for_the_bot() -> None:
    with serving(say("")) as server, table({"small": model(server.url)}, ("small",)) as (_, [seat]):
        seat.socket.answered(1)
        refused = seat.ask()
    assert (refused.status, refused.code, server.asked) == (400, "not_on_turn", [])


@pytest.mark.parametrize(
    ("caps", "in_one_game", "code"),
    [
        (Caps(game=Cap(tokens=200)), True, "game_tokens_used_up"),
        (Caps(game=Cap(money=0.0004)), True, "game_money_used_up"),
        (Caps(bot=Cap(tokens=200)), False, "bot_tokens_used_up"),
        (Caps(league=Cap(money=0.0003)), False, "league_money_used_up"),
    ],
)
def test_capped_bot_is_told_which_cap_it_reached(caps: Caps, in_one_game: bool, code: str) -> None:
    with (
        serving(say("")) as server,
        table({"small": model(server.url, caps=caps)}, ("small",), ("small",)) as (
            _,
            [seat, other],
        ),
    ):
        assert [seat.ask().status, seat.ask().status] == [200, 200]
        refused = seat.ask()
        seat.next_game(1)
        later, others = seat.ask(), other.ask()
    assert (refused.status, refused.code) == (429, code)
    assert (later.status == 200) == in_one_game
    assert (others.status == 200) == (not code.startswith("league"))


def test_no_more_requests_than_allowed_reach_a_server_at_a_time() -> None:
    at_once: list[int] = []
    under_way: list[int] = []

    def count(handler: Any, body: dict[str, Any]) -> None:
        under_way.append(1)
        at_once.append(len(under_way))
        say("")(handler, body)
        under_way.pop()

    with (
        serving(count) as server,
        table({"small": model(server.url, at_a_time=1)}, ("small",)) as (_, [seat]),
        ThreadPoolExecutor(4) as threads,
    ):
        statuses = [got.status for got in threads.map(lambda _: seat.ask(), range(4))]
    assert (statuses, max(at_once)) == ([200] * 4, 1)


def test_bytes_that_are_no_http_are_refused() -> None:
    with (
        table({"small": model("http://127.0.0.1:9/v1")}, ("small",)) as (_, [seat]),
        socket.socket(socket.AF_UNIX) as raw,
    ):
        raw.settimeout(30)
        raw.connect(str(seat.socket.path))
        raw.sendall(b"\x00\xff\x01\r\n")
        with raw.makefile("rb") as answer:
            assert b"not_supported" in answer.read()


def told(server: ModelServer) -> list[Any]:
    return [body["messages"] for body in server.asked]


def test_parts_of_text_are_passed_on() -> None:
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
    small: dict[str, Model]
    with serving(say("hi")) as server:
        small = {"small": model(server.url)}
        with table(small, ("small",)) as (_, [seat]):
            assert seat.ask(messages=parts, stream=False).text == "hi"
    assert told(server) == [parts] != [HELLO]


REFUSED = Caps(game=Cap(tokens=0))


@pytest.mark.parametrize(
    ("answers", "caps", "said", "decided"),
    [
        (1, Caps(), "model", DecidedBy.MODEL),
        (2, Caps(), "retry", DecidedBy.RETRY),
        (1, Caps(), "retry", DecidedBy.MODEL),
        (2, Caps(), "fallback", DecidedBy.FALLBACK),
        (1, Caps(), UNSET, DecidedBy.UNSAID),
        (0, Caps(), UNSET, DecidedBy.FALLBACK),
        (0, Caps(), "model", DecidedBy.FALLBACK),
        (0, Caps(), "retry", DecidedBy.FALLBACK),
        (1, REFUSED, "model", DecidedBy.CAPPED),
        (1, REFUSED, "fallback", DecidedBy.CAPPED),
        (2, Caps(game=Cap(tokens=1)), "fallback", DecidedBy.CAPPED),
        (2, Caps(game=Cap(tokens=1)), "model", DecidedBy.MODEL),
    ],
)
def test_decision_is_credited_as_the_bot_says_as_far_as_a_model_answered(
    answers: int, caps: Caps, said: str | UnsetType, decided: DecidedBy
) -> None:
    with (
        serving(say("hi")) as server,
        table({"small": model(server.url, caps=caps)}, ("small",)) as (gateway, [seat]),
    ):
        for _ in range(answers):
            seat.ask()
        seat.socket.answered(1, said)
        # What a model answered for an earlier decision does not count for the next one.
        seat.socket.asked(2, 0, b'{"round": 3, "bids": [{}]}')
        seat.socket.answered(2, "model")
        made = gateway.sorted_decisions()
    assert made == (
        Decision(seat=0, game=0, round=2, turn=1, bids=0, by=decided),
        Decision(seat=0, game=0, round=3, turn=2, bids=1, by=DecidedBy.FALLBACK),
    )


def test_answer_of_a_model_counts_for_one_of_the_open_requests() -> None:
    with (
        serving(say("hi")) as server,
        table({"small": model(server.url)}, ("small",)) as (
            gateway,
            [seat],
        ),
    ):
        for id_ in (2, 3):
            seat.socket.asked(id_, id_, b'{"round": 0}')
        seat.ask()
        seat.ask()
        for id_ in (3, 2, 1):
            seat.socket.answered(id_, "model")
        made = {one.turn: one.by for one in gateway.sorted_decisions()}
    assert made == {3: DecidedBy.MODEL, 2: DecidedBy.MODEL, 1: DecidedBy.FALLBACK}
