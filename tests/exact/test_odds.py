"""The odds that bots and reports use, against a count of all deals of a few dice."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from arena.game.rules.books import FACES, PACO
from arena.game.rules.dice import Hand
from arena.game.rules.odds import bid_exact, bid_holds
from arena.game.rules.round import Bid
from tests.support.depth import depth

MOST_DICE = depth(5, 6)
DIE = range(1, FACES + 1)

SPLITS = [
    (own, all_dice - own) for all_dice in range(1, MOST_DICE + 1) for own in range(all_dice + 1)
]
"""How many dice one sees and how many not."""


def tally(own: Hand, unseen: int, wild: int | None) -> dict[int, Counter[int]]:
    """Deal the unseen dice in every way; count, for each face, the deals with so many hits."""
    hits: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for deal in product(DIE, repeat=unseen):
        showing = Counter(own + deal)
        for face in DIE:
            hits[face][showing[face] + (showing[wild] if wild not in (None, face) else 0)] += 1
    return hits


@pytest.mark.parametrize("wild", [PACO, None])
@pytest.mark.parametrize(("seen", "unseen"), SPLITS)
def test_odds_of_every_bid_with_every_hand(seen: int, unseen: int, wild: int | None) -> None:
    deals = FACES**unseen
    for own in combinations_with_replacement(DIE, seen):
        for face, hits in tally(own, unseen, wild).items():
            for quantity in range(1, seen + unseen + 2):
                bid = Bid(quantity, face)
                true = sum(times for count, times in hits.items() if count >= quantity)
                assert bid_holds(bid, own, unseen, wild) == float(Fraction(true, deals))
                exact = pytest.approx(hits[quantity] / deals, abs=1e-12)
                assert bid_exact(bid, own, unseen, wild) == exact
