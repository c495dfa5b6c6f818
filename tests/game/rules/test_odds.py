"""The odds of a bid, against all the ways in which the unseen dice can fall."""

from fractions import Fraction
from itertools import product

import pytest

from arena.game.rules.odds import at_least, bid_exact, bid_holds
from arena.game.rules.round import Bid

OWN = (1, 1, 4, 4, 5)


@pytest.mark.parametrize("dice", range(5))
@pytest.mark.parametrize("faces", [1, 2])
def test_at_least(dice: int, faces: int) -> None:
    falls = list(product(range(6), repeat=dice))
    for needed in range(-2, dice + 3):
        ways = sum(sum(die < faces for die in fall) >= needed for fall in falls)
        assert at_least(needed, dice, faces) == ways / len(falls)


@pytest.mark.parametrize("faces", [1, 2])
def test_odds_are_rounded_once(faces: int) -> None:
    """Of 50 dice, too: the falls are counted in whole numbers, one die after the other."""
    ways = [1]
    for _ in range(50):
        ways = [
            faces * hit + (6 - faces) * miss
            for hit, miss in zip([0, *ways], [*ways, 0], strict=True)
        ]
    for needed in range(51):
        assert at_least(needed, 50, faces) == float(Fraction(sum(ways[needed:]), 6**50))


def share(bid: Bid, wild: int | None, unseen: int, *, exact: bool) -> float:
    """The share of the falls of unseen dice that make a bid true, or exact."""
    falls = list(product(range(1, 7), repeat=unseen))
    counts = [sum(die in (bid.face, wild) for die in (*OWN, *fall)) for fall in falls]
    return sum(n == bid.quantity if exact else n >= bid.quantity for n in counts) / len(falls)


@pytest.mark.parametrize("wild", [1, None])
@pytest.mark.parametrize("face", [1, 2, 4, 5])
def test_a_bid_holds_or_is_exact(face: int, wild: int | None) -> None:
    for quantity in range(1, 9):
        bid = Bid(quantity, face)
        assert bid_holds(bid, OWN, 3, wild) == share(bid, wild, 3, exact=False)
        assert bid_exact(bid, OWN, 3, wild) == pytest.approx(share(bid, wild, 3, exact=True))


def test_certain_odds_are_floats() -> None:
    assert isinstance(at_least(0, 3, 1), float)
    assert isinstance(at_least(9, 3, 1), float)
