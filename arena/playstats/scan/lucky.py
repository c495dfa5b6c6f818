"""The luck of the dice of many games (`arena.playstats.luck`)."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena.game.records import LUCK_UNIT
from arena.game.rules.books import FACES
from arena.game.rules.round import Standing
from arena.playstats.baseline import PATIENCE, every_hand
from arena.playstats.luck import MOST_DICE, stake
from arena.playstats.scan.games import Games
from arena.playstats.scan.rounds import ints
from arena.ratings.maths.arrays import Floats, Ints, as_floats

_RADIX = (MOST_DICE + 1) ** np.arange(FACES)
"""What a die of each face adds to the number of a hand."""


def luck_of(games: Games) -> Ints:
    """Return the luck of each game for seat 0, as `game_luck` does."""
    standings = [one.standing for one in games.recorded]
    numbers = {standing: number for number, standing in enumerate(dict.fromkeys(standings))}
    which = ints([numbers[standing] for standing in standings])
    by, luck = which.argsort(kind="stable"), np.empty(len(which))
    ends = np.bincount(which, minlength=len(numbers)).cumsum()
    for standing, at in zip(numbers, np.split(by, ends), strict=False):
        luck[at] = _luck(standing, games.rounds.hands[at])
    wins = np.bincount(games.rounds.game, luck, minlength=len(games.number))
    return np.rint(wins * LUCK_UNIT).astype(np.intp)


def _luck(standing: Standing, hands: NDArray[np.int8]) -> Floats:
    """Return the luck of the dice of some rounds that begin alike, as `round_luck` does."""
    opener = standing.opener
    deals, die = stake(standing)
    row, column = (
        _hand_numbers(standing.dice[seat])[hands[:, seat, 1:] @ _RADIX]
        for seat in (opener, 1 - opener)
    )
    losses = np.frombuffer(deals.losses, np.uint8)[row * len(deals.columns) + column]
    lost = losses / len(PATIENCE) ** 2 - deals.mean
    return as_floats(-lost * die if opener == 0 else lost * die)


@lru_cache(MOST_DICE)
def _hand_numbers(dice: int) -> Ints:
    """Return the place of each hand of so many dice among all of them, by its number."""
    hands = np.array(every_hand(dice))
    counts = np.array([(hands == face).sum(1) for face in range(1, FACES + 1)]).T
    places = np.zeros((MOST_DICE + 1) ** FACES, np.intp)
    places[counts @ _RADIX] = np.arange(len(hands))
    return places
