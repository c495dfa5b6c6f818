"""The value of each action of a round: the chance to win after it, by what its seat knows.

The others' dice are unknown: every hand that they may have counts by how well it goes with what
they bid in this round (`FLOOR`). After the action all seats play the rest of the round as baseline
bots (`arena.playstats.baseline`), each with every patience; the end of the round is worth the
chance to win with the dice that are then left (`win_chance`). Against one other
seat with few dice every hand is counted, so a value has no error of its own; otherwise `DEALS`
hands are drawn from a hash, the same ones for all actions of a round.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules
from arena.game.rules.dice import Hand, roll
from arena.game.rules.round import Bid, Round, Standing, left_of, lose_die, raises
from arena.playstats import luck
from arena.playstats.baseline import (
    PATIENCE,
    Numbers,
    answers_of,
    chances_of,
    every_bid,
    every_hand,
    lowest_raises,
    matching_dice,
    ways_of,
)
from arena.playstats.luck import MOST_DICE

_STANDINGS = 1 << 16


def win_chance(standing: Standing, seat: int) -> float:
    """Return the chance of a seat to win, if all seats play alike.

    At a table of two it is that of baseline bots (`arena.playstats.luck`). Where there are more
    seats, each that is left is taken to be as likely as any other to lose the coming round.
    """
    if standing.winner is not None or not standing.dice[seat]:
        return float(standing.winner == seat)
    if luck.has_luck(standing.rules, len(standing.dice)):
        chance = luck.win_chance(standing)
        return chance if seat == 0 else 1 - chance
    others = [dice for at, dice in enumerate(standing.dice) if dice and at != seat]
    return _by_dice(standing.rules, standing.dice[seat], tuple(sorted(others)))


@lru_cache(_STANDINGS)
def _by_dice(rules: Rules, own: int, others: tuple[int, ...]) -> float:
    if not own or not others:
        return float(own > 0)
    if luck.has_luck(rules, 1 + len(others)):
        return _against_one(rules, own, others[0])
    losers = range(len(others))
    after = []
    for at in losers:
        left = [*others[:at], others[at] - 1, *others[at + 1 :]]
        after.append(_by_dice(rules, own, tuple(sorted(number for number in left if number))))
    return (sum(after) + _by_dice(rules, own - 1, others)) / (1 + len(others))


@lru_cache(_STANDINGS)
def _against_one(rules: Rules, own: int, other: int) -> float:
    """Return the chance to win against one other seat, whoever opens."""
    openers = (Standing(rules, (own, other), (True, True), opener) for opener in range(2))
    return sum(map(luck.win_chance, openers)) / 2


DEALS = 256
"""Deals that are drawn where there are too many to count all of them."""
FLOOR = 0.1
"""A hand counts (FLOOR + chance)² for each bid of its seat in the round, where chance is how likely
that bid was to be true for one who holds this hand: few bid what they do not believe."""
LEAST_CHANCE = 0.02
"""Bids that are less likely than this to be true, by the bidder's own dice, are no alternatives."""

Floats = NDArray[np.float64]


class BaselinePlayer(NamedTuple):
    """One seat's possible hands as a baseline bot; rows are hands, columns numbers of bids."""

    answers: Numbers
    """By patience, hand and last bid: the bid that follows, 0 for a dudo."""
    matching: Numbers
    """How many dice of a hand match a bid."""
    chances: Floats
    """How likely a bid is to be true for one who holds a hand."""


class Deals(NamedTuple):
    """The hidden dice that are reckoned with, each with every seat's patience."""

    weights: Floats
    """How often each falls, not yet weighed by bids."""
    hands: tuple[Numbers, ...]
    """The row of each seat's hand, in the order of turns from the seat that is judged."""
    patience: tuple[Numbers, ...]
    """The index of each seat's patience, in the same order."""
    drawn: bool
    """Whether they are a sample, or all that there are."""


@lru_cache(512)
def players(standing: Standing) -> dict[int, BaselinePlayer]:
    """Return the seats that are left, as baseline bots."""
    bids, total = every_bid(standing.cap), sum(standing.dice)
    baseline_bots = {}
    for seat, dice in enumerate(standing.dice):
        if dice:
            menu = lowest_raises(standing, seat, bids)
            answers = np.array(answers_of(dice, total - dice, menu, standing.wild, bids))
            chances = chances_of(dice, total - dice, standing.wild, bids)
            baseline_bots[seat] = BaselinePlayer(
                answers, matching_dice(dice, standing.wild, bids), chances
            )
    return baseline_bots


@lru_cache(16)
def rows(dice: int) -> dict[Hand, int]:
    """Return the row of each hand; hands are sorted."""
    return {hand: row for row, hand in enumerate(every_hand(dice))}


def turns_from(standing: Standing, seat: int) -> list[int]:
    """Return the seats that are left in the order of their turns, beginning with one of them."""
    order = [seat]
    while (left := left_of(standing.dice, order[-1])) != seat:
        order.append(left)
    return order


def deal(standing: Standing, order: Sequence[int], hand: Hand, key: str) -> Deals:
    """Return the hidden dice to reckon with; `key` decides which are drawn."""
    own = rows(len(hand))[tuple(sorted(hand))]
    dice = [standing.dice[seat] for seat in order]
    if len(order) == 2 and dice[1] <= MOST_DICE:
        return _every_deal(own, dice[1])
    hands = [np.full(DEALS, own)]
    for place, number in enumerate(dice[1:]):
        drawn = (roll(key, at, place, 0, number) for at in range(DEALS))
        hands.append(np.array([rows(number)[tuple(sorted(hand))] for hand in drawn]))
    # Each pattern of patience comes equally often.
    patience = [np.arange(DEALS) >> place & 1 for place in range(len(order))]
    return Deals(np.ones(DEALS), tuple(hands), tuple(patience), drawn=True)


@lru_cache(1024)
def _every_deal(own: int, dice: int) -> Deals:
    hidden = every_hand(dice)
    choices = list(product(range(len(PATIENCE)), repeat=2))
    other = np.tile(np.arange(len(hidden)), len(choices))
    patience = [np.repeat([choice[place] for choice in choices], len(hidden)) for place in range(2)]
    weights = np.tile(ways_of(hidden), len(choices))
    return Deals(weights, (np.full(len(other), own), other), tuple(patience), drawn=False)


class Lookahead:
    """The values of all actions that a seat could take in a round."""

    def __init__(self, standing: Standing, seat: int, hand: Hand, key: str) -> None:
        self._standing = standing
        self._seat = seat
        self._bids = every_bid(standing.cap)
        self._order = turns_from(standing, seat)
        self._players = [players(standing)[seat] for seat in self._order]
        self.deals = deal(standing, self._order, hand, key)
        hands = zip(self._players, self.deals.hands, strict=True)
        self._count = np.sum([player.matching[held] for player, held in hands], axis=0)
        self._quantities = np.array([bid.quantity if bid else 0 for bid in self._bids])
        self.chances = self._players[0].chances[self.deals.hands[0][0]]
        """How likely each bid is to be true, by the seat's own dice."""
        # Who won the call matters at tables of two only: there it is the other seat.
        self._worth = np.array(
            [
                win_chance(lose_die(standing, loser, winner), seat)
                for winner, loser in pairwise((*self._order[-1:], *self._order))
            ]
        )
        self._known: dict[int, Floats] = {}

    @staticmethod
    def number(bid: Bid) -> int:
        """Return the number of a bid."""
        return (bid.quantity - 1) * FACES + bid.face

    @staticmethod
    def bid(number: int) -> Bid:
        """Return the bid with a number."""
        return Bid((number - 1) // FACES + 1, (number - 1) % FACES + 1)

    def alternatives(
        self, last: Bid | None, made: Bid | None = None, least: float = LEAST_CHANCE
    ) -> list[int]:
        """Return the legal bids: `made`, and those that are at least so likely to be true."""
        ranges = raises(Round(self._standing, self._seat, last))
        numbers = [
            number
            for face_range in ranges
            for number in range(
                self.number(Bid(face_range.min, face_range.face)),
                self.number(Bid(face_range.max, face_range.face)) + 1,
                FACES,
            )
        ]
        kept = self.number(made) if made else None
        return [number for number in numbers if number == kept or self.chances[number] >= least]

    def weights(self, heard: Sequence[tuple[int, Bid]]) -> Floats:
        """Weigh the deals by the bids of the others so far; they sum to 1."""
        weights = self.deals.weights
        for seat, bid in heard:
            if seat != self._seat:
                place = self._order.index(seat)
                chances = self._players[place].chances[:, self.number(bid)]
                weights = weights * (FLOOR + chances[self.deals.hands[place]]) ** 2
        return np.asarray(weights / weights.sum())

    def after_bids(self, numbers: Sequence[int]) -> Floats:
        """Return what bids are worth, deal by deal: a column for each."""
        if new := [number for number in numbers if number not in self._known]:
            worth = self._played_out(new, turn=1)
            self._known.update(zip(new, worth.T, strict=True))
        columns = [self._known[number] for number in numbers]
        return np.array(columns).reshape(len(columns), len(self.deals.weights)).T

    def after_dudo(self, last: Bid) -> Floats:
        """Return what it is worth to doubt a bid of the seat before, deal by deal."""
        true = self._count[:, self.number(last)] >= last.quantity
        return np.asarray(self._worth[np.where(true, 0, -1)])

    def after_pass(self, last: Bid, to_act: int) -> Floats:
        """Return what it is worth, deal by deal, that another seat has the turn."""
        turn = self._order.index(to_act)
        return self._played_out([self.number(last)], turn)[:, 0]

    def after_calza(self, last: Bid, gained: Standing) -> Floats:
        """Return what it is worth to call a bid exact; `gained` is the table if it is."""
        exact = self._count[:, self.number(last)] == last.quantity
        return np.where(exact, win_chance(gained, self._seat), self._worth[0])

    def _played_out(self, numbers: Sequence[int], turn: int) -> Floats:
        """Play the round on from each bid, as the seat at `turn` in the order of turns answers."""
        deals, seats = self.deals, len(self._order)
        shape = len(deals.weights), len(numbers)
        at = np.repeat(np.arange(shape[0]), len(numbers))
        last = np.tile(np.array(numbers), shape[0])
        caller = np.zeros(last.size, np.intp)
        playing = np.arange(last.size)
        turn %= seats
        while playing.size:
            where = at[playing]
            patience, hand = deals.patience[turn][where], deals.hands[turn][where]
            said = self._players[turn].answers[patience, hand, last[playing]]
            caller[playing[said == 0]] = turn
            playing, said = playing[said > 0], said[said > 0]
            last[playing] = said
            turn = (turn + 1) % seats
        # As `dudo` settles it: the caller loses if the bid is true, else the seat before it.
        true = self._count[at, last] >= self._quantities[last]
        return np.asarray(self._worth[np.where(true, caller, caller - 1)]).reshape(shape)
