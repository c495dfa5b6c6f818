"""Simple bots that play every deal of a round for two: what dice are worth to players like that.

On its turn a baseline bot takes the legal bid that is most likely to be true by its own dice, at
the lowest quantity. It doubts instead if the bid on the table is more likely to be false than that
raise is to cost it the die, which depends on its patience (`PATIENCE`). It never calls calza. Both
bots choose their patience for each round at random; the outcomes are averages over the choices.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.perudo.dice import Hand, count_face
from arena.perudo.odds import at_least, unknown
from arena.perudo.round import Bid, Round, Standing, raises
from arena.perudo.rules import FACES

PATIENCE = (0.0, 0.4)
"""How often a bot takes it that a raise that is false goes undoubted."""

_Bids = tuple[Bid | None, ...]
_Menu = tuple[tuple[int, ...], ...]
"""For each bid on the table, by number, the lowest legal raises; bid 0 is none."""
_Numbers = NDArray[np.intp]


class Outcomes(NamedTuple):
    """Who loses a die among baseline bots, for each deal of a round."""

    losses: bytes
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
        return self.losses[row + column] / len(PATIENCE) ** 2


def outcomes(standing: Standing) -> Outcomes:
    """Play every deal of the coming round of two seats."""
    seats = standing.opener, 1 - standing.opener
    own, others = (_hands(standing.dice[seat]) for seat in seats)
    bids = _bids(standing.cap)
    answers = [_answers(standing, seat, bids) for seat in seats]
    matching = [_matching(standing.dice[seat], bids, standing.wild) for seat in seats]
    losses = np.zeros((len(own), len(others)), np.uint8)
    for choice in product(range(len(PATIENCE)), repeat=2):
        chosen = [answers[turn][patience] for turn, patience in enumerate(choice)]
        losses += _play(chosen, matching, bids)
    ways = np.outer(_ways(own), _ways(others))
    mean = float((losses * ways).sum() / ways.sum()) / len(PATIENCE) ** 2
    rows = {hand: row * len(others) for row, hand in enumerate(own)}
    columns = {hand: column for column, hand in enumerate(others)}
    return Outcomes(losses.tobytes(), rows, columns, mean)


def _play(
    answers: Sequence[_Numbers], matching: Sequence[_Numbers], bids: _Bids
) -> NDArray[np.bool_]:
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
    return ((count >= quantities[last]) == (caller == 0)).reshape(shape)


def _answers(standing: Standing, seat: int, bids: _Bids) -> tuple[_Numbers, ...]:
    """Return, for each patience, the bid that follows, by the seat's hand and the last; 0: dudo."""
    menu = tuple(_lowest_raises(standing, seat, bids))
    own, unseen = standing.dice[seat], standing.dice[1 - seat]
    return _answers_of(own, unseen, standing.wild, menu, bids)


@lru_cache(1024)
def _answers_of(
    own: int, unseen: int, wild: int | None, menu: _Menu, bids: _Bids
) -> tuple[_Numbers, ...]:
    holds = _holds(own, unseen, wild, bids)
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


def _lowest_raises(standing: Standing, seat: int, bids: _Bids) -> list[tuple[int, ...]]:
    numbers = {bid: number for number, bid in enumerate(bids)}
    return [
        tuple([numbers[Bid(one.min, one.face)] for one in raises(Round(standing, seat, bid, None))])
        for bid in bids
    ]


def _holds(own: int, unseen: int, wild: int | None, bids: _Bids) -> NDArray[np.float64]:
    """Return how likely each bid is to be true, by the hand of its bidder; no bid is true."""
    matching = _matching(own, bids, wild)
    holds = np.ones(matching.shape)
    for number, bid in enumerate(bids):
        if bid:
            needed, dice, faces = unknown(bid.quantity, bid.face, (), unseen, wild)
            chances = [at_least(needed - count, dice, faces) for count in range(own + 1)]
            holds[:, number] = np.array(chances)[matching[:, number]]
    return holds


@lru_cache(64)
def _matching(dice: int, bids: _Bids, wild: int | None) -> _Numbers:
    """Return how many dice of each hand match each bid."""
    return np.array(
        [
            [count_face((hand,), bid.face, wild) if bid else 0 for bid in bids]
            for hand in _hands(dice)
        ]
    )


@lru_cache(16)
def _bids(cap: int) -> _Bids:
    """Return every bid by its number; 0 is none."""
    quantities, faces = range(1, cap + 1), range(1, FACES + 1)
    return (None, *(Bid(quantity, face) for quantity in quantities for face in faces))


@lru_cache(16)
def _hands(dice: int) -> tuple[Hand, ...]:
    """Return every hand, sorted."""
    return tuple(combinations_with_replacement(range(1, FACES + 1), dice))


def _ways(hands: Sequence[Hand]) -> NDArray[np.float64]:
    """Return in how many ways dice can fall as each hand."""
    faces = range(1, FACES + 1)
    return np.array(
        [factorial(len(hand)) // prod(factorial(hand.count(f)) for f in faces) for hand in hands],
        dtype=np.float64,
    )
