"""Several actions in one moment: callers of calza, and the player on turn."""

from typing import Any

import pytest

from tests.rules.clauses import shows
from tests.rules.notation import Json, ask, because, breaks

CALLER_FIRST = ["bga", "classic", "pressman"]
"""A calza in the same moment as the action of the player on turn counts."""
FOUR = "44235 41566 2333 256"
"""Three fours and a paco."""
FIVE_SEATS = "4423 4156 2333 256 33"


def call(book: str, play: str, dice: str = FOUR, **how: Any) -> Json:
    return ask(book, dice, play, calza=True, **how)


# ---------------------------------------------------------------- several callers


@shows("CALZA-MANY")
@pytest.mark.parametrize("play", ["4x4 calza2+calza3", "4x4 calza3+calza2"])
def test_the_caller_nearest_after_the_bidder_counts(book: str, play: str) -> None:
    """Whoever is named first."""
    verdict = call(book, play)
    assert (verdict["gainer"], verdict["dice_counts"]) == (2, [5, 5, 5, 3])
    assert because(verdict) == ["CALZA-MANY", "CALZA-RIGHT", "CALZA-START"]


@shows("CALZA-MANY")
@pytest.mark.parametrize(
    ("bidder", "callers", "first"),
    [(2, "calza1+calza0", 0), (3, "calza2+calza1", 1), (1, "calza0+calza4+calza3", 3)],
)
def test_nearest_goes_around_the_table(book: str, bidder: int, callers: str, first: int) -> None:
    verdict = call(book, f"5x4 {callers}", FIVE_SEATS, opener=bidder)
    assert (verdict["loser"], verdict["next_starter"]) == (first, first)


@shows("CALZA-MANY", "CALZA-WHO", books=["bga", "classic"])
def test_the_next_player_is_the_nearest_of_all(book: str) -> None:
    verdict = call(book, "5x4 calza3+calza1+calza2")
    assert (verdict["loser"], verdict["next_starter"]) == (1, 1)


@shows("CALZA-MANY")
def test_the_other_callers_neither_win_nor_lose(book: str) -> None:
    verdict = call(book, "5x4 calza2+calza3")
    assert (verdict["loser"], verdict["dice_counts"]) == (2, [5, 5, 3, 3])
    assert because(verdict) == ["CALZA-MANY", "CALZA-WRONG", "CALZA-START"]


@shows("CALZA-WHO", "CALZA-MANY")
def test_illegal_caller_among_several_is_named(book: str) -> None:
    assert breaks(book, FOUR, "4x4 calza2+calza0", calza=True) == ["CALZA-WHO"]


# ---------------------------------------------------------------- the player on turn as well


@shows("CALZA-WHEN", "CALZA-WRONG", books=CALLER_FIRST)
@pytest.mark.parametrize("play", ["5x4 dudo+calza2", "5x4 calza2+dudo"])
def test_calza_goes_before_a_dudo_of_the_same_moment(book: str, play: str) -> None:
    verdict = call(book, play)
    assert (verdict["loser"], verdict["next_starter"]) == (2, 2)
    assert because(verdict) == ["CALZA-WHEN", "CALZA-WRONG", "CALZA-START"]


@shows("CALZA-WHEN", "CALZA-RIGHT", books=CALLER_FIRST)
@pytest.mark.parametrize("play", ["4x4 5x4+calza2", "4x4 calza2+5x4"])
def test_calza_goes_before_a_bid_of_the_same_moment(book: str, play: str) -> None:
    """It is the bid before that was called."""
    verdict = call(book, play)
    assert (verdict["count"], verdict["gainer"], verdict["next_starter"]) == (4, 2, 2)
    assert because(verdict) == ["CALZA-WHEN", "CALZA-RIGHT", "CALZA-START"]


@shows("CALZA-WHEN", "DUDO", books=["italian"])
@pytest.mark.parametrize("play", ["5x4 dudo+calza2", "5x4 calza2+dudo", "5x4 dudo+calza2+calza3"])
def test_calza_in_the_moment_of_a_dudo_does_not_count(book: str, play: str) -> None:
    verdict = call(book, play)
    assert (verdict["loser"], verdict["dice_counts"]) == (0, [4, 5, 4, 3])
    assert because(verdict) == ["CALZA-WHEN", "DUDO", "STARTER"]


@shows("CALZA-WHEN", books=["italian"])
@pytest.mark.parametrize("play", ["4x4 5x4+calza2", "4x4 calza2+5x4"])
def test_calza_in_the_moment_of_a_bid_does_not_count(book: str, play: str) -> None:
    """The new bid stands, and may be called in its turn."""
    verdict = call(book, play)
    assert (verdict["verdict"], verdict["to_act"], verdict["calza"]) == ("open", 2, [0, 3])
    assert call(book, f"{play} calza3")["loser"] == 3


@shows("CALZA-WHEN", "CALZA-MANY", books=CALLER_FIRST)
def test_several_callers_and_the_player_on_turn(book: str) -> None:
    verdict = call(book, "4x4 calza3+dudo+calza2")
    assert (verdict["gainer"], verdict["loser"]) == (2, None)
    assert because(verdict) == ["CALZA-WHEN", "CALZA-MANY", "CALZA-RIGHT", "CALZA-START"]


@shows("TURN", books=["bga", "classic"])
@pytest.mark.parametrize("play", ["4x4 dudo+calza1", "4x4 5x4+calza1"])
def test_the_player_on_turn_does_one_thing_in_a_moment(book: str, play: str) -> None:
    assert breaks(book, FOUR, play, calza=True) == ["TURN"]


@shows("CALZA-WHO", books=["pressman", "italian"])
@pytest.mark.parametrize("play", ["4x4 dudo+calza1", "4x4 5x4+calza1"])
def test_the_player_on_turn_does_not_call_besides(book: str, play: str) -> None:
    assert breaks(book, FOUR, play, calza=True) == ["CALZA-WHO"]
