"""The states between two rounds of a game for two: the dice left, and the kind of the next round.

Nothing else matters in the rules that `check_rules` admits. Without calza a seat falls to one die
once a game, so palifico rounds of the past never matter; nor do veterans, because rules with
veterans are refused if they have palifico rounds for two.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from arena.game.rules.books import Rules
from arena.game.rules.round import Standing, has_palifico, lose_die
from arena.io.errors import ArenaError
from arena.lab.switches import unknown_switch

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
