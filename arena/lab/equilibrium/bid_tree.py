"""The public tree of a round for two: every sequence of bids up to the dice on the table.

A bid above the dice on the table is left out. It loses every doubt, so it is no better than a
doubt: the value of the round is the same without it.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.round import Bid, Round, raises
from arena.lab.equilibrium.states_between_rounds import EndgameState, standing_of
from arena.playstats.baseline import every_hand, ways_of

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Keep = Callable[[Bid | None, Bid], bool]
"""Tells whether a raise (from, to) is in the game."""


def every_raise(_bid: Bid | None, _raise: Bid) -> bool:
    """Leave out nothing."""
    return True


class RoundGame(Struct, frozen=True, dict=True):
    """One round as a game: hands, bids, and the value of a doubt of each bid."""

    state: EndgameState
    stakes: tuple[float, float]
    """The opener's chance to win the game if it loses the round, and if the other does."""
    bids: tuple[Bid, ...]
    raises: tuple[tuple[int, ...], ...]
    """For each bid the numbers of the bids that raise it; the last are the opening bids."""
    wild: int | None

    @cached_property
    def hands(self) -> tuple[tuple[Hand, ...], tuple[Hand, ...]]:
        """The hands of the opener and of the other seat, as multisets."""
        return every_hand(self.state.opener), every_hand(self.state.other)

    @cached_property
    def chances(self) -> tuple[Floats, Floats]:
        """The probability of each hand."""
        opener, other = map(ways_of, self.hands)
        return opener / opener.sum(), other / other.sum()

    @cached_property
    def matching(self) -> tuple[Numbers, Numbers]:
        """How many dice of each hand (rows) match each bid (columns)."""
        opener, other = (
            np.array([[count_face((h,), b.face, self.wild) for b in self.bids] for h in hands])
            for hands in self.hands
        )
        return opener, other

    def doubted(self, bid: int, doubter: int) -> Floats:
        """Return the opener's chance to win the game after a doubt, by the hands of both."""
        opener, other = self.matching
        count = opener[:, bid][:, None] + other[:, bid]
        doubter_loses = count >= self.bids[bid].quantity
        opener_loses = doubter_loses if doubter == 0 else ~doubter_loses
        return np.where(opener_loses, *self.stakes)


def round_game(
    state: EndgameState, rules: Rules, stakes: tuple[float, float], keep: Keep = every_raise
) -> RoundGame:
    """Set up the round of a state."""
    standing = standing_of(state, rules)
    bids = tuple([Bid(q, face) for q in range(1, state.total + 1) for face in range(1, FACES + 1)])
    numbers = {bid: number for number, bid in enumerate(bids)}

    def above(bid: Bid | None) -> tuple[int, ...]:
        legal = [
            Bid(quantity, face_raises.face)
            for face_raises in raises(Round(standing, 1, bid, 0 if bid else None))
            for quantity in range(face_raises.min, min(face_raises.max, state.total) + 1)
        ]
        return tuple([numbers[higher] for higher in legal if keep(bid, higher)])

    return RoundGame(state, stakes, bids, (*map(above, bids), above(None)), standing.wild)


class Level(Struct, frozen=True):
    """All sequences of so many bids, those after the same sequence next to each other."""

    bid: Numbers
    """The last bid of each; -1 for the empty sequence."""
    parent: Numbers
    """Its place in the level before."""
    inner: Numbers
    """The places of the sequences that can be raised."""
    first: Numbers
    """For each of these the place of its first raise in the next level."""
    by_bid: tuple[tuple[int, Numbers], ...]
    """Each bid with the places of the sequences that end with it."""


def levels_of(game: RoundGame) -> list[Level]:
    """Grow the tree; the seat that acts at level n is n modulo 2."""
    counts = np.array([len(above) for above in game.raises])
    starts = np.concatenate([[0], np.cumsum(counts)])
    table = np.array([number for above in game.raises for number in above], np.intp)
    bid, parent, levels = np.array([-1]), np.array([0]), []
    while bid.size:
        many = counts[bid]
        first = np.cumsum(many) - many
        inner = np.flatnonzero(many)
        levels.append(Level(bid, parent, inner, first[inner], _by_bid(bid)))
        parent = np.repeat(np.arange(bid.size), many)
        offset = np.arange(parent.size) - first[parent]
        bid = table[starts[bid % len(game.raises)][parent] + offset]
    return levels


def _by_bid(bid: Numbers) -> tuple[tuple[int, Numbers], ...]:
    if bid[0] < 0:
        return ()
    order = np.argsort(bid, kind="stable")
    bids, starts = np.unique(bid[order], return_index=True)
    places: Sequence[Numbers] = np.split(order, starts[1:])
    return tuple(zip(map(int, bids), places, strict=True))
