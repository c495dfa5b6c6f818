"""Palifico rounds: when there is one, for whom, and what may be bid in it (PAL-...)."""

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import ask, because, breaks, cannot_be, raises

ONCE = ["bga", "pressman"]
"""A player is palifico once a game."""
EVERY_FALL = ["classic", "italian"]
"""A player is palifico after every fall to one die."""
TWO_LEFT_TOO = ["bga", "classic", "italian"]
NO_VETERANS = ["bga", "classic", "italian"]
THREE = "4 11436 14566"
"""Seat 0 has one die; 3 fours and 3 pacos in all."""


# ---------------------------------------------------------------- when


@shows("PAL-TRIGGER", "STARTER")
@pytest.mark.parametrize(
    ("dice", "play", "fell"), [("45 33 66", "6x4 dudo", 0), ("45 33 66", "1x4 dudo", 1)]
)
def test_player_that_falls_to_one_die_opens_a_palifico_round(
    book: str, dice: str, play: str, fell: int
) -> None:
    """As a bidder and as a doubter."""
    verdict = ask(book, dice, play)
    assert verdict["dice_counts"][fell] == 1
    assert (verdict["next_round"], verdict["next_starter"]) == ("palifico", fell)
    assert because(verdict)[-2:] == ["STARTER", "PAL-TRIGGER"]


@shows("PAL-TRIGGER")
def test_two_dice_left_are_not_palifico(book: str) -> None:
    verdict = ask(book, "456 33 66", "6x4 dudo")
    assert (verdict["dice_counts"][0], verdict["next_round"]) == (2, "normal")


@shows("PAL-TRIGGER", "OUT")
@pytest.mark.parametrize(("dice", "play"), [("3 4 66", "6x4 dudo"), ("33 5 4", "1x3 dudo")])
def test_an_old_single_die_that_opens_is_not_palifico(book: str, dice: str, play: str) -> None:
    """The left neighbour of the eliminated opens with one die that it did not just fall to."""
    verdict = ask(book, dice, play, palifico_used=[False, True, True])
    assert verdict["dice_counts"][verdict["next_starter"]] == 1
    assert (verdict["next_round"], because(verdict)[-1]) == ("normal", "OUT")


@shows("PAL-TRIGGER", "OUT")
def test_old_single_die_without_a_palifico_round_gets_none(book: str) -> None:
    """Palifico belongs to the fall, not to the single die: there is nothing to make up for."""
    verdict = ask(book, "33 5 4", "1x3 dudo", palifico_used=[False, False, False])
    assert (verdict["next_starter"], verdict["next_round"]) == (2, "normal")


@shows("PAL-TRIGGER", "STARTER")
def test_other_single_dice_make_no_palifico_round(book: str) -> None:
    verdict = ask(book, "4 3 666", "1x4 1x6 6x6 dudo", opener=0, palifico_used=[True, True, False])
    assert (verdict["loser"], verdict["next_round"]) == (2, "normal")


@shows("PAL-TRIGGER")
def test_the_next_round_is_normal_again(book: str) -> None:
    """Whether or not the palifico player still has its die."""
    kept = ask(book, "4 333 666", "1x4 3x4 dudo", palifico=True)
    assert (kept["dice_counts"], kept["next_round"]) == ([1, 2, 3], "normal")
    lost = ask(book, "4 333 666", "9x4 dudo", palifico=True)
    assert (lost["dice_counts"], lost["next_starter"]) == ([0, 3, 3], 1)
    assert lost["next_round"] == "normal"


@shows("PAL-TRIGGER", "PAL-ONCE")
@pytest.mark.parametrize("play", ["1x4 9x4 dudo", "1x4 dudo"])
def test_one_palifico_round_right_after_another(book: str, play: str) -> None:
    """Seat 1 falls to one die in the palifico round of seat 0: now it has its own."""
    verdict = ask(book, "4 33 666", play, palifico=True)
    assert (verdict["next_round"], verdict["next_starter"]) == ("palifico", 1)
    used = [True, False, False]
    dice = "4 3 666"
    assert min(raises(book, dice, opener=1, palifico=True, palifico_used=used)) == 1


@shows("PAL-TRIGGER")
def test_starting_with_one_die_gives_no_palifico_round(book: str) -> None:
    verdict = ask(book, "4 3 6", "3x4 dudo", starting_dice=1)
    assert (verdict["next_starter"], verdict["next_round"]) == (1, "normal")


# ---------------------------------------------------------------- how often


@shows("PAL-ONCE", "CALZA-REPAL", books=ONCE)
def test_palifico_is_once_per_game(book: str) -> None:
    verdict = ask(book, "45 33 66", "6x4 dudo", palifico_used=[True, False, False])
    assert (verdict["dice_counts"], verdict["next_round"]) == ([1, 2, 2], "normal")
    assert because(verdict)[-2:] == ["PAL-TRIGGER", "PAL-ONCE"]


@shows("PAL-ONCE", "CALZA-REPAL", books=EVERY_FALL)
def test_palifico_is_after_every_fall(book: str) -> None:
    verdict = ask(book, "45 33 66", "6x4 dudo", palifico_used=[True, False, False])
    assert (verdict["dice_counts"], verdict["next_round"]) == ([1, 2, 2], "palifico")
    assert because(verdict)[-1] == "PAL-TRIGGER"


@shows("PAL-ONCE", books=ONCE)
def test_second_palifico_round_is_refused(book: str) -> None:
    used = [True, False, False]
    assert "(PAL-ONCE)" in cannot_be(book, THREE, palifico=True, palifico_used=used)


@shows("PAL-ONCE", books=EVERY_FALL)
def test_second_palifico_round_is_accepted(book: str) -> None:
    used = [True, False, False]
    assert ask(book, THREE, palifico=True, palifico_used=used)["verdict"] == "open"


@shows("PAL-ONCE")
def test_palifico_of_one_player_leaves_that_of_others(book: str) -> None:
    verdict = ask(book, "45 3 66", "6x4 dudo", palifico_used=[False, True, False])
    assert (verdict["next_round"], verdict["next_starter"]) == ("palifico", 0)


# ---------------------------------------------------------------- what counts


@shows("PAL-WILD")
@pytest.mark.parametrize(("quantity", "loser"), [(3, 1), (4, 0)])
def test_pacos_are_not_wild(book: str, quantity: int, loser: int) -> None:
    verdict = ask(book, THREE, f"{quantity}x4 dudo", palifico=True)
    assert (verdict["count"], verdict["loser"]) == (3, loser)
    assert "PAL-WILD" in verdict["clauses"]


@shows("PAL-WILD")
def test_pacos_are_a_face_like_others(book: str) -> None:
    verdict = ask(book, THREE, "1x1 2x1 3x1 4x1 dudo", palifico=True)
    assert (verdict["count"], verdict["loser"]) == (3, 0)


@shows("PAL-WILD", "TIE")
def test_pacos_are_wild_in_any_other_round(book: str) -> None:
    """Also when somebody has an old single die."""
    verdict = ask(book, THREE, "6x4 dudo", palifico_used=[True, False, False])
    assert (verdict["count"], verdict["loser"]) == (6, 1)
    assert "PAL-WILD" not in verdict["clauses"]


# ---------------------------------------------------------------- what may be bid


@shows("PAL-LOCK")
@pytest.mark.parametrize("face", [1, 2, 3, 4, 5, 6])
def test_palifico_raises_are_more_of_the_same_face(book: str, face: int) -> None:
    assert raises(book, THREE, f"2x{face}", palifico=True) == {face: (3, 15)}
    assert breaks(book, THREE, f"2x{face} 7x{face}", palifico=True) == []
    assert breaks(book, THREE, f"2x{face} 2x{face}", palifico=True) == ["PAL-LOCK"]


@shows("PAL-LOCK")
@pytest.mark.parametrize("answer", ["4x4", "5x4", "4x6", "5x2", "9x2"])
def test_palifico_face_may_not_change(book: str, answer: str) -> None:
    assert breaks(book, THREE, f"4x3 {answer}", palifico=True) == ["PAL-LOCK"]


@shows("PAL-LOCK", "TO-PACOS", "FROM-PACOS")
def test_pacos_are_neither_half_nor_double(book: str) -> None:
    """No way from a number to pacos, none from pacos to a number."""
    for answer in ("2x1", "4x1", "5x1"):
        assert breaks(book, THREE, f"4x3 {answer}", palifico=True) == ["PAL-LOCK"]
    for answer in ("4x3", "5x3", "9x3"):
        assert breaks(book, THREE, f"2x1 {answer}", palifico=True) == ["PAL-LOCK"]
    assert breaks(book, THREE, "2x1 3x1", palifico=True) == []


@shows("PAL-LOCK")
def test_the_face_is_locked_for_the_opener_too(book: str) -> None:
    around = "2x3 3x3 4x3"
    assert ask(book, THREE, around, palifico=True)["to_act"] == 0
    assert raises(book, THREE, around, palifico=True) == {3: (5, 15)}
    assert breaks(book, THREE, f"{around} 4x5", palifico=True) == ["PAL-LOCK"]


@shows("PAL-LOCK")
def test_a_new_single_die_is_bound_as_well(book: str) -> None:
    """Seat 1 has one die, too, but was never palifico."""
    used = [False, False, False]
    dice = "4 5 666"
    assert raises(book, dice, "2x3", palifico=True, palifico_used=used) == {3: (3, 15)}


@shows("PAL-VETERAN", "PAL-LOCK", books=NO_VETERANS)
def test_veterans_are_bound_like_all_others(book: str) -> None:
    used = [False, True, False]
    dice = "4 5 666"
    assert raises(book, dice, "2x3", palifico=True, palifico_used=used) == {3: (3, 15)}
    assert breaks(book, dice, "2x3 2x4", palifico=True, palifico_used=used) == ["PAL-LOCK"]


# ---------------------------------------------------------------- two players left


@shows("PAL-TWO", books=TWO_LEFT_TOO)
def test_two_players_play_palifico_rounds(book: str) -> None:
    verdict = ask(book, "45 - 66", "6x4 dudo")
    assert (verdict["next_round"], verdict["next_starter"]) == ("palifico", 0)
    assert raises(book, "4 - 66", "1x4", palifico=True) == {4: (2, 15)}


@shows("PAL-TWO", books=TWO_LEFT_TOO)
def test_with_one_die_each_the_palifico_rules_hold(book: str) -> None:
    """Seat 1 has just fallen to its last die against an old single die."""
    used = [True, False]
    verdict = ask(book, "4 1", "1x4 2x4 dudo", opener=1, palifico=True, palifico_used=used)
    assert (verdict["count"], verdict["loser"], verdict["winner"]) == (1, 0, 1)


@shows("PAL-TWO", books=["pressman"])
def test_two_players_play_no_palifico_rounds(book: str) -> None:
    verdict = ask(book, "45 - 66", "6x4 dudo")
    assert (verdict["next_round"], verdict["next_starter"]) == ("normal", 0)
    assert because(verdict)[-2:] == ["PAL-TRIGGER", "PAL-TWO"]
    assert "(PAL-TWO)" in cannot_be(book, "4 - 66", palifico=True)


@shows("PAL-TWO", books=["pressman"])
def test_with_one_die_each_faces_change_and_aces_are_wild(book: str) -> None:
    verdict = ask(book, "1 4", "1x2 1x4 2x4 dudo")
    assert (verdict["count"], verdict["loser"], verdict["winner"]) == (2, 1, 0)
    assert breaks(book, "1 4", "1x1") == ["OPEN"]


@shows("PAL-TWO")
def test_with_one_die_each_and_no_fresh_fall_any_round_is_normal(book: str) -> None:
    """A third player went out: two old single dice are left, and neither is palifico."""
    verdict = ask(book, "3 5 4", "1x3 dudo", palifico_used=[True, True, True])
    assert (verdict["dice_counts"], verdict["next_round"]) == ([1, 0, 1], "normal")
    assert verdict["next_starter"] == 2


@shows("PAL-TWO")
def test_three_players_are_enough_for_every_book(book: str) -> None:
    assert ask(book, "45 3 6 -", "6x4 dudo")["next_round"] == "palifico"
