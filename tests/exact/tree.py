"""The public tree of one two-player round, grown by the engine's own bid generator."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.perudo.round import Bid, Round, Standing, open_round, place, raises

ROOT = 0


class Node(NamedTuple):
    """A bid on the table and all that was said before it; the root has no bid."""

    parent: int
    bid: Bid | None
    children: list[int]
    mine: int
    """0 where the opener acts, 1 where the other seat does."""


class Tree(NamedTuple):
    """Every bid history without certain lies, each after its parent."""

    nodes: list[Node]
    lies: frozenset[Bid]
    """The legal bids that were left out: more dice than are on the table."""


def grow(standing: Standing, deepest_lie: int = 0) -> Tree:
    """Grow the tree of the round that comes, opened by seat 0 against seat 1.

    Bids of more than the dice on the table plus `deepest_lie` are collected, not followed.
    """
    limit = sum(standing.dice) + deepest_lie
    nodes = [Node(ROOT, None, [], 0)]
    rounds = [open_round(standing)]
    lies: set[Bid] = set()
    at = 0
    while at < len(nodes):
        for bid in legal_bids(rounds[at]):
            if bid.quantity > limit:
                lies.add(bid)
            else:
                rounds.append(place(rounds[at], bid))
                nodes[at].children.append(len(nodes))
                nodes.append(Node(at, bid, [], rounds[-1].to_act))
        at += 1
    return Tree(nodes, frozenset(lies))


def legal_bids(now: Round) -> Iterator[Bid]:
    """Say every bid of the seat on turn one by one."""
    return (Bid(n, one.face) for one in raises(now) for n in range(one.min, one.max + 1))
