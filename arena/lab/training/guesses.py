"""What the rounds of games told about who sits there."""

from collections.abc import Callable

import numpy as np

from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID
from arena.lab.training.games import Games, Shown, some
from arena.lab.training.policy import softmax
from arena.lab.training.view import KINDS, TELLS, Flags, Floats, Numbers, Positions, likelier, tells

Kinds = Callable[[Floats], Floats]
"""Returns from rows of `tells` how likely each kind of player is."""


class Guesses:
    """Guesses about the players at a table, by what each of them did in the game."""

    def __init__(self, games: Games) -> None:
        """Know nothing yet."""
        shape = len(games.rows), games.env.table.players + 1, KINDS
        self._known = np.zeros(shape, np.float32)
        """How likely a seat is of each kind, by the rounds before: logarithms."""
        self._chances = np.full(shape, 1 / KINDS, np.float32)
        self._chances[:, -1] = 0
        self._round = np.zeros(shape, np.float32)

    def note(
        self, at: Positions, games: Games, actions: Numbers, kinds: Kinds
    ) -> tuple[Numbers, Floats]:
        """Hear of the actions that all games come to; returns those with a tell, and the tells."""
        rows, numbers = told(at, actions)
        self._round[rows, games.env.seat[rows]] += likelier(kinds, numbers)
        return rows, numbers

    def learn(self, shown: Shown, over: Flags) -> None:
        """Hear of rounds that ended: their dice were shown."""
        self._known[shown.games] += self._round[shown.games]
        self._round[shown.games] = 0
        self._known[over] = 0
        self._chances[shown.games, :-1] = softmax(self._known[shown.games, :-1])

    def add_to(self, at: Positions, games: Games, rows: Numbers) -> Positions:
        """Return positions of some games with what is known."""
        guesses = self._chances[rows[:, None], games.seats(rows)]
        return at._replace(guesses=np.asfortranarray(guesses))


def told(at: Positions, actions: Numbers) -> tuple[Numbers, Floats]:
    """Return the rows in which a seat bids or doubts, and what that tells."""
    rows = np.flatnonzero((actions == DUDO) | (actions >= FIRST_BID))
    if not len(rows):
        return rows, np.zeros((0, TELLS), np.float32)
    bid = actions[rows] - FIRST_BID
    quantity = np.where(bid >= 0, bid // FACES + 1, 0)
    face = np.where(bid >= 0, bid % FACES, 0)
    return rows, tells(some(at, rows), quantity, face)
