"""Turns and doubts: who may doubt, who loses the die, who opens next (TURN to OUT, REVEAL, WIN)."""

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import ask, because, breaks

FIVE_FIVES = "55234 51162 23346"
"""Three fives and two pacos."""


@shows("TURN")
def test_bids_go_to_the_left_and_around(book: str) -> None:
    turns = [
        ask(book, FIVE_FIVES, play)["to_act"] for play in ("", "1x2", "1x2 1x3", "1x2 2x2 3x2")
    ]
    assert turns == [0, 1, 2, 0]


@shows("TURN", "OUT")
def test_the_turn_passes_over_the_dead(book: str) -> None:
    dice = "- 234 - - 345 -"
    assert ask(book, dice, "1x2", opener=1)["to_act"] == 4
    assert ask(book, dice, "1x2 2x2", opener=1)["to_act"] == 1


@shows("TURN")
def test_bid_out_of_turn_is_illegal(book: str) -> None:
    assert breaks(book, FIVE_FIVES, "1:2x2") == ["TURN"]
    assert breaks(book, FIVE_FIVES, "2x2 0:3x2") == ["TURN"]
    assert breaks(book, FIVE_FIVES, "2x2 2:3x2") == ["TURN"]


@shows("TURN")
def test_action_after_the_round_is_illegal(book: str) -> None:
    verdict = ask(book, FIVE_FIVES, "2x2 dudo 2:dudo")
    assert (verdict["verdict"], verdict["at"]) == ("illegal", 2)


@shows("DUDO")
def test_only_the_next_player_may_doubt(book: str) -> None:
    assert breaks(book, FIVE_FIVES, "5x5 0:dudo") == ["DUDO", "TURN"]
    assert breaks(book, FIVE_FIVES, "5x5 2:dudo") == ["DUDO", "TURN"]
    assert ask(book, FIVE_FIVES, "5x5 1:dudo")["verdict"] == "resolved"


@shows("DUDO")
def test_there_must_be_a_bid_to_doubt(book: str) -> None:
    assert breaks(book, FIVE_FIVES, "dudo") == ["DUDO"]
    assert ask(book, FIVE_FIVES)["dudo"] is False


@shows("DUDO")
def test_only_the_last_bid_is_doubted(book: str) -> None:
    """Nine twos were too many, but they are no longer on the table."""
    verdict = ask(book, FIVE_FIVES, "9x2 5x1 dudo")
    assert (verdict["count"], verdict["loser"]) == (2, 1)


@shows("DUDO", "STARTER")
def test_a_bid_of_more_than_there_are_costs_the_bidder(book: str) -> None:
    verdict = ask(book, FIVE_FIVES, "6x5 dudo")
    assert (verdict["count"], verdict["loser"], verdict["dice_counts"]) == (5, 0, [4, 5, 5])
    assert (verdict["next_starter"], verdict["next_round"]) == (0, "normal")
    assert because(verdict) == ["DUDO", "STARTER"]


@shows("TIE", "DUDO", "STARTER")
@pytest.mark.parametrize("quantity", [1, 4, 5])
def test_a_bid_of_as_many_or_fewer_stands(book: str, quantity: int) -> None:
    verdict = ask(book, FIVE_FIVES, f"{quantity}x5 dudo")
    assert (verdict["count"], verdict["loser"], verdict["dice_counts"]) == (5, 1, [5, 4, 5])
    assert (verdict["next_starter"], verdict["next_round"]) == (1, "normal")
    assert because(verdict) == ["DUDO", "TIE", "STARTER"]


@shows("TIE")
@pytest.mark.parametrize(("quantity", "loser"), [(2, 2), (3, 1)])
def test_pacos_count_once_for_a_bid_on_pacos(book: str, quantity: int, loser: int) -> None:
    verdict = ask(book, FIVE_FIVES, f"1x2 {quantity}x1 dudo")
    assert (verdict["count"], verdict["loser"]) == (2, loser)


@shows("STARTER")
@pytest.mark.parametrize(("play", "loser"), [("1x2 2x2 dudo", 2), ("1x2 15x2 dudo", 1)])
def test_loser_of_the_die_opens_the_next_round(book: str, play: str, loser: int) -> None:
    verdict = ask(book, FIVE_FIVES, play)
    assert (verdict["loser"], verdict["next_starter"]) == (loser, loser)


# ---------------------------------------------------------------- elimination


@shows("OUT")
def test_the_left_neighbour_of_an_eliminated_bidder_opens(book: str) -> None:
    """It is the doubter."""
    verdict = ask(book, "4 22 33 55", "9x4 dudo")
    assert (verdict["loser"], verdict["eliminated"]) == (0, [0])
    assert (verdict["next_starter"], verdict["next_round"]) == (1, "normal")
    assert because(verdict) == ["DUDO", "OUT"]


@shows("OUT")
def test_the_left_neighbour_of_an_eliminated_doubter_opens(book: str) -> None:
    """Neither the bidder, who was right, nor the seat to the right."""
    verdict = ask(book, "44 2 33 55", "1x4 dudo")
    assert (verdict["loser"], verdict["eliminated"]) == (1, [1])
    assert (verdict["next_starter"], verdict["next_round"]) == (2, "normal")
    assert because(verdict) == ["DUDO", "TIE", "OUT"]


@shows("OUT", "TURN")
@pytest.mark.parametrize(
    ("dice", "opener", "play", "out", "opens"),
    [
        ("44 2 - - 33 55", 0, "1x4 dudo", 1, 4),
        ("44 - 33 55 - 2", 3, "1x5 dudo", 5, 0),
        ("- 44 33 55 2 -", 3, "1x5 dudo", 4, 1),
        ("- 44 33 - 2 -", 4, "9x2 dudo", 4, 1),
    ],
)
def test_next_player_alive_opens_after_an_elimination(
    book: str, dice: str, opener: int, play: str, out: int, opens: int
) -> None:
    verdict = ask(book, dice, play, opener=opener)
    assert (verdict["eliminated"], verdict["next_starter"]) == ([out], opens)


@shows("OUT")
def test_eliminated_player_may_not_act(book: str) -> None:
    dice = "44 - 33"
    assert breaks(book, dice, "1x4 1:2x4") == ["TURN"]
    assert breaks(book, dice, "1x4 1:dudo") == ["DUDO", "TURN"]
    assert breaks(book, dice, "1x4 calza1", calza=True) == ["CALZA-WHO"]


@shows("WIN")
@pytest.mark.parametrize(
    ("dice", "play", "winner"), [("4 22222", "9x4 dudo", 1), ("3 2", "1x3 dudo", 0)]
)
def test_the_last_player_with_a_die_wins(book: str, dice: str, play: str, winner: int) -> None:
    verdict = ask(book, dice, play)
    assert (verdict["winner"], verdict["next_starter"]) == (winner, None)
    assert verdict["next_round"] == "game_over"
    assert because(verdict)[-2:] == ["OUT", "WIN"]


@shows("WIN")
def test_game_goes_on_with_two_players(book: str) -> None:
    verdict = ask(book, "44 2 33", "1x4 dudo")
    assert (verdict["winner"], verdict["next_round"]) == (None, "normal")
    assert "WIN" not in verdict["clauses"]


# ---------------------------------------------------------------- uncovering


@shows("REVEAL", books=["pressman"])
@pytest.mark.parametrize(
    ("dice", "opener", "play", "order"),
    [
        ("22 33 44 55", 0, "1x2 2x2 dudo", [2, 3, 0, 1]),
        ("22 - 44 55 -", 3, "1x2 dudo", [0, 2, 3]),
        ("22 33", 0, "1x2 dudo", [1, 0]),
    ],
)
def test_the_caller_uncovers_first_and_the_bidder_last(
    book: str, dice: str, opener: int, play: str, order: list[int]
) -> None:
    verdict = ask(book, dice, play, opener=opener)
    assert verdict["reveal_order"] == order
    assert "REVEAL" in verdict["clauses"]


@shows("REVEAL", books=["pressman"])
def test_caller_of_calza_uncovers_first_too(book: str) -> None:
    verdict = ask(book, "22 33 44 55", "1x2 calza3", calza=True)
    assert verdict["reveal_order"] == [3, 1, 2, 0]


@shows("REVEAL", books=["italian"])
def test_reveal_at_once_has_no_order(book: str) -> None:
    verdict = ask(book, "22 33 44 55", "1x2 dudo")
    assert verdict["reveal_order"] is None
    assert "REVEAL" in verdict["clauses"]


@shows("REVEAL", books=["bga", "classic"])
def test_order_of_uncovering_is_unstated(book: str) -> None:
    verdict = ask(book, "22 33 44 55", "1x2 dudo")
    assert verdict["reveal_order"] is None
    assert "REVEAL" not in verdict["clauses"]
