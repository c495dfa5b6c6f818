"""The units that vary independently of each other: blocks, or the games of one number in a block.

Games of one number have the same dice in all fixtures of a block; games of other numbers have dice
of their own. Blocks also differ in who meets whom, which is no chance where whole passes are
played: so there each table's own mean is taken off, and the games of one number are a unit (a
cluster: Liang and Zeger, "Longitudinal data analysis using generalized linear models", 1986).
"""

from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from arena.ratings.maths.arrays import Floats, Ints, as_floats
from arena.ratings.model.games import Games

_CLEARLY = 1.645
"""Standard errors above 1 of a ratio that chance exceeds in one of twenty leagues."""

Method = Literal["blocks", "dice", "games"]
"""What intervals take to vary independently: `dice` are the games of one number in a block, and
`games` are all games, if there are too few units."""


class Units(NamedTuple):
    """The units of a division."""

    method: Method
    of_game: Ints
    """The unit of each game, numbered from 0."""
    degrees_of_freedom: Floats
    """Of the variance of each bot."""
    inflation: float
    """What the scores of games, less the mean of their fixture, are multiplied by, for what that
    mean absorbed of them."""


def units_of(games: Games) -> Units:
    """Return the units of a division."""
    blocks = (games.by_block() > 0).sum(0)
    number = _games_of_whole_passes(games)
    if number < 2 or _fixtures_differ(games, number):
        return Units("blocks", games.block, as_floats(blocks - 1.0), 1.0)
    unit = games.block * number + games.game
    return Units("dice", unit, as_floats(blocks * (number - 1.0)), sqrt(number / (number - 1.0)))


def _games_of_whole_passes(games: Games) -> int:
    """Return how many games each fixture has if all are of whole passes at tables of two; or 0."""
    n, number = games.size, int(games.game.max()) + 1
    if games.seats.shape[1] != 2 or (np.bincount(games.fixture) != number).any():
        return 0
    first, second = games.seats.T
    met = np.bincount(first * n + second, minlength=n * n).reshape(n, n)
    passes = met[0, 1]
    return number if passes and (met == passes * (1 - np.eye(n))).all() else 0


def _fixtures_differ(games: Games, number: int) -> bool:
    """Tell whether fixtures of the same two bots differ by more than their games explain.

    They do if bots learn within a fixture, by chance more or less: the games of one fixture are
    then alike. What the first seat gives on average is taken off.
    """
    first, second = games.seats.T
    pair = np.minimum(first, second) * games.size + np.maximum(first, second)
    pair = np.unique(pair, return_inverse=True)[1]
    fixtures, met = len(pair), np.bincount(pair)
    freedom = fixtures - len(met) - 1
    if freedom < 1:
        return False
    won = games.order[:, 0] == first[games.fixture]
    share = np.bincount(games.fixture, won) / number
    within = number * float((share * (1.0 - share)).sum()) / (fixtures * (number - 1))
    gain = share - share.mean()
    of_lower = np.where(first < second, gain, -gain)
    apart = of_lower - (np.bincount(pair, of_lower) / met)[pair]
    between = number * float((apart**2).sum()) / freedom
    return between > within * (1.0 + _CLEARLY * sqrt(2.0 / freedom))
