"""`arena judge` through the front door: the format of positions and verdicts, and exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ran, error_line, run

DOUBTED = {
    "id": "anything",
    "variant": "bga",
    "overrides": {},
    "calza": False,
    "starting_dice": 5,
    "dice": [[2, 3, 4, 5, 6], [1, 1, 4, 4, 5], []],
    "palifico_used": [False, False, True],
    "round": {"kind": "normal", "starter": 0, "palifico_seat": None},
    "actions": [
        {"seat": 0, "do": "bid", "quantity": 4, "face": 5},
        {"seat": 1, "do": "dudo"},
    ],
}
RESOLVED = [
    "id verdict count loser gainer dice_counts eliminated reveal_order next_starter next_round",
    "winner clauses",
]


def _position(**changes: object) -> dict[str, object]:
    return {**DOUBTED, **changes}


def _bid(seat: int, quantity: int, face: int) -> dict[str, object]:
    return {"seat": seat, "do": "bid", "quantity": quantity, "face": face}


def _lines(*positions: object) -> str:
    return "".join(json.dumps(position) + "\n" for position in positions)


def _verdicts(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def _judge(tmp_path: Path, *positions: object) -> list[dict[str, Any]]:
    ran = run("judge", cwd=tmp_path, stdin=_lines(*positions))
    assert (ran.code, ran.err) == (0, "")
    return _verdicts(ran)


def test_a_call_that_settles_the_round(tmp_path: Path) -> None:
    (verdict,) = _judge(tmp_path, DOUBTED)
    assert list(verdict) == " ".join(RESOLVED).split()
    # The fives of seats 0 and 1, and two pacos: four, as was bid.
    assert verdict["count"] == 4
    assert (verdict["id"], verdict["verdict"]) == ("anything", "resolved")
    assert (verdict["loser"], verdict["gainer"], verdict["winner"]) == (1, None, None)
    assert (verdict["dice_counts"], verdict["eliminated"]) == ([5, 4, 0], [])
    assert (verdict["next_starter"], verdict["next_round"]) == (1, "normal")
    assert verdict["reveal_order"] is None
    assert {"DUDO", "TIE", "STARTER"} <= set(verdict["clauses"])


def test_the_order_of_uncovering_where_the_variant_has_one(tmp_path: Path) -> None:
    variants = ["bga", "classic", "pressman", "italian"]
    verdicts = _judge(tmp_path, *(_position(variant=name, id=name) for name in variants))
    orders = {verdict["id"]: verdict["reveal_order"] for verdict in verdicts}
    assert orders["bga"] is None
    assert [1, 0] in orders.values()


def test_a_bid_that_is_too_low(tmp_path: Path) -> None:
    hand = [6, 6, 6, 6, 6]
    actions = [_bid(0, 8, 6), _bid(1, 3, 1)]
    (verdict,) = _judge(tmp_path, _position(dice=[hand, hand], palifico_used=None, actions=actions))
    assert list(verdict) == ["id", "verdict", "at", "reason", "clauses"]
    assert (verdict["verdict"], verdict["at"]) == ("illegal", 1)
    assert "4" in verdict["reason"]
    assert verdict["clauses"] == ["TO-PACOS"]


def test_a_round_that_goes_on(tmp_path: Path) -> None:
    dice = [[2] * 5, [3] * 5, [4] * 5]
    used = [False] * 3
    position = _position(dice=dice, palifico_used=used, calza=True, actions=[_bid(0, 4, 5)])
    (verdict,) = _judge(tmp_path, position)
    assert list(verdict) == ["id", "verdict", "to_act", "dudo", "calza", "raises"]
    assert (verdict["verdict"], verdict["to_act"], verdict["dudo"]) == ("open", 1, True)
    assert set(verdict["calza"]) <= {1, 2}
    assert {"face": 1, "min": 2, "max": 15} in verdict["raises"]
    assert {"face": 6, "min": 4, "max": 4} in verdict["raises"]
    faces = [raises["face"] for raises in verdict["raises"]]
    assert faces == sorted(set(faces))


def test_position_before_the_first_bid_is_open(tmp_path: Path) -> None:
    (verdict,) = _judge(tmp_path, _position(actions=[]))
    assert (verdict["to_act"], verdict["dudo"], verdict["calza"]) == (0, False, [])


def test_the_game_ends(tmp_path: Path) -> None:
    dice = [[2, 2], [3], []]
    actions = [_bid(0, 2, 2), {"seat": 1, "do": "dudo"}]
    (verdict,) = _judge(tmp_path, _position(dice=dice, actions=actions))
    assert (verdict["next_round"], verdict["winner"], verdict["next_starter"]) == (
        "game_over",
        0,
        None,
    )
    assert (verdict["eliminated"], verdict["dice_counts"]) == ([1], [2, 0, 0])


REFUSED: dict[str, dict[str, object]] = {
    "nobody to start": {"round": {"kind": "normal", "starter": 2}},
    "no such seat to start": {"round": {"kind": "normal", "starter": 9}},
    "more dice than the start": {"dice": [[2] * 6, [3], []]},
    "a face 7": {"dice": [[7], [3], []]},
    "palifico with two dice": {
        "dice": [[2, 2], [3], [4]],
        "round": {"kind": "palifico", "starter": 0, "palifico_seat": 0},
    },
    "an action from nowhere": {"actions": [_bid(7, 1, 2)]},
    "one seat": {"dice": [[2]], "palifico_used": [False]},
    "all out but one": {"dice": [[2], [], []]},
    "palifico_used for fewer": {"palifico_used": [False]},
}


def test_positions_that_cannot_be_are_refused_and_the_rest_is_judged(tmp_path: Path) -> None:
    positions = [_position(id=name, **changes) for name, changes in REFUSED.items()]
    ran = run("judge", cwd=tmp_path, stdin=_lines(*positions, DOUBTED))
    assert (ran.code, ran.err) == (1, "")
    *refused, last = _verdicts(ran)
    assert [verdict["id"] for verdict in refused] == list(REFUSED)
    for verdict in refused:
        assert list(verdict) == ["id", "verdict", "reason"]
        assert verdict["verdict"] == "refused"
        assert verdict["reason"]
    assert last["verdict"] == "resolved"


NO_POSITIONS = {
    "not JSON": ("{nonsense", "not valid JSON"),
    "not UTF-8": (b'{"id": "\xff"}', "not valid UTF-8"),
    "a list": ("[]", "Expected `object`, got `array`"),
    "a key twice": ('{"id": 1, "id": 2}', "duplicate key"),
    "a key unknown": (json.dumps(_position(dise=[])), "did you mean 'dice'?"),
    "a key missing": ('{"variant": "bga"}', "missing key 'dice'"),
    "no such action": (json.dumps(_position(actions=[{"seat": 0, "do": "wink"}])), "wink"),
    "no such variant": (json.dumps(_position(variant="bag")), "did you mean 'bga'?"),
    "no such switch": (
        json.dumps(_position(overrides={"palifico_onse": True})),
        "did you mean 'palifico_once'?",
    ),
}


@pytest.mark.parametrize(("line", "reason"), NO_POSITIONS.values(), ids=NO_POSITIONS)
def test_a_line_that_is_no_position(tmp_path: Path, line: str | bytes, reason: str) -> None:
    content = line if isinstance(line, bytes) else line.encode()
    good = json.dumps(DOUBTED).encode()
    (tmp_path / "positions.jsonl").write_bytes(good + b"\n\n" + content + b"\n" + good + b"\n")
    ran = run("judge", "positions.jsonl", cwd=tmp_path)
    first, wrong, last = _verdicts(ran)
    assert first == last
    assert wrong["verdict"] == "refused"
    assert reason in wrong["reason"]
    assert reason in error_line(ran, "/ positions.jsonl:3")


def test_a_file_and_stdin_are_judged_alike(tmp_path: Path) -> None:
    (tmp_path / "positions.jsonl").write_text(_lines(DOUBTED, _position(actions=[])))
    by_file = run("judge", "positions.jsonl", cwd=tmp_path)
    stdin = (tmp_path / "positions.jsonl").read_text()
    assert by_file == run("judge", "-", cwd=tmp_path, stdin=stdin)
    assert by_file == run("judge", "--json", cwd=tmp_path, stdin=stdin)
    assert run("judge", cwd=tmp_path) == Ran(0, "", "")
