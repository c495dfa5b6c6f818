"""Rounds for two as zero-sum games: the states between them, and the tree of bids in each.

Between two rounds only the dice left and the kind of the next round matter, under the rules that
`check_rules` admits. Without calza a seat falls to one die once a game, so palifico rounds of the
past never matter; nor do veterans, because rules with veterans are refused if they have palifico
rounds for two.

The tree has every sequence of bids up to the dice on the table. A bid above these loses every
doubt, so it is no better than a doubt: the value of the round is the same without it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules, unknown_switch
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.round import Bid, Round, Standing, has_palifico, lose_die, raises
from arena.io.errors import ArenaError
from arena.playstats.baseline import every_hand, ways_of

BIDDING = ("raise_quantity_and_face", "raise_to_lower_face", "palifico_with_two_left")
"""The switches that make a difference between two players without calza."""
_WITHOUT_EFFECT = (
    "name",
    "first_opener",
    "palifico_once",
    "veteran_may_raise_face",
    "calza_by_next",
    "calza_beats_turn",
    "calza_in_palifico",
    "calza_with_two_left",
    "reveal",
    "calza",
    "lost_dice_visible",
    "starting_dice",
)
_HINT = "play other rules"


class EndgameState(NamedTuple):
    """A round that is about to begin, from the side of its opener."""

    opener: int
    """The opener's dice."""
    other: int
    """The other seat's dice."""
    palifico: bool = False

    def __str__(self) -> str:
        return f"{self.opener}-{self.other}{'-palifico' * self.palifico}"

    @property
    def total(self) -> int:
        """The dice on the table."""
        return self.opener + self.other


WinChances = Callable[[EndgameState], float]
"""Returns the probability that the opener of a state wins the game."""


@lru_cache
def check_rules(rules: Rules) -> None:
    """Raise ArenaError for rules whose equilibria depend on more than a state and BIDDING."""
    if switch := unknown_switch(rules, (*BIDDING, *_WITHOUT_EFFECT)):
        raise ArenaError(f"equilibria are not known for the rule switch '{switch}'", hint=_HINT)
    if rules.calza:
        raise ArenaError("equilibria are not known for games with calza", hint=_HINT)
    if rules.veteran_may_raise_face and rules.palifico_with_two_left:
        what = "equilibria are not known for palifico rounds of two with a veteran"
        raise ArenaError(what, hint=_HINT)


def standing_of(state: EndgameState, rules: Rules) -> Standing:
    """Return the table with the opener in seat 0; raises ArenaError as `check_rules` does."""
    check_rules(rules)
    dice = (state.opener, state.other)
    return Standing(rules, dice, (False, False), 0, 0 if state.palifico else None)


def states(rules: Rules, totals: Iterable[int], most: int) -> Iterator[EndgameState]:
    """Yield the states with each total of dice on the table, at most `most` per seat.

    A seat with one die opens a palifico round if the rules give it one; 1 : 1 can also be a normal
    round, in games that start with one die.
    """
    for total in totals:
        for opener in range(max(1, total - most), min(total - 1, most) + 1):
            state = EndgameState(opener, total - opener)
            falls = opener == 1 and has_palifico(rules, (1, state.other), (False, False), 0)
            if falls:
                yield EndgameState(1, state.other, palifico=True)
            if not falls or total == 2:
                yield state


def after(state: EndgameState, rules: Rules, loser: int) -> tuple[EndgameState, int]:
    """Return the state after a seat lost the round, 0 the opener, and the seat that opens it.

    The other seat of that state has no dice if the game is over.
    """
    coming = lose_die(standing_of(state, rules), loser)
    opener = coming.opener
    dice = coming.dice
    return EndgameState(dice[opener], dice[1 - opener], coming.palifico_seat is not None), opener


def stakes(state: EndgameState, rules: Rules, chance: WinChances) -> tuple[float, float]:
    """Return the opener's chance to win the game if it loses the round, and if the other does."""

    def worth(loser: int) -> float:
        coming, opener = after(state, rules, loser)
        wins = chance(coming) if coming.other else 1.0
        return 1 - wins if opener else wins

    return worth(0), worth(1)


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
    """The numbers of the bids that raise each bid; the last are the opening bids."""
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
    """The index of the first raise of each of these in the next level."""
    by_bid: tuple[tuple[int, Numbers], ...]
    """Each bid with the places of the sequences that end with it."""


def levels_of(game: RoundGame) -> list[Level]:
    """Grow the tree; the seat that acts at level n is n modulo 2."""
    counts = np.array([len(above) for above in game.raises])
    starts = np.concatenate([[0], np.cumsum(counts)])
    table = np.array([number for above in game.raises for number in above], np.intp)
    bid = np.array([-1])
    parent = np.array([0])
    levels = []
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
