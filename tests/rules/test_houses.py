"""Rules of houses: each switch on which the rule books agree, as they have it and otherwise."""

from typing import Any

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import Json, ask, because, breaks, by_oracle, cannot_be, raises, table

THREE = "23456 23456 23456"
FOUR = "44235 41566 2333 256"
"""Three fours and a paco."""
PALIFICO = "3 44 55"


def house(switch: str, value: object, **more: Any) -> Json:
    return {"overrides": {switch: value, **more}}


def agrees(book: str, dice: str, play: str, **how: Any) -> None:
    """Let the oracle judge the same position."""
    verdict = ask(book, dice, play, **how)
    plain = {key: verdict[key] for key in verdict if key not in ("id", "reason", "clauses")}
    assert plain == by_oracle(table(book, dice, play, **how))


@shows("WILD")
def test_pacos_count_for_every_face(book: str) -> None:
    assert ask(book, FOUR, "4x4 dudo")["count"] == 4


@shows("WILD")
def test_pacos_that_are_not_wild_are_a_face_like_others(book: str) -> None:
    how = house("pacos_wild", False)
    verdict = ask(book, FOUR, "4x4 dudo", **how)
    assert (verdict["count"], verdict["loser"]) == (3, 0)
    assert "WILD" in verdict["clauses"]
    assert raises(book, THREE, **how)[1] == (1, 15)
    assert raises(book, THREE, "3x1", **how)[2][0] == 3
    assert breaks(book, THREE, "4x4 2x1", **how) == ["RAISE-DOWN"]
    agrees(book, FOUR, "3x1 3x5 dudo", **how)


@shows("FACES")
def test_pacos_are_the_lowest_face_where_they_are_not_wild(book: str) -> None:
    how = house("pacos_wild", False)
    assert breaks(book, THREE, "2x1 2x2", **how) == []
    assert breaks(book, THREE, "2x6 2x1", **how) == ["RAISE-DOWN"]


@shows("FACES")
def test_pacos_may_be_the_highest_face(book: str) -> None:
    how = house("pacos_wild", False, ones_high=True)
    assert breaks(book, THREE, "2x6 2x1", **how) == []
    assert breaks(book, THREE, "2x1 2x2", **how) == ["RAISE-DOWN"]
    agrees(book, THREE, "2x6 2x1", **how)


@shows("OPEN")
def test_anybody_may_open_with_pacos_if_the_house_says_so(book: str) -> None:
    how = house("open_with_pacos", True)
    assert raises(book, THREE, **how)[1] == (1, 15)
    assert breaks(book, THREE, "2x1 4x3", **how) == ["FROM-PACOS"]
    agrees(book, THREE, "2x1 5x3", **how)


@shows("FROM-PACOS", "TO-PACOS")
def test_twice_as_many_may_be_enough_after_pacos(book: str) -> None:
    how = house("from_pacos_one_more", False)
    assert raises(book, THREE, "4x4 3x1", **how)[2] == (6, 15)
    assert breaks(book, THREE, "4x4 3x1 5x4", **how) == ["FROM-PACOS"]
    assert breaks(book, THREE, "4x4 2x1", **how) == ["TO-PACOS"]
    assert breaks(book, THREE, "5x4 3x1", **how) == []
    agrees(book, THREE, "4x4 3x1 6x4", **how)


@shows("PACOS-ONCE", "FROM-PACOS")
def test_no_bid_comes_twice_if_twice_as_many_are_enough(book: str) -> None:
    how = house("from_pacos_one_more", False)
    assert raises(book, THREE, "4x4 3x1 6x4", **how)[1] == (4, 15)


@shows("PAL-TRIGGER")
def test_no_palifico_rounds_are_played_if_the_house_says_so(book: str) -> None:
    how = house("palifico", False)
    verdict = ask(book, "44 34 56", "4x4 dudo", **how)
    assert (verdict["dice_counts"], verdict["next_round"]) == ([1, 2, 2], "normal")
    assert because(verdict)[-1] == "PAL-TRIGGER"
    assert "PAL-TRIGGER" in cannot_be(book, PALIFICO, palifico=True, **how)
    agrees(book, "44 34 56", "4x4 dudo", **how)


@shows("STARTER")
@pytest.mark.parametrize(
    ("rule", "starters"), [("loser", (0, 1)), ("winner", (1, 0)), ("left", (1, 1))]
)
def test_next_opener_is_chosen_by_the_house(
    book: str, rule: str, starters: tuple[int, int]
) -> None:
    how = house("next_opener", rule)
    for play, starter in zip(("9x4 dudo", "2x4 dudo"), starters, strict=True):
        assert ask(book, FOUR, play, **how)["next_starter"] == starter
        agrees(book, FOUR, play, **how)


@shows("STARTER", "PAL-TRIGGER")
@pytest.mark.parametrize("rule", ["loser", "winner", "left"])
def test_a_palifico_round_is_opened_by_its_player(book: str, rule: str) -> None:
    how = house("next_opener", rule)
    verdict = ask(book, "44 34 56", "6x4 dudo", **how)
    assert (verdict["next_starter"], verdict["next_round"]) == (0, "palifico")


@shows("OUT")
@pytest.mark.parametrize("rule", ["loser", "winner", "left"])
def test_the_next_with_dice_opens_after_an_elimination(book: str, rule: str) -> None:
    how = house("next_opener", rule)
    assert ask(book, "4 34 56", "6x4 dudo", **how)["next_starter"] == 1
    agrees(book, "4 34 56", "6x4 dudo", **how)


@shows("CALZA-START")
@pytest.mark.parametrize(
    ("rule", "starters"), [("loser", (2, 2)), ("winner", (2, 0)), ("left", (1, 1))]
)
def test_next_opener_after_a_calza(book: str, rule: str, starters: tuple[int, int]) -> None:
    how = house("next_opener", rule)
    for play, starter in zip(("4x4 calza2", "5x4 calza2"), starters, strict=True):
        assert ask(book, FOUR, play, calza=True, **how)["next_starter"] == starter
        agrees(book, FOUR, play, calza=True, **how)


@shows("PAL-LOCK")
def test_the_opener_may_raise_the_face_if_the_house_says_so(book: str) -> None:
    how = {"palifico": True, **house("palifico_opener_may_raise_face", True)}
    assert breaks(book, PALIFICO, "1x3 1x4", **how) == ["PAL-LOCK"]
    assert breaks(book, PALIFICO, "1x3 2x3 3x3 3x5", **how) == []
    assert breaks(book, PALIFICO, "1x3 2x3 3x3 3x2", **how) == ["PAL-LOCK"]
    assert breaks(book, PALIFICO, "1x3 2x3 3x3 3x5 4x3", **how) == ["PAL-LOCK"]
    assert sorted(raises(book, PALIFICO, "1x3 2x3 3x3", palifico=True)) == [3]
    agrees(book, PALIFICO, "1x3 2x3 3x3 3x5", **how)


@shows("CALZA-BIDDER")
def test_calza_on_ones_own_bid(book: str) -> None:
    assert breaks(book, FOUR, "4x4 calza0", calza=True) == ["CALZA-WHO"]
    how = {"calza": True, **house("calza_by_bidder", True)}
    right = ask(book, "4423 41566 2333 256", "4x4 calza0", **how)
    assert (right["gainer"], right["loser"], right["next_starter"]) == (0, None, 0)
    wrong = ask(book, FOUR, "5x4 calza0", **how)
    assert (wrong["gainer"], wrong["loser"], wrong["next_starter"]) == (None, 0, 0)
    agrees(book, FOUR, "4x4 calza2+calza0", **how)


@shows("CALZA-LOST")
def test_calza_by_a_player_who_has_lost_no_die(book: str) -> None:
    seats = ask(book, FOUR, "4x4", calza=True)["calza"]
    assert 3 in seats
    full = "23456 23456 23456 256"
    assert 2 in ask(book, full, "4x4", calza=True)["calza"]
    how = {"calza": True, **house("calza_needs_lost_die", True)}
    assert ask(book, full, "4x4", **how)["calza"] == [3]
    assert breaks(book, full, "4x4 calza2", **how) == ["CALZA-LOST"]
    agrees(book, full, "4x4 calza3", **how)
