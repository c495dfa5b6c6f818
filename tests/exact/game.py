"""One round as a two-player zero-sum game: the public tree, hidden hands, results of doubts."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import NamedTuple

from arena.game.rules.books import FACES, Rules
from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid, Round, Standing, dudo
from tests.exact.tree import ROOT, Tree, grow

Edge = int
"""An action: 2n is the bid that leads to node n, 2n + 1 the doubt at node n."""
START: Edge = 2 * ROOT
"""The empty sequence, before a seat's first action."""

Sequence = tuple[Edge, int]
"""A seat's actions up to an edge with a hand of one class (its index in Game.kinds)."""
InfoSet = tuple[int, int]
"""All that a seat knows when it acts: the node and the class of its own hand."""


class HandClass(NamedTuple):
    """Hands that need not be distinguished: their probability, and one that settles a doubt."""

    weight: Fraction
    hands: tuple[Hand, ...]
    """At f - 1, the representative hand when a bid on face f is settled."""


class Game(NamedTuple):
    """A round that seat 0 opens against seat 1; the opener wins when seat 1 loses the die."""

    standing: Standing
    tree: Tree
    kinds: tuple[list[HandClass], list[HandClass]]


def normal(rules: Rules, lies: int = 0) -> Game:
    """Set up a normal round of one die against one die."""
    standing = Standing(rules, (1, 1), (False, False), 0)
    return Game(standing, grow(standing, lies), (all_hands(1), all_hands(1)))


def palifico(rules: Rules, other: int, lies: int = 0) -> Game:
    """Set up the palifico round of seat 0, which has one die, against `other` dice."""
    standing = Standing(rules, (1, other), (False, False), 0, 0)
    return Game(standing, grow(standing, lies), (all_hands(1), hit_counts(other)))


def all_hands(dice: int) -> list[HandClass]:
    """Classify hands by all their dice, whatever their order."""
    classes = []
    for hand in combinations_with_replacement(range(1, FACES + 1), dice):
        same = prod(factorial(times) for times in Counter(hand).values())
        classes.append(HandClass(Fraction(factorial(dice), same * FACES**dice), (hand,) * FACES))
    return classes


def hit_counts(dice: int) -> list[HandClass]:
    """Classify hands by how many dice show the face in play.

    This is enough for seat 1 if the face is locked: the opener chose the face without knowing seat
    1's dice, a count is equally likely for each face, and no other die is ever counted.
    """
    return [
        HandClass(
            Fraction(comb(dice, hit) * (FACES - 1) ** (dice - hit), FACES**dice),
            tuple(
                (face,) * hit + (face % FACES + 1,) * (dice - hit) for face in range(1, FACES + 1)
            ),
        )
        for hit in range(dice + 1)
    ]


def before(game: Game, node: int) -> Edge:
    """Return the previous action of the seat that acts at a node."""
    return 2 * game.tree.nodes[node].parent


def edges(game: Game, node: int) -> list[Edge]:
    """Return the actions at a node."""
    bids = [2 * child for child in game.tree.nodes[node].children]
    return bids if node == ROOT else [2 * node + 1, *bids]


def info_sets(game: Game, seat: int) -> list[InfoSet]:
    """Return the information sets of a seat, parents first."""
    acts = [at for at, node in enumerate(game.tree.nodes) if node.seat == seat]
    return list(product(acts, range(len(game.kinds[seat]))))


def wins(game: Game) -> Iterator[tuple[Sequence, Sequence, Fraction]]:
    """Yield every end that the opener wins: both sequences, and the probability of the deal."""
    settled = cache(lambda bid, seat: won_deals(game, bid, seat))
    for at, node in enumerate(game.tree.nodes):
        if node.bid is not None:
            actions = (2 * at + 1, 2 * at) if node.seat == 0 else (2 * at, 2 * at + 1)
            for mine, other, chance in settled(node.bid, node.seat):
                yield (actions[0], mine), (actions[1], other), chance


def won_deals(game: Game, bid: Bid, doubter: int) -> list[tuple[int, int, Fraction]]:
    """Settle a doubt for every deal with the engine; return classes and odds the opener wins."""
    now = Round(game.standing, doubter, bid, 1 - doubter)
    return [
        (mine, other, a.weight * b.weight)
        for mine, a in enumerate(game.kinds[0])
        for other, b in enumerate(game.kinds[1])
        if dudo(now, (a.hands[bid.face - 1], b.hands[bid.face - 1])).loser == 1
    ]
