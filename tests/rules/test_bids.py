"""What may be bid, clause by clause (OPEN to OVER-TOTAL)."""

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import ask, breaks, raises

KEEP_IT_SIMPLE = ["bga", "classic", "italian"]
"""The books in which a raise changes the quantity or the face, never both, and no face falls."""
THREE = "23456 23456 23456"
SIX = " ".join(["23456"] * 6)


@shows("OPEN")
def test_opening_with_pacos_is_illegal(book: str) -> None:
    assert breaks(book, THREE, "2x1") == ["OPEN"]
    assert sorted(raises(book, THREE)) == [2, 3, 4, 5, 6]


@shows("OPEN")
def test_a_single_die_alone_opens_no_pacos(book: str) -> None:
    """An old single die is not palifico."""
    used = [True, False, False]
    assert breaks(book, "4 23456 23456", "2x1", palifico_used=used) == ["OPEN"]


@shows("OPEN")
def test_a_palifico_player_may_open_with_pacos(book: str) -> None:
    dice = "4 23456 23456"
    assert sorted(raises(book, dice, palifico=True)) == [1, 2, 3, 4, 5, 6]
    assert breaks(book, dice, "2x1", palifico=True) == []


@shows("RAISE-QTY")
def test_more_dice_of_the_same_face_are_a_raise(book: str) -> None:
    assert raises(book, SIX, "4x4")[4] == (5, 30)
    assert breaks(book, SIX, "4x4 5x4") == []


@shows("RAISE-QTY")
def test_the_quantity_may_jump(book: str) -> None:
    assert breaks(book, SIX, "4x4 19x4") == []


@shows("RAISE-QTY")
@pytest.mark.parametrize("quantity", [1, 3, 4])
def test_same_or_lower_bid_is_no_raise(book: str, quantity: int) -> None:
    assert breaks(book, SIX, f"4x4 {quantity}x4") == ["RAISE-QTY"]


@shows("RAISE-FACE")
@pytest.mark.parametrize("face", [4, 5, 6])
def test_a_higher_face_of_the_same_quantity_and_faces_may_be_skipped(book: str, face: int) -> None:
    assert breaks(book, SIX, f"4x3 4x{face}") == []


@shows("RAISE-FACE")
def test_a_higher_face_does_not_buy_a_lower_quantity(book: str) -> None:
    assert breaks(book, SIX, "7x4 6x6") == ["RAISE-FACE"]
    assert raises(book, SIX, "7x4")[6][0] == 7


@shows("RAISE-BOTH", books=KEEP_IT_SIMPLE)
def test_quantity_and_face_do_not_rise_together(book: str) -> None:
    assert breaks(book, SIX, "7x4 8x5") == ["RAISE-FACE", "RAISE-BOTH"]
    assert raises(book, SIX, "7x4")[5] == (7, 7)


@shows("RAISE-BOTH", books=["pressman"])
def test_quantity_and_face_may_rise_together(book: str) -> None:
    assert raises(book, SIX, "7x4")[5] == (7, 30)
    assert breaks(book, SIX, "7x4 12x5") == []


@shows("RAISE-DOWN", books=KEEP_IT_SIMPLE)
@pytest.mark.parametrize("quantity", [7, 8, 30])
def test_no_lower_face_for_any_quantity(book: str, quantity: int) -> None:
    assert breaks(book, SIX, f"7x4 {quantity}x2") == ["RAISE-DOWN"]
    assert sorted(raises(book, SIX, "7x4")) == [1, 4, 5, 6]


@shows("RAISE-DOWN", books=["pressman"])
def test_more_dice_of_a_lower_face_are_a_raise(book: str) -> None:
    assert breaks(book, SIX, "7x4 8x2") == []
    assert breaks(book, SIX, "7x4 7x2") == ["RAISE-DOWN"]
    assert raises(book, SIX, "7x4")[3] == (8, 30)


@shows("TO-PACOS")
@pytest.mark.parametrize(("quantity", "least"), [(1, 1), (2, 1), (7, 4), (8, 4), (11, 6), (30, 15)])
def test_half_as_many_pacos_rounded_up(book: str, quantity: int, least: int) -> None:
    assert raises(book, SIX, f"{quantity}x6")[1] == (least, 30)


@shows("TO-PACOS")
def test_a_number_is_halved_no_further(book: str) -> None:
    assert breaks(book, SIX, "9x4 4x1") == ["TO-PACOS"]
    assert breaks(book, SIX, "9x4 5x1") == []
    assert breaks(book, SIX, "9x4 20x1") == []


@shows("FROM-PACOS")
@pytest.mark.parametrize("face", [2, 3, 4, 5, 6])
def test_twice_the_pacos_and_one_of_any_face(book: str, face: int) -> None:
    assert raises(book, SIX, "8x6 4x1")[face] == (9, 30)
    assert breaks(book, SIX, f"8x6 4x1 8x{face}") == ["FROM-PACOS"]
    assert breaks(book, SIX, f"8x6 4x1 9x{face}") == []


@shows("FROM-PACOS", "RAISE-DOWN")
def test_pacos_make_low_faces_reachable_again(book: str) -> None:
    assert breaks(book, SIX, "5x6 3x1 7x2") == []


@shows("PACOS-UP")
def test_more_pacos_are_a_raise_of_pacos(book: str) -> None:
    assert raises(book, SIX, "8x6 4x1")[1] == (5, 30)
    assert breaks(book, SIX, "8x6 4x1 4x1") == ["PACOS-UP"]
    assert breaks(book, SIX, "8x6 4x1 3x1") == ["PACOS-UP"]
    assert breaks(book, SIX, "8x6 4x1 9x1") == []


@shows("PACOS-ONCE")
@pytest.mark.parametrize("pacos", range(1, 15))
def test_no_quantity_of_pacos_comes_twice(book: str, pacos: int) -> None:
    """By way of the least number there is, the least pacos are one more than they were."""
    there_and_back = f"{2 * pacos}x2 {pacos}x1 {2 * pacos + 1}x2"
    assert raises(book, SIX, there_and_back)[1] == (pacos + 1, 30)
    assert breaks(book, SIX, f"{there_and_back} {pacos}x1") == ["TO-PACOS"]


@shows("OVER-TOTAL", "LOST-DICE")
def test_the_cap_is_the_dice_of_the_start(book: str) -> None:
    """Seven dice are left of fifteen: a lower cap would tell how many were lost."""
    dice = "234 2345 -"
    assert raises(book, dice, "1x2")[2] == (2, 15)
    assert breaks(book, dice, "15x2") == []
    assert breaks(book, dice, "16x2") == ["OVER-TOTAL"]


@shows("OVER-TOTAL")
def test_the_cap_follows_the_starting_dice(book: str) -> None:
    assert breaks(book, "234 234", "6x2", starting_dice=3) == []
    assert breaks(book, "234 234", "7x2", starting_dice=3) == ["OVER-TOTAL"]


@shows("OVER-TOTAL", "TO-PACOS")
def test_the_highest_number_is_answered_with_pacos_or_dudo(book: str) -> None:
    verdict = ask(book, THREE, "15x6")
    assert verdict["raises"] == [{"face": 1, "min": 8, "max": 15}]
    assert verdict["dudo"] is True


@shows("OVER-TOTAL", "FROM-PACOS", "PACOS-UP", "DUDO")
def test_only_dudo_is_left_at_the_cap(book: str) -> None:
    verdict = ask(book, THREE, "15x6 15x1")
    assert (verdict["raises"], verdict["dudo"]) == ([], True)
    assert breaks(book, THREE, "15x6 15x1 16x1") == ["OVER-TOTAL"]
    assert ask(book, THREE, "15x6 15x1 dudo")["loser"] == 1


@shows("OVER-TOTAL", "FROM-PACOS")
def test_too_many_pacos_for_any_number(book: str) -> None:
    """Twice eight and one are more dice than there were: only pacos are left."""
    assert raises(book, THREE, "8x2 8x1") == {1: (9, 15)}
    assert breaks(book, THREE, "8x2 7x1 15x3") == []


@shows("OVER-TOTAL", "PAL-LOCK", "DUDO")
@pytest.mark.parametrize("face", [1, 2, 6])
def test_only_dudo_is_left_at_the_cap_of_a_palifico_round(book: str, face: int) -> None:
    verdict = ask(book, "4 22 33", f"15x{face}", palifico=True)
    assert (verdict["raises"], verdict["dudo"]) == ([], True)
