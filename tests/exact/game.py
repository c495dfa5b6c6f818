"""One round as a two-player zero-sum game: the public tree, the hidden hands, who wins a doubt."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import NamedTuple

from arena.perudo.dice import Hand
from arena.perudo.round import Bid, Round, Standing, dudo
from arena.perudo.rules import FACES, Rules
from tests.exact.tree import ROOT, Tree, grow

Edge = int
"""What a seat says: 2n is the bid that leads to node n, 2n + 1 the doubt at node n."""
START: Edge = 2 * ROOT
"""What stands for a seat's words before it has said any."""

Sequence = tuple[Edge, int]
"""A seat's words up to an edge, said with a hand of one kind (its number in Game.kinds)."""
Spot = tuple[int, int]
"""All that a seat knows when it acts: the node, and the kind of its own hand."""


class Kind(NamedTuple):
    """Hands that need not be told apart: how likely they are, and which one is settled with."""

    weight: Fraction
    hands: tuple[Hand, ...]
    """The hand that stands for the kind when a bid on face f is settled, at f - 1."""


class Game(NamedTuple):
    """A round that seat 0 opens against seat 1; the opener wins when seat 1 loses the die."""

    standing: Standing
    tree: Tree
    kinds: tuple[list[Kind], list[Kind]]


def normal(rules: Rules, lies: int = 0) -> Game:
    """Set up a normal round of one die against one die."""
    standing = Standing(rules, (1, 1), (False, False), 0)
    return Game(standing, grow(standing, lies), (all_hands(1), all_hands(1)))


def palifico(rules: Rules, other: int, lies: int = 0) -> Game:
    """Set up the palifico round of seat 0, which has one die, against `other` dice."""
    standing = Standing(rules, (1, other), (False, False), 0, 0)
    return Game(standing, grow(standing, lies), (all_hands(1), hit_counts(other)))


def all_hands(dice: int) -> list[Kind]:
    """Tell hands apart by all their dice (their order tells nothing)."""
    found = []
    for hand in combinations_with_replacement(range(1, FACES + 1), dice):
        same = prod(factorial(times) for times in Counter(hand).values())
        found.append(Kind(Fraction(factorial(dice), same * FACES**dice), (hand,) * FACES))
    return found


def hit_counts(dice: int) -> list[Kind]:
    """Tell hands apart by how many dice show the face in play.

    Enough for seat 1 where the face is locked: the opener chose the face knowing nothing of seat
    1's dice, a count is as likely on one face as on another, and no other die is ever counted.
    """
    return [
        Kind(
            Fraction(comb(dice, hit) * (FACES - 1) ** (dice - hit), FACES**dice),
            tuple(
                (face,) * hit + (face % FACES + 1,) * (dice - hit) for face in range(1, FACES + 1)
            ),
        )
        for hit in range(dice + 1)
    ]


def before(game: Game, node: int) -> Edge:
    """Return what the seat that acts at a node said last."""
    return 2 * game.tree.nodes[node].parent


def edges(game: Game, node: int) -> list[Edge]:
    """Return what may be said at a node."""
    bids = [2 * child for child in game.tree.nodes[node].children]
    return bids if node == ROOT else [2 * node + 1, *bids]


def spots(game: Game, seat: int) -> list[Spot]:
    """List all that a seat may know when it acts, what comes first in the round first."""
    acts = [at for at, node in enumerate(game.tree.nodes) if node.seat == seat]
    return list(product(acts, range(len(game.kinds[seat]))))


def wins(game: Game) -> Iterator[tuple[Sequence, Sequence, Fraction]]:
    """Say every end that the opener wins: the words of both seats, and the chance of the deal."""
    settled = cache(lambda bid, seat: won_deals(game, bid, seat))
    for at, node in enumerate(game.tree.nodes):
        if node.bid is not None:
            said = (2 * at + 1, 2 * at) if node.seat == 0 else (2 * at, 2 * at + 1)
            for mine, other, chance in settled(node.bid, node.seat):
                yield (said[0], mine), (said[1], other), chance


def won_deals(game: Game, bid: Bid, doubter: int) -> list[tuple[int, int, Fraction]]:
    """Let the engine settle a doubt for every deal: the kinds and chances that the opener wins."""
    now = Round(game.standing, doubter, bid, 1 - doubter)
    return [
        (mine, other, a.weight * b.weight)
        for mine, a in enumerate(game.kinds[0])
        for other, b in enumerate(game.kinds[1])
        if dudo(now, (a.hands[bid.face - 1], b.hands[bid.face - 1])).loser == 1
    ]
