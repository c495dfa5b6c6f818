"""One round as a two-player zero-sum game: the public tree, the hidden hands, who wins a doubt."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import comb, factorial, prod
from typing import NamedTuple

from arena.perudo.dice import Hand
from arena.perudo.round import Bid, Round, Standing, dudo, first_standing
from arena.perudo.rules import FACES, Rules
from tests.exact.tree import ROOT, Tree, grow

Edge = int
"""What was said at a node: 2n is the bid that leads to node n, 2n + 1 the doubt at node n."""
START: Edge = 2 * ROOT
"""The edge before a seat's first word."""


class Kind(NamedTuple):
    """Hands that need not be told apart: how likely they are, and one of them for each face."""

    weight: Fraction
    hands: tuple[Hand, ...]
    """The hand that stands for the kind when a bid on face f is settled, at f - 1."""


class Game(NamedTuple):
    """A round that seat 0 opens against seat 1; seat 0 wins when seat 1 loses the die."""

    standing: Standing
    tree: Tree
    kinds: tuple[list[Kind], list[Kind]]

    def before(self, node: int) -> Edge:
        """Return what the seat that acts at a node said last."""
        return 2 * self.tree.nodes[node].parent

    def edges(self, node: int) -> list[Edge]:
        """Return what may be said at a node."""
        bids = [2 * child for child in self.tree.nodes[node].children]
        return bids if node == ROOT else [2 * node + 1, *bids]


def hands(dice: int) -> list[Kind]:
    """Tell hands apart by all their dice (their order tells nothing)."""
    found = []
    for hand in combinations_with_replacement(range(1, FACES + 1), dice):
        same = prod(factorial(times) for times in Counter(hand).values())
        found.append(Kind(Fraction(factorial(dice), same * FACES**dice), (hand,) * FACES))
    return found


def counts(dice: int) -> list[Kind]:
    """Tell hands apart by how many dice show the face in play: enough where it is locked.

    The face is the opener's choice, and a fair hand has each count with the same odds on any face.
    """
    return [
        Kind(
            Fraction(comb(dice, hit) * (FACES - 1) ** (dice - hit), FACES**dice),
            tuple((face,) * hit + (face % FACES + 1,) * (dice - hit) for face in range(1, 7)),
        )
        for hit in range(dice + 1)
    ]


def normal(rules: Rules, mine: int = 1, other: int = 1, lies: int = 0) -> Game:
    """Set up a normal round of `mine` dice (the opener's) against `other`."""
    standing = Standing(rules, (mine, other), (False, False), 0)
    return Game(standing, grow(standing, lies), (hands(mine), hands(other)))


def palifico(rules: Rules, other: int, lies: int = 0) -> Game:
    """Set up the palifico round of seat 0, which has one die, against `other` dice."""
    standing = Standing(rules, (1, other), (False, False), 0, 0)
    return Game(standing, grow(standing, lies), (hands(1), counts(other)))


def winners(game: Game, bid: Bid, doubter: int) -> list[list[bool]]:
    """Let the engine settle a doubt for every deal: True where the opener keeps its dice."""
    now = Round(game.standing, doubter, bid, 1 - doubter)
    return [
        [dudo(now, (a.hands[bid.face - 1], b.hands[bid.face - 1])).loser == 1 for b in game.kinds[1]]
        for a in game.kinds[0]
    ]
