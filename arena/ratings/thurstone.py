"""An order-free fit of the same model as TrueSkill's: all games at once.

Each bot plays as well as its skill plus normal noise of spread beta, and who plays better finishes
ahead (Thurstone, 1927): so one bot is ahead of another with probability
Phi((skill - skill) / (sqrt(2) beta)), at a table of any size. The fit maximises the sum of the
logarithms of these probabilities over all pairs at all tables (a composite likelihood: Varin, Reid
and Firth, 2011), with TrueSkill's prior. It needs nothing but counts, and has one maximum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np

from arena.ratings.arrays import Floats, Ints, as_floats
from arena.ratings.results import Result
from arena.ratings.student import normal_cdf
from arena.ratings.trueskill import BETA, SIGMA

_SCALE = sqrt(2.0) * BETA
"""The spread of the difference of two performances."""
_PRIOR = 1.0 / SIGMA**2
_LONGEST = BETA
"""No step of the search moves a skill further."""
_ENOUGH = 1e-10
_STEPS = 500


@dataclass(frozen=True)
class Games:
    """All games of one variant and table size as arrays."""

    bots: tuple[str, ...]
    """Sorted by name; the arrays have their numbers."""
    order: Ints
    """A row a game: the bots in finishing order, the winner first."""
    block: Ints
    """The block of each game, numbered from 0 without gaps, in their order."""
    fixture: Ints
    """The fixture of each game, likewise."""
    game: Ints
    """The number of each game within its fixture."""

    @property
    def size(self) -> int:
        """How many bots there are."""
        return len(self.bots)

    def orders(self) -> list[tuple[str, ...]]:
        """Return the names of the bots of each game in finishing order."""
        names = np.array(self.bots, object)[self.order.T].tolist()
        return list(zip(*names, strict=True))


@dataclass(frozen=True)
class Fit:
    """The most likely skills, and what they say of every pair."""

    mu: Floats
    """Skills in TrueSkill's units; their mean is 0."""
    ahead: Floats
    """[i, j]: the games in which i finished ahead of j."""
    chance: Floats
    """[i, j]: the probability that i finishes ahead of j."""
    pull: Floats
    """[i, j]: how much one game in which i finished ahead of j pulls i up (the score)."""
    inverse: Floats
    """The inverse of the information: how far the skills move for a pull."""


def as_arrays(results: Sequence[Result]) -> Games:
    """Turn results into arrays."""
    tables = {result.bots for result in results}
    bots = tuple(sorted({bot for table in tables for bot in table}))
    number = {bot: at for at, bot in enumerate(bots)}
    seated = _rows(
        [result.bots for result in results],
        {table: [number[bot] for bot in table] for table in tables},
    )
    finished = {result.places for result in results}
    places = _rows([result.places for result in results], {one: list(one) for one in finished})
    order = np.take_along_axis(seated, places.argsort(1), 1)
    blocks = np.unique([result.block for result in results], return_inverse=True)[1]
    fixtures = np.unique([result.fixture for result in results], return_inverse=True)[1]
    numbers = np.array([result.game for result in results], np.intp)
    return Games(bots, order, blocks, fixtures, numbers)


def _rows(keys: Sequence[tuple[Any, ...]], rows: Mapping[tuple[Any, ...], list[int]]) -> Ints:
    """Return the row that each key has: few differ, and an array is slow to fill from Python."""
    at = {key: number for number, key in enumerate(rows)}
    return np.array(list(rows.values()), np.intp)[[at[key] for key in keys]]


def count_ahead(games: Games) -> Floats:
    """Return, for each ordered pair, the games in which the first finished ahead."""
    n, (_, players) = games.size, games.order.shape
    found = np.zeros(n * n)
    for i in range(players):
        for j in range(i + 1, players):
            found += np.bincount(games.order[:, i] * n + games.order[:, j], minlength=n * n)
    return found.reshape(n, n)


def fit(ahead: Floats) -> Fit:
    """Find the most likely skills for these counts, by Fisher scoring."""
    mu = np.zeros(len(ahead))
    for _ in range(_STEPS):
        pull = _pulls(mu)
        inverse = as_floats(np.linalg.inv(_information(ahead, pull)))
        step = inverse @ ((ahead * pull).sum(1) - (ahead * pull).sum(0) - _PRIOR * mu)
        longest = float(np.abs(step).max())
        mu = mu + step * min(1.0, _LONGEST / max(longest, _LONGEST))
        if longest < _ENOUGH:
            break
    gap = (mu[:, None] - mu[None, :]) / _SCALE
    return Fit(mu, ahead, normal_cdf(gap), pull, inverse)


def _pulls(mu: Floats) -> Floats:
    return _mills((mu[:, None] - mu[None, :]) / _SCALE) / _SCALE


def _information(ahead: Floats, pull: Floats) -> Floats:
    weight = (ahead + ahead.T) * pull * pull.T
    return as_floats(np.diag(weight.sum(1) + _PRIOR) - weight)


def _mills(z: Floats) -> Floats:
    """Return the normal density over the probability below z; it tends to -z far down."""
    below = normal_cdf(z)
    density = np.exp(-0.5 * z * z) / sqrt(2.0 * pi)
    return np.divide(density, below, out=-z, where=below > 0.0)
