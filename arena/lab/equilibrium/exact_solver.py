"""Play, best responses and equilibria on the tree of a round, over all hands at once.

The solver is predictive CFR+ (Farina, Kroer, Sandholm: "Faster game solving via predictive
Blackwell approachability", 2021) with alternating updates and averages weighted by the square of
the iteration.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.game.rules.books import Rules
from arena.lab.equilibrium.endgames import (
    EndgameState,
    Keep,
    RoundGame,
    after,
    every_raise,
    levels_of,
    round_game,
)

Matrix = NDArray[np.float32]
_NOTHING = 1e-30
"""Weights below this are taken for zero: single precision cannot divide by them."""


class Choices(Struct):
    """A number for each choice of the seat that acts at a level, by sequence and own hand.

    Numbers are probabilities, weights, regrets or values.
    """

    dudo: Matrix
    """A row for each sequence of the level; at the first level it counts for nothing."""
    raises: Matrix
    """A row for each sequence of the next level."""
    lies: Matrix | None = None
    """A row for each sequence of the level: bids above the dice on the table, if there are any."""


Strategy = Sequence[Choices]
"""Probabilities, level by level."""


class Interval(Struct, frozen=True):
    """Bounds of the opener's chance to win."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The centre of the interval."""
        return (self.low + self.high) / 2


class TreeGame:
    """A round with its tree; the level says which of the seats 0 (the opener) and 1 acts."""

    def __init__(self, game: RoundGame) -> None:
        self.game = game
        self.levels = levels_of(game)
        lost = [[game.doubted(bid, doubter) for doubter in (0, 1)] for bid in range(len(game.bids))]
        chances = [chance.astype(np.float32) for chance in game.chances]
        self._chances = chances
        self._worth = (
            [[np.ascontiguousarray(to.T, np.float32) for to in pair] for pair in lost],
            [[np.ascontiguousarray(1 - to, np.float32) for to in pair] for pair in lost],
        )
        """The value of a doubt to the seat, by seat, bid, doubter, other's hand and own hand."""

    def acting(self, seat: int) -> range:
        """Return the levels at which a seat acts."""
        return range(seat, len(self.levels), 2)

    def blank(self) -> list[Choices]:
        """Return zeros for every choice."""
        sizes = [level.bid.size for level in self.levels] + [0]
        hands = [len(chance) for chance in self._chances]
        return [
            Choices(
                dudo=np.zeros((sizes[n], hands[n % 2]), np.float32),
                raises=np.zeros((sizes[n + 1], hands[n % 2]), np.float32),
            )
            for n in range(len(self.levels))
        ]

    def chosen(self, at: int, weights: Choices) -> Choices:
        """Return the probabilities in proportion to weights; equal ones where all are zero."""
        level = self.levels[at]
        dudo, raises = np.maximum(weights.dudo, 0), np.maximum(weights.raises, 0)
        if not at:
            dudo = np.zeros_like(dudo)
        total = dudo.copy()
        total[level.inner] += np.add.reduceat(raises, level.first) if raises.size else 0
        many = np.full((level.bid.size, 1), at > 0, np.float32)
        many[level.inner, 0] += np.diff(level.first, append=len(raises))
        none = total <= _NOTHING
        share = np.where(none, 0, 1 / np.where(none, 1, total))
        alike = none / many
        parent = self.levels[at + 1].parent if raises.size else np.empty(0, np.intp)
        dudo = (dudo * share + (alike if at else 0)).astype(np.float32)
        return Choices(dudo, (raises * share[parent] + alike[parent]).astype(np.float32))

    def reach(self, seat: int, strategy: Strategy) -> list[Matrix]:
        """Return the probability of a seat's hand and its bids in each sequence.

        The rows of a level are its sequences, the columns the seat's hands.
        """
        reached = [self._chances[seat][None, :]]
        for at, level in enumerate(self.levels[1:]):
            came = reached[-1][level.parent]
            reached.append(came * strategy[at].raises if at % 2 == seat else came)
        return reached

    def doubts(self, seat: int, at: int, other: Matrix) -> Matrix:
        """Return the value to a seat of a doubt at each sequence, times the other's reach."""
        worth = np.zeros((len(other), len(self._chances[seat])), np.float32)
        for bid, places in self.levels[at].by_bid:
            worth[places] = other[places] @ self._worth[seat][bid][at % 2]
        return worth

    def best_response(self, seat: int, strategy: Strategy) -> float:
        """Return the most that a seat wins against the other's strategy."""
        return self.response(seat, strategy, strategy)

    def response(self, seat: int, fitted: Strategy, measured: Strategy) -> float:
        """Return a seat's winnings against `measured` with the best response to `fitted`."""
        reached = [self.reach(1 - seat, strategy) for strategy in (fitted, measured)]
        below = [np.empty((0, len(self._chances[seat])), np.float32)] * 2
        for at in reversed(range(len(self.levels))):
            if at % 2 == seat:
                values = [self.doubts(seat, at, came[at]) for came in reached]
                if not at:
                    values[0][:] = -np.inf
                self._choose_best(at, values, below)
            else:
                values = [
                    self._answered(seat, at, came[at], strategy[at])
                    for came, strategy in zip(reached, (fitted, measured), strict=True)
                ]
                for value, after in zip(values, below, strict=True):
                    self.add_up(at, value, after)
            below = values
        return float((below[1][0].astype(np.float64) * self._chances[seat]).sum())

    def _answered(self, seat: int, at: int, came: Matrix, choices: Choices) -> Matrix:
        """Return the value to a seat of the other's doubts and lies; it doubts each lie."""
        value = self.doubts(seat, at, came * choices.dudo)
        if choices.lies is not None:
            won = self.game.stakes[1] if seat == 0 else 1 - self.game.stakes[0]
            value += won * (came * choices.lies).sum(axis=1, keepdims=True)
        return value

    def _choose_best(self, at: int, values: Sequence[Matrix], below: Sequence[Matrix]) -> None:
        """Replace a doubt by the best raise where the fitted values of the raise are higher."""
        fitted, measured = below
        if not fitted.size:
            return
        level = self.levels[at]
        best = np.maximum.reduceat(fitted, level.first)
        equal = fitted == np.repeat(best, np.diff(level.first, append=len(fitted)), axis=0)
        ties = np.add.reduceat(equal, level.first, dtype=np.float32)
        mean = np.add.reduceat(measured * equal, level.first) / ties
        better = best > values[0][level.inner]
        for value, raised in zip(values, (best, mean), strict=True):
            value[level.inner] = np.where(better, raised, value[level.inner])

    def add_up(self, at: int, value: Matrix, below: Matrix) -> None:
        """Add the values of the raises of each sequence of a level."""
        if below.size:
            level = self.levels[at]
            value[level.inner] += np.add.reduceat(below, level.first)

    def bounds(self, strategy: Strategy) -> Interval:
        """Return the opener's least winnings with a strategy, and its greatest against it."""
        return Interval(1 - self.best_response(1, strategy), self.best_response(0, strategy))


class _Learner:
    """One seat's regrets, its strategy now, and its average."""

    def __init__(self, tree: TreeGame, seat: int) -> None:
        self._tree = tree
        self._seat = seat
        self._regrets = tree.blank()
        self._sums = tree.blank()
        self.now = {at: tree.chosen(at, self._regrets[at]) for at in tree.acting(seat)}

    def learn(self, other: Sequence[Choices]) -> None:
        """Answer the other seat's strategy."""
        tree, seat = self._tree, self._seat
        reached = tree.reach(1 - seat, other)
        below = np.empty((0, 0), np.float32)
        for at in reversed(range(len(tree.levels))):
            if at % 2 == seat:
                now, doubts = self.now[at], tree.doubts(seat, at, reached[at])
                value = now.dudo * doubts
                tree.add_up(at, value, now.raises * below if below.size else below)
                self._regret(at, Choices(doubts, below), value)
            else:
                value = tree.doubts(seat, at, reached[at] * other[at].dudo)
                tree.add_up(at, value, below)
            below = value

    def _regret(self, at: int, worth: Choices, value: Matrix) -> None:
        total = self._regrets[at]
        fresh = worth.dudo - value
        total.dudo = np.maximum(total.dudo + fresh, 0)
        ahead = Choices(total.dudo + fresh, total.raises)
        if worth.raises.size:
            fresh = worth.raises - value[self._tree.levels[at + 1].parent]
            total.raises = np.maximum(total.raises + fresh, 0)
            ahead.raises = total.raises + fresh
        self.now[at] = self._tree.chosen(at, ahead)

    def add(self, weight: float, strategy: Strategy) -> None:
        """Count the strategy now with a weight."""
        reached = self._tree.reach(self._seat, strategy)
        for at in self._tree.acting(self._seat):
            now, level = self.now[at], reached[at] * np.float32(weight)
            self._sums[at].dudo += now.dudo * level
            if now.raises.size:
                self._sums[at].raises += now.raises * level[self._tree.levels[at + 1].parent]

    def average(self) -> dict[int, Choices]:
        """Return the average strategy."""
        return {at: self._tree.chosen(at, self._sums[at]) for at in self._tree.acting(self._seat)}


def _together(seats: Sequence[dict[int, Choices]]) -> list[Choices]:
    levels = {at: choices for seat in seats for at, choices in seat.items()}
    return [levels[at] for at in sorted(levels)]


def solve(tree: TreeGame, iterations: int) -> list[Choices]:
    """Return the average strategy of both seats after so many iterations."""
    seats = [_Learner(tree, seat) for seat in (0, 1)]
    for iteration in range(1, iterations + 1):
        for seat in seats:
            seat.learn(_together([learner.now for learner in seats]))
        now = _together([learner.now for learner in seats])
        for seat in seats:
            seat.add(float(iteration) ** 2, now)
    return _together([seat.average() for seat in seats])


class Rival:
    """A best response to a bot in each state; states with fewer dice must come first."""

    def __init__(self, rules: Rules, chances: dict[tuple[EndgameState, int], float]) -> None:
        self._rules = rules
        self._chances = chances
        """The rival's chance to win the game, by state and the bot's seat (0: the opener)."""

    def game(self, state: EndgameState, bot: int, keep: Keep = every_raise) -> RoundGame:
        """Return the round of a state; its stakes are the rival's best chances afterwards."""

        def wins(loser: int) -> float:
            coming, opener = after(state, self._rules, loser)
            bot_opens = opener == bot
            if not coming.other:
                return float(not bot_opens)
            return self._chances[coming, 0 if bot_opens else 1]

        lost, won = wins(0), wins(1)
        stakes = (1 - lost, 1 - won) if bot == 0 else (lost, won)
        return round_game(state, self._rules, stakes, keep)

    def chance(self, state: EndgameState, bot: int, fitted: Strategy, measured: Strategy) -> float:
        """Return and keep the rival's chance to win against the strategy `measured`.

        The rival plays a best response to the strategy `fitted`.
        """
        tree = TreeGame(self.game(state, bot))
        return self.keep(state, bot, tree.response(1 - bot, fitted, measured))

    def keep(self, state: EndgameState, bot: int, chance: float) -> float:
        """Keep the rival's chance to win a state, for the states that come before it."""
        self._chances[state, bot] = chance
        return chance
