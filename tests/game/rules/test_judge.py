"""Positions judged: the clauses behind an outcome, moments, and impossible positions."""

import json
from typing import Any

import msgspec
import pytest

from arena.game.rules.judge import Position, RefusedError, judge
from tests.game.rules.positions import called, position, said

Json = dict[str, Any]
FULL = [[2, 3, 4, 5, 6]] * 3
PAL = {"kind": "palifico", "starter": 0, "palifico_seat": 0}


def verdict_on(plain: Json) -> Json:
    verdict = judge(msgspec.convert(plain, Position))
    found: Json = json.loads(msgspec.json.encode(verdict))
    return found


# ---------------------------------------------------------------- what decided an outcome

ONES = [[2], [3], [4]]
TWO_LEFT = [[2, 2], [3, 3], []]
DUDO = called(1, "dudo")
# position: clauses, next round, next starter
CLAUSES: dict[str, tuple[Json, str, str, int | None]] = {
    "fails": (position("bga", FULL, said(0, 4, 2), DUDO), "DUDO STARTER", "normal", 0),
    "exact": (position("bga", FULL, said(0, 3, 2), DUDO), "DUDO TIE STARTER", "normal", 1),
    "more": (position("bga", FULL, said(0, 1, 2), DUDO), "DUDO TIE STARTER", "normal", 1),
    "uncovered": (
        position("italian", FULL, said(0, 4, 2), DUDO),
        "DUDO REVEAL STARTER",
        "normal",
        0,
    ),
    "uncovered in order": (
        position("pressman", FULL, said(0, 4, 2), DUDO),
        "DUDO REVEAL STARTER",
        "normal",
        0,
    ),
    "calza right": (
        position("bga", FULL, said(0, 3, 2), called(2, "calza")),
        "CALZA-RIGHT CALZA-START",
        "normal",
        2,
    ),
    "calza wrong": (
        position("bga", FULL, said(0, 4, 2), called(2, "calza")),
        "CALZA-WRONG CALZA-START",
        "normal",
        2,
    ),
    "calza before the turn": (
        position("bga", FULL, said(0, 3, 2), called(1, "dudo"), called(2, "calza", **{"with": 1})),
        "CALZA-WHEN CALZA-RIGHT CALZA-START",
        "normal",
        2,
    ),
    "calza after the turn": (
        position(
            "italian", FULL, said(0, 4, 2), called(1, "dudo"), called(2, "calza", **{"with": 1})
        ),
        "CALZA-WHEN DUDO REVEAL STARTER",
        "normal",
        0,
    ),
    "two calzas": (
        position("bga", FULL, said(0, 3, 2), called(2, "calza"), called(1, "calza", **{"with": 1})),
        "CALZA-MANY CALZA-RIGHT CALZA-START",
        "normal",
        1,
    ),
    "palifico": (
        position("bga", [[2], [2, 3], [1, 3]], said(0, 2, 2), DUDO, round=PAL),
        "DUDO TIE PAL-WILD STARTER PAL-TRIGGER",
        "palifico",
        1,
    ),
    "out": (position("bga", ONES, said(0, 4, 2), DUDO), "DUDO OUT", "normal", 1),
    "out by calza": (
        position("bga", ONES, said(0, 4, 2), called(1, "calza")),
        "CALZA-WRONG CALZA-START OUT",
        "normal",
        2,
    ),
    "the end": (
        position("bga", [[2], [3, 3], []], said(0, 2, 2), DUDO),
        "DUDO OUT WIN",
        "game_over",
        None,
    ),
    "the end by calza": (
        position("bga", [[2], [3, 3], []], said(1, 4, 2), called(0, "calza"))
        | {"round": {"kind": "normal", "starter": 1}},
        "CALZA-WRONG OUT WIN",
        "game_over",
        None,
    ),
    "palifico once": (
        position("bga", TWO_LEFT, said(0, 3, 2), DUDO, palifico_used=[True, False, False]),
        "DUDO STARTER PAL-TRIGGER PAL-ONCE",
        "normal",
        0,
    ),
    "palifico again": (
        position("italian", TWO_LEFT, said(0, 3, 2), DUDO, palifico_used=[True, False, False]),
        "DUDO REVEAL STARTER PAL-TRIGGER",
        "palifico",
        0,
    ),
    "no palifico with two left": (
        position("pressman", TWO_LEFT, said(0, 3, 2), DUDO),
        "DUDO REVEAL STARTER PAL-TRIGGER PAL-TWO",
        "normal",
        0,
    ),
    "again, but two are left": (
        position("pressman", TWO_LEFT, said(0, 3, 2), DUDO, palifico_used=[True, False, False])
        | {"overrides": {"palifico_once": False}},
        "DUDO REVEAL STARTER PAL-TRIGGER PAL-TWO",
        "normal",
        0,
    ),
}


@pytest.mark.parametrize(("plain", "clauses", "kind", "starter"), CLAUSES.values(), ids=CLAUSES)
def test_clauses_behind_an_outcome(
    plain: Json, clauses: str, kind: str, starter: int | None
) -> None:
    verdict = verdict_on(plain)
    assert verdict["clauses"] == clauses.split()
    assert (verdict["next_round"], verdict["next_starter"]) == (kind, starter)


# ---------------------------------------------------------------- uncovering


def test_the_caller_uncovers_first_and_the_bidder_last() -> None:
    dice = [[2], [3, 3], [], [4, 4], [5, 5]]
    plain = position("pressman", dice, said(1, 2, 3), called(4, "calza"))
    verdict = verdict_on(plain | {"round": {"kind": "normal", "starter": 1}})
    assert verdict["reveal_order"] == [4, 0, 3, 1]
    for book in ("bga", "classic", "italian"):
        assert verdict_on(plain | {"variant": book} | starts(1))["reveal_order"] is None


def starts(seat: int) -> Json:
    return {"round": {"kind": "normal", "starter": seat}}


# ---------------------------------------------------------------- moments


def test_actions_after_a_settled_round_are_illegal() -> None:
    late = called(2, "dudo")
    plain = position("bga", FULL, said(0, 3, 2), DUDO, late, late)
    expected = {"verdict": "illegal", "at": 2, "reason": "the round is over", "clauses": ["DUDO"]}
    assert verdict_on(plain) == expected
    two_late = [called(2, "dudo"), called(0, "dudo", **{"with": 3})]
    later = position("bga", FULL, said(0, 3, 2), said(1, 4, 2), late, *two_late)
    assert verdict_on(later) == expected | {"at": 3}


def test_the_longest_round_is_settled() -> None:
    """Sixty dice: every quantity of every number, then a doubt."""
    bids = [(quantity, face) for quantity in range(1, 61) for face in range(2, 7)]
    play = [said(at % 6, *bid) for at, bid in enumerate(bids)]
    dice = [[6] * 10] * 6
    verdict = verdict_on(position("pressman", dice, *play, called(0, "dudo"), starting_dice=10))
    assert (verdict["verdict"], verdict["count"], verdict["loser"]) == ("resolved", 60, 0)


def test_a_seat_does_one_thing_in_a_moment() -> None:
    twice = position("bga", FULL, said(0, 3, 2), DUDO, called(1, "calza", **{"with": 1}))
    reason = "seat 1 cannot do two things in one moment"
    assert verdict_on(twice) == {
        "verdict": "illegal",
        "at": 2,
        "reason": reason,
        "clauses": ["TURN"],
    }


def test_with_may_chain_through_all_other_actions() -> None:
    """Action 2 happens with 1, and that with 0: it is as early as action 0."""
    chain = [called(2, "calza"), called(1, "calza", **{"with": 0}), DUDO | {"with": 1}]
    verdict = verdict_on(position("bga", FULL, *chain))
    assert (verdict["verdict"], verdict["at"]) == ("illegal", 0)


def test_with_may_name_a_later_action() -> None:
    plain = position("bga", FULL, said(0, 3, 2), called(2, "calza", **{"with": 2}), DUDO)
    assert verdict_on(plain)["clauses"] == ["CALZA-WHEN", "CALZA-RIGHT", "CALZA-START"]


@pytest.mark.parametrize("other", [-1, 0, 1, 3, 4])
def test_with_must_lead_to_another_action(other: int) -> None:
    """Out of range, itself, or round in a circle."""
    circle = [said(0, 3, 2, **{"with": 1}), DUDO | {"with": other}, called(2, "dudo")]
    with pytest.raises(RefusedError, match=r'^action 0: "with" must lead to another action$'):
        judge(msgspec.convert(position("bga", FULL, *circle), Position))


# ---------------------------------------------------------------- impossible positions

SEVEN = [[2]] * 7
NO_SEAT = "a palifico round needs its palifico seat"
NORMAL_WITH = "a normal round has no palifico seat"
REFUSED: list[tuple[Json, str]] = [
    ({"dice": [[2]]}, "1 seats: a table has 2 to 6"),
    ({"dice": SEVEN}, "7 seats: a table has 2 to 6"),
    ({"palifico_used": [False]}, "palifico_used names 1 seats of 3"),
    ({"palifico_used": [False] * 4}, "palifico_used names 4 seats of 3"),
    ({"dice": [[2], [3] * 6, [2]]}, "seat 1 has 6 dice, but the game started with 5"),
    ({"dice": [[2, 6, 0], [3], [2]]}, "seat 0 has a die that shows 0"),
    ({"dice": [[2], [3], [1, 7, 8]]}, "seat 2 has a die that shows 7"),
    ({"dice": [[2], [], []]}, "fewer than two seats have dice: the game is over"),
    ({"dice": [[2], []]}, "fewer than two seats have dice: the game is over"),
    ({"dice": [[], [], []]}, "fewer than two seats have dice: the game is over"),
    ({"actions": [DUDO, called(3, "dudo")]}, "action 1 comes from a seat that does not exist"),
    ({"actions": [called(4, "dudo")]}, "action 0 comes from a seat that does not exist"),
    ({"actions": [called(-1, "dudo")] * 2}, "action 0 comes from a seat that does not exist"),
    (starts(3), "there is no seat 3 to start"),
    (starts(4), "there is no seat 4 to start"),
    (starts(-1), "there is no seat -1 to start"),
    (starts(2) | {"dice": [[2], [3], []]}, "seat 2 is to start but has no dice"),
    ({"round": PAL | {"kind": "normal"}}, NORMAL_WITH),
    ({"round": PAL | {"palifico_seat": None}}, NO_SEAT),
    ({"round": PAL | {"palifico_seat": 3}}, NO_SEAT),
    ({"round": PAL | {"palifico_seat": 4}}, NO_SEAT),
    ({"round": PAL | {"palifico_seat": -1}}, NO_SEAT),
    ({"round": PAL}, "palifico seat 0 has 5 dice, not one"),
    ({"round": PAL | {"palifico_seat": 1}, "dice": [[2], [], [3]]}, "seat 1 has 0 dice, not one"),
    (
        {"round": PAL | {"palifico_seat": 1}, "dice": ONES},
        "a palifico round is opened by its palifico seat 1, not by 0",
    ),
    (
        {"round": PAL | {"starter": 2}, "dice": ONES},
        "a palifico round is opened by its palifico seat 0, not by 2",
    ),
    (
        {"round": PAL, "dice": ONES, "palifico_used": [True, False, False]},
        "seat 0 had its one palifico round before (PAL-ONCE)",
    ),
    (
        {"variant": "pressman", "round": PAL, "dice": [[2], [3, 3], []]},
        "with two players left no palifico round is played (PAL-TWO)",
    ),
]


@pytest.mark.parametrize(("changes", "reason"), REFUSED)
def test_impossible_positions_are_refused(changes: Json, reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        judge(msgspec.convert(position("bga", FULL) | changes, Position))
    assert str(refused.value).endswith(reason)


POSSIBLE: list[Json] = [
    {"dice": [[2]] * 6},
    {"dice": [[1], [6]]},
    {"dice": [[2], [3], []]},
    starts(2),
    {"round": PAL, "dice": ONES},
    {"round": PAL, "dice": [[2], [3], []]},
    {"round": PAL, "dice": ONES, "variant": "italian", "palifico_used": [True, True, True]},
    {"round": PAL, "dice": ONES, "palifico_used": [False, True, True]},
    {"round": PAL | {"starter": 2, "palifico_seat": 2}, "dice": ONES, "variant": "pressman"},
    {"dice": [[3] * 10, [3]], "starting_dice": 10},
]


@pytest.mark.parametrize("changes", POSSIBLE)
def test_extreme_positions_are_accepted(changes: Json) -> None:
    verdict = verdict_on(position("bga", FULL) | changes)
    assert (verdict["verdict"], verdict["dudo"], verdict["calza"]) == ("open", False, [])


def test_options_that_a_position_does_not_name_are_those_of_the_rules() -> None:
    plain = {"variant": "bga", "dice": FULL, "round": {"kind": "normal", "starter": 0}}
    bare = msgspec.convert(plain, Position)
    assert (bare.calza, bare.starting_dice) == (None, None)
    assert (bare.id, bare.overrides, bare.palifico_used, bare.actions) == (None, {}, None, ())
