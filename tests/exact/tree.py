"""The public tree of one two-player round, grown by the engine's own bid generator."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.game.rules.round import Bid, Round, Standing, open_round, place, raises

ROOT = 0


class Node(NamedTuple):
    """A bid on the table with its history; the root has no bid."""

    parent: int
    bid: Bid | None
    children: list[int]
    seat: int
    """The seat that acts: 0 is the opener."""


class Tree(NamedTuple):
    """Every bid history that was expanded, each after its parent."""

    nodes: list[Node]
    lies: frozenset[Bid]
    """The legal bids that were not expanded: more dice than are on the table."""


def grow(standing: Standing, lies: int = 0) -> Tree:
    """Return the tree of the coming round, opened by seat 0 against seat 1.

    Bids of at most the dice on the table plus `lies` are expanded.
    """
    limit = sum(standing.dice) + lies
    nodes = [Node(ROOT, None, [], 0)]
    rounds = [open_round(standing)]
    left_out = set()
    for at, now in enumerate(rounds):
        for bid in legal_bids(now):
            if bid.quantity > limit:
                left_out.add(bid)
                continue
            nodes[at].children.append(len(nodes))
            rounds.append(place(now, bid))
            nodes.append(Node(at, bid, [], rounds[-1].to_act))
    return Tree(nodes, frozenset(left_out))


def legal_bids(now: Round) -> Iterator[Bid]:
    """Return every legal bid of the seat on turn."""
    return (Bid(n, one.face) for one in raises(now) for n in range(one.min, one.max + 1))
