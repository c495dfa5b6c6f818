"""Calza: who may call it and when, and what a call settles (CALZA-...)."""

from typing import Any

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import Json, ask, because, breaks

ANYONE = ["bga", "classic"]
"""Whoever is alive may call, but for the bidder."""
NOT_THE_NEXT = ["pressman", "italian"]
NEVER_IN_THESE = ["classic", "pressman", "italian"]
"""No calza in a palifico round, none with two players left."""
FOUR = "44235 41566 2333 256"
"""Three fours and a paco."""


def call(book: str, dice: str, play: str, **how: Any) -> Json:
    """Return the verdict with calza played."""
    return ask(book, dice, play, calza=True, **how)


def denied(book: str, dice: str, play: str, **how: Any) -> list[str]:
    """Return the clauses that the last move breaks with calza played."""
    return breaks(book, dice, play, calza=True, **how)


# ---------------------------------------------------------------- who and when


@shows("CALZA-WHO", books=ANYONE)
def test_anyone_but_the_bidder_may_call_calza(book: str) -> None:
    assert call(book, FOUR, "4x4")["calza"] == [1, 2, 3]
    assert call(book, FOUR, "4x4 5x4")["calza"] == [0, 2, 3]
    assert call(book, FOUR, "4x4 calza1")["verdict"] == "resolved"


@shows("CALZA-WHO", books=NOT_THE_NEXT)
def test_anyone_but_the_bidder_and_the_next_player_may_call_calza(book: str) -> None:
    assert call(book, FOUR, "4x4")["calza"] == [2, 3]
    assert call(book, FOUR, "4x4 5x4")["calza"] == [0, 3]
    assert denied(book, FOUR, "4x4 calza1") == ["CALZA-WHO"]


@shows("CALZA-WHO")
def test_bidder_may_not_call_calza(book: str) -> None:
    assert denied(book, FOUR, "4x4 calza0") == ["CALZA-WHO"]


@shows("CALZA-WHO")
def test_only_players_with_dice_may_call_calza(book: str) -> None:
    dice = "44235 41566 - 2333 256"
    assert 2 not in call(book, dice, "4x4")["calza"]
    assert denied(book, dice, "4x4 calza2") == ["CALZA-WHO"]


@shows("CALZA-WHO")
def test_the_next_player_is_the_next_alive(book: str) -> None:
    """Seat 1 is out, so seat 2 is the next player."""
    dice = "44235 - 41566 2333"
    assert (2 in call(book, dice, "4x4")["calza"]) == (book in ANYONE)
    assert 3 in call(book, dice, "4x4")["calza"]


@shows("CALZA-WHO")
def test_calza_is_an_option_and_off_by_default(book: str) -> None:
    assert ask(book, FOUR, "4x4")["calza"] == []
    assert breaks(book, FOUR, "4x4 calza2") == ["CALZA-WHO"]


@shows("CALZA-WHEN")
def test_calza_without_a_bid_is_illegal(book: str) -> None:
    assert call(book, FOUR, "")["calza"] == []
    assert denied(book, FOUR, "calza2") == ["CALZA-WHEN"]


@shows("CALZA-WHEN")
def test_any_bid_may_be_called_the_first_and_later_ones(book: str) -> None:
    for play in ("4x4 calza3", "3x4 4x4 calza3", "2x4 3x4 4x4 calza0"):
        assert call(book, FOUR, play)["verdict"] == "resolved"


@shows("CALZA-WHEN")
def test_after_the_next_bid_it_is_that_bid_which_is_called(book: str) -> None:
    """Four fours were exact; the call comes when five are on the table."""
    assert call(book, FOUR, "4x4 calza3")["loser"] is None
    assert call(book, FOUR, "4x4 5x4 calza3")["loser"] == 3


@shows("CALZA-WHEN")
def test_calza_after_dudo_is_illegal(book: str) -> None:
    verdict = call(book, FOUR, "4x4 dudo calza3")
    assert (verdict["verdict"], verdict["at"]) == ("illegal", 2)


# ---------------------------------------------------------------- palifico rounds, two players


@shows("CALZA-PAL", books=["bga"])
def test_calza_in_a_palifico_round_is_legal(book: str) -> None:
    """Exact without the paco, which is not wild."""
    verdict = call(book, "4 1456 23", "2x4 calza2", palifico=True)
    assert (verdict["count"], verdict["gainer"]) == (2, 2)
    assert because(verdict) == ["CALZA-RIGHT", "PAL-WILD", "CALZA-START"]


@shows("CALZA-PAL", books=NEVER_IN_THESE)
def test_calza_in_a_palifico_round_is_illegal(book: str) -> None:
    assert call(book, "4 1456 23", "2x4", palifico=True)["calza"] == []
    assert denied(book, "4 1456 23", "2x4 calza2", palifico=True) == ["CALZA-PAL"]


@shows("CALZA-PAL")
def test_an_old_single_die_forbids_nothing(book: str) -> None:
    used = [True, False, False]
    verdict = call(book, "4 1456 23", "3x4 calza2", palifico_used=used)
    assert (verdict["count"], verdict["gainer"]) == (3, 2)


@shows("CALZA-TWO", books=["bga"])
def test_calza_with_two_players_left_is_legal(book: str) -> None:
    verdict = call(book, "44 - 23", "2x4 calza2")
    assert (verdict["gainer"], verdict["dice_counts"]) == (2, [2, 0, 3])


@shows("CALZA-TWO", books=NEVER_IN_THESE)
def test_calza_with_two_players_left_is_illegal(book: str) -> None:
    assert call(book, "44 - 23", "2x4")["calza"] == []
    assert denied(book, "44 - 23", "2x4 calza2") == ["CALZA-TWO"]


@shows("CALZA-TWO")
def test_calza_with_three_players_left_is_legal(book: str) -> None:
    assert call(book, "44 - 23 4", "3x4 calza3")["gainer"] == 3


# ---------------------------------------------------------------- right


@shows("CALZA-RIGHT", "CALZA-START")
def test_right_caller_regains_a_die_and_opens(book: str) -> None:
    verdict = call(book, FOUR, "4x4 calza2")
    assert (verdict["count"], verdict["loser"], verdict["gainer"]) == (4, None, 2)
    assert verdict["dice_counts"] == [5, 5, 5, 3]
    assert (verdict["next_starter"], verdict["next_round"]) == (2, "normal")
    assert because(verdict) == ["CALZA-RIGHT", "CALZA-START"]


@shows("CALZA-RIGHT", "CALZA-START")
def test_right_caller_with_five_dice_gains_none(book: str) -> None:
    verdict = call(book, "44235 41566 23335", "4x4 calza2")
    assert (verdict["loser"], verdict["gainer"]) == (None, None)
    assert (verdict["dice_counts"], verdict["next_starter"]) == ([5, 5, 5], 2)
    assert because(verdict) == ["CALZA-RIGHT", "CALZA-START"]


@shows("CALZA-RIGHT")
def test_right_caller_never_exceeds_the_starting_dice(book: str) -> None:
    """A game that starts with three dice never has more per seat."""
    assert call(book, "442 415 233", "4x4 calza2", starting_dice=3)["gainer"] is None


@shows("CALZA-RIGHT", "CALZA-START", "PAL-TRIGGER")
def test_a_right_call_with_the_last_die(book: str) -> None:
    """From one die to two: no fall, so no palifico round."""
    verdict = call(book, "44235 41566 2 256", "4x4 calza2", palifico_used=[False] * 4)
    assert (verdict["gainer"], verdict["dice_counts"]) == (2, [5, 5, 2, 3])
    assert (verdict["next_starter"], verdict["next_round"]) == (2, "normal")


# ---------------------------------------------------------------- wrong


@shows("CALZA-WRONG", "CALZA-START")
@pytest.mark.parametrize("quantity", [3, 5])
def test_wrong_caller_loses_a_die_and_opens(book: str, quantity: int) -> None:
    """Too many or too few: the bidder is safe, even if its bid was wrong."""
    verdict = call(book, FOUR, f"{quantity}x4 calza2")
    assert (verdict["count"], verdict["loser"], verdict["gainer"]) == (4, 2, None)
    assert (verdict["dice_counts"], verdict["next_starter"]) == ([5, 5, 3, 3], 2)
    assert because(verdict) == ["CALZA-WRONG", "CALZA-START"]


@shows("CALZA-WRONG", "CALZA-START", "OUT")
@pytest.mark.parametrize(
    ("dice", "play", "out", "opens"),
    [
        ("44 33 6 55", "5x4 calza2", 2, 3),
        ("44 33 55 6", "5x4 calza3", 3, 0),
        ("44 33 6 - 55", "5x4 calza2", 2, 4),
    ],
)
def test_a_wrong_call_with_the_last_die(
    book: str, dice: str, play: str, out: int, opens: int
) -> None:
    """The caller is out; its left neighbour opens, not the bidder."""
    verdict = call(book, dice, play)
    assert (verdict["eliminated"], verdict["next_starter"]) == ([out], opens)
    assert verdict["next_round"] == "normal"
    assert because(verdict) == ["CALZA-WRONG", "CALZA-START", "OUT"]


@shows("CALZA-WRONG", "CALZA-START", "PAL-TRIGGER")
def test_a_wrong_call_that_costs_the_last_but_one_die(book: str) -> None:
    verdict = call(book, "444 33 66 55", "5x4 calza2")
    assert (verdict["dice_counts"], verdict["next_starter"]) == ([3, 2, 1, 2], 2)
    assert verdict["next_round"] == "palifico"
    assert because(verdict) == ["CALZA-WRONG", "CALZA-START", "PAL-TRIGGER"]


@shows("CALZA-WRONG", "WIN", books=["bga"])
def test_a_wrong_call_may_lose_the_game(book: str) -> None:
    verdict = call(book, "44 6", "1x4 calza1")
    assert (verdict["winner"], verdict["next_round"]) == (0, "game_over")


# ---------------------------------------------------------------- palifico again


def after_a_regained_die(book: str) -> Json:
    """Seat 2 was palifico, regains a die by calza and loses it again in the round after that."""
    used = [False, False, True, False]
    back = call(book, "44235 41566 2 256", "4x4 calza2", palifico_used=used)
    assert (back["next_starter"], back["dice_counts"]) == (2, [5, 5, 2, 3])
    return call(book, "44235 41566 23 256", "9x4 dudo", opener=2, palifico_used=used)


@shows("CALZA-REPAL", "PAL-ONCE", books=["bga", "pressman"])
def test_second_fall_after_calza_gives_no_palifico_round(book: str) -> None:
    verdict = after_a_regained_die(book)
    assert (verdict["dice_counts"], verdict["next_starter"]) == ([5, 5, 1, 3], 2)
    assert verdict["next_round"] == "normal"
    assert because(verdict)[-2:] == ["PAL-TRIGGER", "PAL-ONCE"]


@shows("CALZA-REPAL", "PAL-ONCE", books=["classic", "italian"])
def test_second_fall_after_calza_gives_a_palifico_round(book: str) -> None:
    verdict = after_a_regained_die(book)
    assert (verdict["dice_counts"], verdict["next_starter"]) == ([5, 5, 1, 3], 2)
    assert verdict["next_round"] == "palifico"
