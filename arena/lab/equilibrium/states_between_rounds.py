"""What matters between two rounds of a game for two: the dice left, and the kind of round.

Without calza a seat falls to one die once a game, so who has had a palifico round never matters;
nor does who may raise as a veteran, because the one rule book with veterans has no palifico rounds
for two.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from arena.game.rules.books import Rules
from arena.game.rules.round import Standing, has_palifico, lose_die


class State(NamedTuple):
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


WinChances = Callable[[State], float]
"""Returns the probability that the opener of a state wins the game."""


def standing_of(state: State, rules: Rules) -> Standing:
    """Return the table with the opener in seat 0."""
    dice = (state.opener, state.other)
    return Standing(rules, dice, (False, False), 0, 0 if state.palifico else None)


def states(rules: Rules, totals: Iterable[int], most: int) -> Iterator[State]:
    """Yield the states with so many dice on the table, at most `most` each, fewest first.

    A seat with one die opens a palifico round if there is one for it; 1 : 1 can also be normal,
    where games start with one die.
    """
    for total in totals:
        for opener in range(max(1, total - most), min(total - 1, most) + 1):
            state = State(opener, total - opener)
            falls = opener == 1 and has_palifico(rules, (1, state.other), (False, False), 0)
            if falls:
                yield State(1, state.other, palifico=True)
            if not falls or total == 2:
                yield state


def after(state: State, rules: Rules, loser: int) -> tuple[State, int]:
    """Return the state after a seat lost the round, 0 the opener, and the seat that opens it.

    The other seat of that state has no dice if the game is over.
    """
    coming = lose_die(standing_of(state, rules), loser)
    opener = coming.opener
    dice = coming.dice
    return State(dice[opener], dice[1 - opener], coming.palifico_seat is not None), opener


def stakes(state: State, rules: Rules, chance: WinChances) -> tuple[float, float]:
    """Return the opener's chance to win the game if it loses the round, and if the other does."""

    def worth(loser: int) -> float:
        coming, opener = after(state, rules, loser)
        wins = chance(coming) if coming.other else 1.0
        return 1 - wins if opener else wins

    return worth(0), worth(1)
