"""A round with too many sequences to solve: played by the last two bids alone.

Positions with the same last two bids and the same seat on turn are merged, and few jumps are in the
game. This is counterfactual regret minimisation with imperfect recall, as
Neller and Hnath used it for Dudo ("Approximating optimal Dudo play with fixed-strategy iteration
counterfactual regret minimization", 2012): all ways into a position are added up before it is
looked at, so an iteration visits each position once. Each iteration draws hands of both seats and
plays all of one against all of the other. Both explore a little, so that beliefs about the other's
hand make sense in every position.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from msgspec import Struct

from arena.game.rules.books import PACO
from arena.game.rules.round import Bid
from arena.lab.equilibrium.endgames import Keep, Numbers, RoundGame
from arena.lab.equilibrium.exact_solver import Matrix
from arena.lab.equilibrium.strategy_tables import (
    DUDO,
    Rounding,
    StateStrategy,
    StoredPosition,
    code,
    position,
)

RECALL = 2
EXPLORED = 0.01
"""How often a seat plays any action when beliefs are formed."""
JUMP = 2
"""Dice by which a raise may be higher than the lowest raise on the same face."""
COARSE = Rounding(0.015, 5)
"""The precision of the stored strategy: tables may have a few megabytes."""
EVENLY = 0.25
"""The share of hands that is drawn without regard to how likely they are."""
_TINY = 1e-20


def few_jumps(total: int) -> Keep:
    """Return a predicate of the raises in the game, at a table with so many dice."""
    highest = {True: -(-total // 2), False: -(-total * 4 // 5)}

    def keep(bid: Bid | None, higher: Bid) -> bool:
        paco = higher.face == PACO
        if higher.quantity > highest[paco]:
            return False
        if bid is None:
            return higher.quantity <= total // 2 + 1
        lowest = bid.quantity
        if paco and bid.face != PACO:
            lowest = -(-bid.quantity // 2)
        elif bid.face == PACO and not paco:
            lowest = 2 * bid.quantity + 1
        return higher.quantity <= lowest + JUMP

    return keep


class Group:
    """The positions with the same last bid and seat on turn; they differ by the bid before.

    Bids are numbers, -1 for none. The axes of an array are named in its docstring: hands of the
    seat on turn, positions, actions, hands of the other seat.
    """

    def __init__(self, seat: int, last: int, raises: tuple[int, ...], hands: int) -> None:
        self.seat = seat
        self.last = last
        self.raises = raises
        self.before: dict[int, int] = {}
        """The bids before the last, each with the place of its position."""
        self._hands = hands

    def begin(self) -> None:
        """Make room for what is learned, once all positions are known."""
        actions = len(self.raises) + (self.last >= 0)
        shape = (self._hands, len(self.before), actions)
        self.regrets = np.zeros(shape, np.float32)
        """[hand, position, action]"""
        self.sums = np.zeros(shape, np.float32)
        """[hand, position, action]: how often it was played, later iterations counting more."""

    def enter(self, hands: int, others: int) -> None:
        """Make room for an iteration with so many hands of the two seats."""
        positions = len(self.before)
        self.came = np.zeros((hands, positions, others), np.float32)
        """[hand, position, other's hand]: how probably both come here with these hands."""
        self.own = np.zeros((hands, positions), np.float32)
        """[hand, position]: how probably the seat does, by its own hand and play."""
        self.theirs = np.zeros((others, positions), np.float32)
        """[other's hand, position]: how probably the other does."""
        self.value = np.empty_like(self.came)
        """[hand, position, other's hand]: the opener's chance to win the game."""

    def play(self, hands: Numbers) -> None:
        """Set the strategy of these hands: actions in proportion to their regrets.

        `now` and `explored` are [hand, position, action].
        """
        regrets = np.maximum(self.regrets[hands], 0)
        total = regrets.sum(axis=2, keepdims=True)
        _, _, many = regrets.shape
        self.now = np.where(total > _TINY, regrets / np.maximum(total, _TINY), 1 / many)
        self.explored = (1 - EXPLORED) * self.now + np.float32(EXPLORED / many)


class Drawn(Struct):
    """The hands of a seat that an iteration plays, and their weights."""

    hands: Numbers
    odds: Matrix


class Approximation:
    """Learns a round by iterations; the same seed learns the same."""

    def __init__(self, game: RoundGame, seed: int, hands: int) -> None:
        self._game = game
        self._random = np.random.default_rng(seed)
        self._most = hands
        self._groups: dict[tuple[int, int], Group] = {}
        self._iteration = 0
        self._lost = [
            [game.doubted(bid, doubter).astype(np.float32) for doubter in (0, 1)]
            for bid in range(len(game.bids))
        ]
        """The opener's chance to win after a doubt, by bid and doubter."""
        self._order: list[Group] = []
        """Each group comes after those that lead to it."""
        self._find_positions()
        self._weight = [np.zeros(len(odds)) for odds in game.chances]
        """The weights of the iterations that drew each hand, by seat."""
        self.values: list[float] = []
        """The opener's winnings in each iteration."""

    def _find_positions(self) -> None:
        """Find the positions that play can come to."""
        bids = self._game.bids
        lowest_first = sorted(range(len(bids)), key=lambda number: _rank(bids[number]))
        self._group(0, -1).before[-1] = 0
        for last, seat in product((-1, *lowest_first), (0, 1)):
            if group := self._groups.get((seat, last)):
                group.begin()
                self._order.append(group)
                for higher in group.raises:
                    before = self._group(1 - seat, higher).before
                    before.setdefault(last, len(before))

    def _group(self, seat: int, last: int) -> Group:
        """Return a group, which is made when it is first asked for."""
        if (seat, last) not in self._groups:
            hands = len(self._game.hands[seat])
            make = self.kind(seat)
            self._groups[seat, last] = make(seat, last, self._game.raises[last], hands)
        return self._groups[seat, last]

    def kind(self, _seat: int) -> type[Group]:
        """Return how a seat's positions are played."""
        return Group

    def iterate(self) -> None:
        """Play and learn once."""
        self._iteration += 1
        drawn = (self._draw(0), self._draw(1))
        for weight, hands_drawn in zip(self._weight, drawn, strict=True):
            weight[hands_drawn.hands] += self._iteration**2
        for group in self._order:
            hands, others = drawn[group.seat].hands, drawn[1 - group.seat].hands
            group.enter(len(hands), len(others))
            group.play(hands)
        opener, other = drawn
        root = self._order[0]
        root.came[:, 0, :] = opener.odds[:, None] * other.odds
        root.own[:, 0] = opener.odds
        root.theirs[:, 0] = other.odds
        for group in self._order:
            self._pass_on(group)
        for group in reversed(self._order):
            self._look_back(group, drawn)
        self.values.append(float((root.came * root.value).sum() / root.came.sum()))

    def _draw(self, seat: int) -> Drawn:
        """Draw hands of a seat, if it has more than an iteration plays."""
        odds = self._game.chances[seat]
        if len(odds) <= self._most:
            return Drawn(np.arange(len(odds)), odds.astype(np.float32))
        drawn = (1 - EVENLY) * odds + EVENLY / len(odds)
        chosen = self._random.choice(len(odds), self._most, p=drawn)
        hands, times = np.unique(chosen, return_counts=True)
        worth = times / self._most * odds[hands] / drawn[hands]
        return Drawn(hands, worth.astype(np.float32))

    def _pass_on(self, group: Group) -> None:
        """Tell the positions after a group's raises how probably they are come to."""
        if not group.raises:
            return
        played = group.explored[:, :, -len(group.raises) :]
        came = np.matmul(played.transpose(0, 2, 1), group.came)
        own = (group.own[:, :, None] * played).sum(axis=1)
        theirs = group.theirs.sum(axis=1)
        for at, higher in enumerate(group.raises):
            after = self._groups[1 - group.seat, higher]
            place = after.before[group.last]
            after.came[:, place, :] = came[:, at, :].T
            after.theirs[:, place] = own[:, at]
            after.own[:, place] = theirs

    def _look_back(self, group: Group, drawn: tuple[Drawn, Drawn]) -> None:
        """Find the values of a group's positions from those after its actions; learn from them."""
        seat = group.seat
        mine = drawn[seat].hands
        worth = []  # for each action, the opener's chance to win: [hand, other's hand]
        if group.last >= 0:
            lost = self._lost[group.last][seat][np.ix_(drawn[0].hands, drawn[1].hands)]
            worth.append(lost if seat == 0 else lost.T)
        for higher in group.raises:
            after = self._groups[1 - seat, higher]
            worth.append(after.value[:, after.before[group.last], :].T)
        each = np.stack(worth, axis=1)
        group.value = np.matmul(group.now, each)
        came = group.came / np.maximum(group.own, _TINY)[:, :, None]
        gain = np.matmul(came, each.transpose(0, 2, 1))
        if seat:
            gain = -gain
        gain -= (gain * group.now).sum(axis=2, keepdims=True)
        group.regrets[mine] = np.maximum(group.regrets[mine] + gain, 0)
        weight = np.float32(self._iteration**2) * group.own / drawn[seat].odds[:, None]
        group.sums[mine] += weight[:, :, None] * group.now

    def block(self) -> StateStrategy:
        """Round the average strategy; the likeliest positions come first."""
        pairs = [pair for group in self._order for pair in self._positions(group)]
        pairs.sort(key=lambda pair: -pair[0])
        return StateStrategy(RECALL, [stored for _, stored in pairs])

    def _positions(self, group: Group) -> Iterator[tuple[float, StoredPosition]]:
        actions = self.actions(group)
        odds = self._game.chances[group.seat]
        weight = np.maximum(self._weight[group.seat], 1)
        for before, place in group.before.items():
            last_bids = bytes(map(code, self.bids(before, group.last)))
            sums = group.sums[:, place, :].astype(np.float64)
            total = sums.sum(axis=1)
            shares = sums / np.maximum(total, _TINY)[:, None]
            reach = total / weight
            key = bytes([group.seat]) + last_bids
            stored = position(key, bytes(actions), shares, reach, COARSE)
            if stored:
                yield float(reach @ odds), stored

    def actions(self, group: Group) -> list[int]:
        """Return what may be done in a group's positions, as it is stored."""
        return [DUDO] * (group.last >= 0) + [code(self._game.bids[n]) for n in group.raises]

    def bids(self, *numbers: int) -> list[Bid]:
        """Return the bids with these numbers, without -1, which stands for none."""
        return [self._game.bids[number] for number in numbers if number >= 0]

    @property
    def value(self) -> float:
        """The opener's chance to win, over the second half of the iterations."""
        return float(np.mean(self.values[len(self.values) // 2 :]))


def _rank(bid: Bid) -> tuple[int, bool, int]:
    """Order bids so that each comes after those that it raises."""
    paco = bid.face == PACO
    return (2 * bid.quantity if paco else bid.quantity, paco, bid.face)
