"""What each opening is worth against a seat that plays optimally from then on."""

from collections import defaultdict
from typing import NamedTuple

from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid
from tests.exact.certify import rounded
from tests.exact.game import Game, Sequence, before, edges, info_sets, wins
from tests.exact.lp import solve
from tests.exact.tree import ROOT


class Opening(NamedTuple):
    """An opening with a hand, and how likely the opener then keeps its die."""

    hand: Hand
    bid: Bid
    keeps: float


def openings(game: Game) -> list[Opening]:
    """Return every opening with every hand; after it the opener makes the best of it, too.

    Optimal plans are not unique: against another one an opening that is not the best may be worth
    another value.
    """
    plan = rounded(game, 1, solve(game).plans[1])
    brings: defaultdict[Sequence, float] = defaultdict(float)
    for mine, other, chance in wins(game):
        if other in plan:
            brings[mine] += float(chance * plan[other])
    for node, kind in reversed(info_sets(game, 0)):
        if node != ROOT:
            best = max(brings[edge, kind] for edge in edges(game, node))
            brings[before(game, node), kind] += best
    return [
        Opening(one.hands[0], bid, brings[edge, kind] / float(one.weight))
        for kind, one in enumerate(game.kinds[0])
        for edge in edges(game, ROOT)
        if (bid := game.tree.nodes[edge // 2].bid)
    ]
