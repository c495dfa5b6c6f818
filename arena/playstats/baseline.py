"""Simple bots that play every deal of a round for two: their results say what dice are worth.

A baseline bot makes the lowest raise that is most likely to be true by its own dice, or doubts if
that is more likely to succeed than the raise is to survive. A raise survives if it is true, and
sometimes if it is false, because it goes undoubted: how often a bot counts on that is its patience.
Each bot draws its patience for a round; outcomes are averages over what both may draw. No baseline
bot calls calza.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.game.rules.books import FACES
from arena.game.rules.dice import Hand, count_face
from arena.game.rules.odds import at_least, unknown
from arena.game.rules.round import Bid, Round, Standing, raises

PATIENCE = (0.0, 0.4)
"""How often a bot counts on a false raise to go undoubted: it draws one of these."""

Bids = tuple[Bid | None, ...]
Menu = tuple[tuple[int, ...], ...]
"""For each bid on the table the lowest legal raises, as numbers of bids; number 0 is no bid."""
Numbers = NDArray[np.intp]


class Outcomes(NamedTuple):
    """The loser of a die among baseline bots, for each deal of a round."""

    losses: NDArray[np.uint8]
    """For each deal, how often the opener loses, over all choices of patience."""
    rows: dict[Hand, int]
    """Where the deals of the opener's hand start; hands are sorted."""
    columns: dict[Hand, int]
    """Where the other's hand is among those deals."""
    mean: float
    """The chance that the opener loses, over all deals as dice fall."""

    def of(self, opener: Hand, other: Hand) -> float:
        """Return the share of the choices of patience with which the opener loses on a deal."""
        row, column = self.rows[tuple(sorted(opener))], self.columns[tuple(sorted(other))]
        return int(self.losses[row + column]) / len(PATIENCE) ** 2


def outcomes(standing: Standing) -> Outcomes:
    """Play every deal of the coming round of two seats."""
    seats, bids = (standing.opener, 1 - standing.opener), every_bid(standing.cap)
    dice = tuple([standing.dice[seat] for seat in seats])
    menus = tuple([lowest_raises(standing, seat, bids) for seat in seats])
    return _outcomes(dice, menus, standing.wild, bids)


@lru_cache(256)
def _outcomes(
    dice: tuple[int, ...], menus: tuple[Menu, ...], wild: int | None, bids: Bids
) -> Outcomes:
    """Play every deal, given the dice and the menus of the opener and of the other."""
    own, others = (every_hand(number) for number in dice)
    answers = [
        answers_of(number, sum(dice) - number, menu, wild, bids)
        for number, menu in zip(dice, menus, strict=True)
    ]
    matching = [matching_dice(number, wild, bids) for number in dice]
    losses = np.zeros((len(own), len(others)), np.uint8)
    for choice in product(range(len(PATIENCE)), repeat=2):
        chosen = [answers[turn][patience] for turn, patience in enumerate(choice)]
        losses += _play(chosen, matching, bids)
    ways = np.outer(ways_of(own), ways_of(others))
    mean = float((losses * ways).sum() / ways.sum()) / len(PATIENCE) ** 2
    rows = {hand: row * len(others) for row, hand in enumerate(own)}
    columns = {hand: column for column, hand in enumerate(others)}
    return Outcomes(losses.ravel(), rows, columns, mean)


def _play(answers: Sequence[Numbers], matching: Sequence[Numbers], bids: Bids) -> NDArray[np.bool_]:
    """Return for each deal, the opener's hands by the other's, whether the opener loses."""
    shape = len(answers[0]), len(answers[1])
    hands = [index.ravel() for index in np.indices(shape)]
    last, caller = (np.zeros(hands[0].size, np.intp) for _ in range(2))
    playing, turn = np.arange(hands[0].size), 0
    while playing.size:
        said = answers[turn][hands[turn][playing], last[playing]]
        caller[playing[said == 0]] = turn
        playing, said = playing[said > 0], said[said > 0]
        last[playing] = said
        turn = 1 - turn
    count = matching[0][hands[0], last] + matching[1][hands[1], last]
    quantities = np.array([bid.quantity if bid else 0 for bid in bids])
    # As `dudo` settles it: the caller loses if the bid is true.
    loses: NDArray[np.bool_] = (count >= quantities[last]) == (caller == 0)
    return loses.reshape(shape)


def lowest_raises(standing: Standing, seat: int, bids: Bids) -> Menu:
    """Return the menu of a seat in the coming round."""
    numbers = {bid: number for number, bid in enumerate(bids)}
    ranges = [raises(Round(standing, seat, bid)) for bid in bids]
    return tuple([tuple([numbers[Bid(legal.min, legal.face)] for legal in of]) for of in ranges])


@lru_cache(256)
def answers_of(
    own: int, unseen: int, menu: Menu, wild: int | None, bids: Bids
) -> tuple[Numbers, ...]:
    """Return, for each patience, the bid that follows, by the hand and the last bid; 0: dudo."""
    holds = chances_of(own, unseen, wild, bids)
    answers = tuple([np.zeros(holds.shape, np.intp) for _ in PATIENCE])
    every = np.arange(len(holds))
    for last, lowest in enumerate(menu):
        if not lowest:
            continue
        surest = np.array(lowest)[holds[:, lowest].argmax(axis=1)]
        chance = holds[every, surest]
        for patience, answer in zip(PATIENCE, answers, strict=True):
            doubts = 1 - holds[:, last] > chance + (1 - chance) * patience
            answer[:, last] = np.where(doubts, 0, surest)
    return answers


def chances_of(own: int, unseen: int, wild: int | None, bids: Bids) -> NDArray[np.float64]:
    """Return how likely each bid is to be true, by the hand of its bidder; no bid is true."""
    matching = matching_dice(own, wild, bids)
    holds = np.ones(matching.shape)
    for number, bid in enumerate(bids):
        if bid:
            needed, dice, faces = unknown(bid.quantity, bid.face, (), unseen, wild)
            chances = [at_least(needed - count, dice, faces) for count in range(own + 1)]
            holds[:, number] = np.array(chances)[matching[:, number]]
    return holds


@lru_cache(64)
def matching_dice(dice: int, wild: int | None, bids: Bids) -> Numbers:
    """Return how many dice of each hand match each bid."""
    return np.array(
        [
            [count_face((hand,), bid.face, wild) if bid else 0 for bid in bids]
            for hand in every_hand(dice)
        ]
    )


@lru_cache(16)
def every_bid(cap: int) -> Bids:
    """Return every bid by its number; 0 is none."""
    quantities, faces = range(1, cap + 1), range(1, FACES + 1)
    return (None, *(Bid(quantity, face) for quantity in quantities for face in faces))


@lru_cache(16)
def every_hand(dice: int) -> tuple[Hand, ...]:
    """Return every hand, sorted."""
    return tuple(combinations_with_replacement(range(1, FACES + 1), dice))


def ways_of(hands: Sequence[Hand]) -> NDArray[np.float64]:
    """Return in how many ways dice can fall as each hand."""
    faces = range(1, FACES + 1)
    return np.array(
        [factorial(len(hand)) // prod(factorial(hand.count(f)) for f in faces) for hand in hands],
        dtype=np.float64,
    )
