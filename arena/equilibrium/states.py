"""What matters between two rounds of a game for two: the dice left, and the kind of round.

Without calza a seat falls to one die once a game, so who has had a palifico round never matters;
nor does who may raise as a veteran, because the one rule book with veterans has no palifico rounds
for two.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from arena.perudo.round import Standing, has_palifico, lose_die
from arena.perudo.rules import Rules


class State(NamedTuple):
    """A round that is about to begin, from the side of its opener."""

    opener: int
    """The opener's dice; 0 if it has lost the game."""
    other: int
    """The other seat's dice; 0 if the opener has won the game."""
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


def stakes(state: State, rules: Rules, chance: WinChances) -> tuple[float, float]:
    """Return the opener's chance to win the game if it loses the round, and if the other does."""
    return tuple([_chance_after(state, rules, chance, loser) for loser in (0, 1)])  # type: ignore[return-value]


def _chance_after(state: State, rules: Rules, chance: WinChances, loser: int) -> float:
    after = lose_die(standing_of(state, rules), loser)
    if after.winner is not None:
        return float(after.winner == 0)
    mine, theirs = after.dice
    palifico = after.palifico_seat is not None
    if after.opener == 0:
        return chance(State(mine, theirs, palifico))
    return 1 - chance(State(theirs, mine, palifico))
