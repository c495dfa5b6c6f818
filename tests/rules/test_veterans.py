"""The veteran clause of the Pressman rules, from all its sides (PAL-VETERAN).

A veteran has one die and was palifico before; in the palifico round of another player it may raise
the face, and those after it follow the new one.
"""

import pytest

from tests.rules.notation import ask, breaks, raises

DICE = "3 4 22 5 66"
"""Seat 0 is palifico; seats 1 and 3 have an old single die."""
VETERANS = [False, True, False, True, False]
HOW = {"palifico": True, "palifico_used": VETERANS}

pytestmark = pytest.mark.clause("pressman", "PAL-VETERAN")


def may_bid(play: str, dice: str = DICE, used: list[bool] = VETERANS) -> dict[int, tuple[int, int]]:
    return raises("pressman", dice, play, palifico=True, palifico_used=used)


def test_a_veteran_may_raise_the_face() -> None:
    assert may_bid("2x3") == {3: (3, 25), 4: (2, 25), 5: (2, 25), 6: (2, 25)}


def test_a_veteran_may_raise_quantity_and_face_at_once() -> None:
    """As in any other round of this book (RAISE-BOTH)."""
    assert breaks("pressman", DICE, "2x3 5x6", **HOW) == []


@pytest.mark.parametrize("answer", ["2x2", "9x2", "2x1", "9x1"])
def test_a_veteran_may_not_lower_the_face(answer: str) -> None:
    """Nor call aces, which are the lowest face of this round."""
    broken = breaks("pressman", DICE, f"2x3 {answer}", **HOW)
    assert broken == ["PAL-LOCK", "PAL-VETERAN"]


@pytest.mark.parametrize("answer", ["1x4", "1x6"])
def test_a_veteran_may_not_lower_the_quantity(answer: str) -> None:
    assert breaks("pressman", DICE, f"2x3 {answer}", **HOW) == ["PAL-LOCK", "PAL-VETERAN"]


def test_a_veteran_raises_aces_to_any_face_without_doubling_them() -> None:
    assert may_bid("2x1") == {1: (3, 25), **dict.fromkeys(range(2, 7), (2, 25))}


def test_a_veteran_cannot_go_above_sixes() -> None:
    assert may_bid("2x6") == {6: (3, 25)}


def test_a_veteran_may_leave_the_face_as_it_is() -> None:
    assert breaks("pressman", DICE, "2x3 3x3", **HOW) == []
    assert breaks("pressman", DICE, "2x3 2x3", **HOW) == ["PAL-LOCK"]


def test_those_after_a_veteran_follow_its_face() -> None:
    assert may_bid("2x3 2x4") == {4: (3, 25)}
    assert breaks("pressman", DICE, "2x3 2x4 3x3", **HOW) == ["PAL-LOCK"]
    assert breaks("pressman", DICE, "2x3 2x4 2x5", **HOW) == ["PAL-LOCK"]


def test_a_second_veteran_may_raise_it_again() -> None:
    assert may_bid("2x3 2x4 3x4") == {4: (4, 25), 5: (3, 25), 6: (3, 25)}


def test_the_palifico_player_follows_it_too() -> None:
    around = "2x3 2x4 3x4 4x4 5x4"
    assert ask("pressman", DICE, around, **HOW)["to_act"] == 0
    assert may_bid(around) == {4: (6, 25)}
    assert breaks("pressman", DICE, f"{around} 5x5", **HOW) == ["PAL-LOCK"]


def test_the_raised_face_is_counted_and_aces_are_not() -> None:
    verdict = ask("pressman", "3 4 14 1 4", "1x3 1x4 4x4 dudo", **HOW)
    assert (verdict["count"], verdict["loser"]) == (3, 2)
    assert "PAL-WILD" in verdict["clauses"]


def test_player_that_was_never_palifico_may_not_raise_the_face() -> None:
    """One die is not enough."""
    never = [False, False, False, True, False]
    assert may_bid("2x3", used=never) == {3: (3, 25)}
    assert breaks("pressman", DICE, "2x3 2x4", palifico=True, palifico_used=never) == ["PAL-LOCK"]


def test_player_that_regained_a_die_may_not_raise_the_face() -> None:
    """Having been palifico is not enough: with two dice seat 1 is no veteran."""
    assert may_bid("2x3", dice="3 45 22 5 66") == {3: (3, 25)}
    broken = breaks("pressman", "3 45 22 5 66", "2x3 2x4", **HOW)
    assert broken == ["PAL-LOCK"]


def test_palifico_player_may_not_raise_the_face() -> None:
    """It is palifico now; only players that were so before may raise the face."""
    around = "2x3 3x3 4x3 5x3 6x3"
    assert may_bid(around) == {3: (7, 25)}


def test_a_veteran_at_the_cap_may_still_raise_the_face() -> None:
    assert may_bid("25x3") == {4: (25, 25), 5: (25, 25), 6: (25, 25)}
    verdict = ask("pressman", DICE, "25x3 25x6", **HOW)
    assert (verdict["raises"], verdict["dudo"]) == ([], True)


def test_in_a_normal_round_a_veteran_is_a_player_like_others() -> None:
    used = {"palifico_used": VETERANS}
    assert breaks("pressman", DICE, "4x3 2x1", **used) == []
    assert breaks("pressman", DICE, "4x3 5x2", **used) == []
    assert breaks("pressman", DICE, "2x1", opener=1, **used) == ["OPEN"]
