"""Results of games as factors on the skills of bots, and how the factors are refined.

A game's result is a chain: each place performed better than the next. `posterior.py` says what the
factors are for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np

from arena.ratings.maths.arrays import Bots, Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.elimination import Plan
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.trueskill import BETA

NOISE = BETA * BETA
_FAR = -30.0
"""Standard deviations below which the normal probability is replaced by its expansion."""
_MIN_PRECISION = 1e-12

Joint = Any
"""The covariance of the skills: a matrix, or for a large field a SparseInverse, which is multiplied
and read like one."""


@dataclass(frozen=True)
class Factors:
    """[place, result]: a normal factor on how much better one place performed than the next."""

    precision: Floats
    shift: Floats
    """Precision times mean."""

    def only(self, chosen: Ints | slice) -> "Factors":
        """Return the factors of some results, in arrays of their own unless they are a slice."""
        return Factors(self.precision[:, chosen], self.shift[:, chosen])


@dataclass(frozen=True)
class Results:
    """The different results of games, and how often each occurred."""

    games: Bots
    """[game, place]: the bots of each game in finishing order."""
    first: Ints
    """A game with each result."""
    count: Floats
    of_game: Ints
    """The result of each game."""
    bots: int

    @property
    def players(self) -> int:
        """How many sit at a table."""
        return int(self.games.shape[1])

    @property
    def size(self) -> int:
        """How many different results there are."""
        return len(self.count)

    def plan(self) -> Plan:
        """Return how the precision of the skills is inverted without a matrix of all pairs."""
        tables, (first, second) = self.games[self.first], np.triu_indices(self.players, 1)
        one, other = as_ints(tables[:, first]), as_ints(tables[:, second])
        return Plan(self.bots, one.ravel(), other.ravel())


@dataclass(frozen=True)
class Messages:
    """What the factors of some results say of their bots' skills."""

    order: Bots
    """[place, result]: the bots in finishing order."""
    count: Floats
    inner: Floats
    """[place, place, result]: the covariance of the performances if the skills were known."""
    pull: Floats
    """The factors' shift of each performance."""

    @property
    def precision(self) -> Floats:
        """[place, place, result]: what the factors say of the skills' precision."""
        precision = self.inner / -(NOISE**2)
        places = range(len(precision))
        precision[places, places] += 1.0 / NOISE
        return as_floats(precision)

    @property
    def shift(self) -> Floats:
        """[place, result]: that precision times the mean."""
        return as_floats(np.einsum("ijg,jg->ig", self.inner, self.pull) / NOISE)


Said = Iterable[tuple[slice, Messages]]
"""What factors say, some thousand results at a time, and which these are."""


def distinct(games: Games) -> Results:
    """Return the different results of at least one game."""
    _, first, of_game, count = np.unique(
        _numbers(games), return_index=True, return_inverse=True, return_counts=True
    )
    return Results(games.order, first, as_floats(count), of_game, games.size)


def _numbers(games: Games) -> Ints:
    """Return a number for each game, the same for equal results: they are sorted much faster."""
    numbers, most = np.zeros(len(games.order), np.int64), 2**62 // games.size
    for place in games.order.T:
        if numbers.max() > most:
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * games.size + place
    return as_ints(numbers)


def messages(results: Results, factors: Factors) -> Said:
    """Yield what the factors say."""
    for chunk in chunks(results.size):
        yield chunk, messages_of(results, factors, chunk)


def messages_of(results: Results, factors: Factors, chunk: slice) -> Messages:
    """Return what the factors of some thousand results say."""
    shift = factors.shift[:, chunk]
    pull = np.concatenate([shift, np.zeros((1, shift.shape[1]))])
    pull[1:] -= shift
    return Messages(
        order=np.ascontiguousarray(results.games[results.first[chunk]].T),
        count=results.count[chunk],
        inner=_chain_covariance(factors.precision[:, chunk]),
        pull=pull,
    )


def _chain_covariance(precision: Floats) -> Floats:
    """Return the covariance of performances with these factors between neighbours.

    It is the inverse of a tridiagonal matrix, by the determinants of its corners (Usmani, 1994).
    """
    link = precision * NOISE
    diagonal = np.ones((len(link) + 1, link.shape[1]))
    diagonal[:-1] += link
    diagonal[1:] += link
    upper, lower = _corners(diagonal, link), _corners(diagonal[::-1], link[::-1])[::-1]
    inverse = np.empty((len(diagonal), *diagonal.shape))
    for i in range(len(diagonal)):
        entry = upper[i] / upper[-1] * NOISE
        for j in range(i, len(diagonal)):
            inverse[i, j] = inverse[j, i] = entry * lower[j + 1]
            if j < len(link):
                entry = entry * link[j]
    return inverse


def _corners(diagonal: Floats, link: Floats) -> Floats:
    """Return the determinants of the upper left corners, from the empty one on."""
    corners = np.ones((len(diagonal) + 1, diagonal.shape[1]))
    corners[1] = diagonal[0]
    for i in range(1, len(diagonal)):
        corners[i + 1] = diagonal[i] * corners[i] - link[i - 1] ** 2 * corners[i - 1]
    return corners


def refine(factors: Factors, said: Messages, mu: Floats, covariance: Joint) -> None:
    """Replace factors by what follows from the skills, each without what it said itself.

    In place: the factors of a million games at tables of six take 80 MB.
    """
    # How the difference of neighbours' performances depends on each performance.
    weight = said.inner[:-1] - said.inner[1:]
    mean = (weight * (mu[said.order] / NOISE + said.pull)).sum(1)
    by_skill = np.einsum(
        "aig,ijg,ajg->ag", weight, covariance[said.order[:, None], said.order], weight
    )
    places = range(len(weight))
    own = np.array([weight[at, at] - weight[at, at + 1] for at in places])
    variance = own + by_skill / NOISE**2
    precision = np.maximum(1.0 / variance - factors.precision, _MIN_PRECISION)
    new = _above_zero(precision, mean / variance - factors.shift)
    factors.precision[:], factors.shift[:] = new.precision, new.shift


def _above_zero(precision: Floats, shift: Floats) -> Factors:
    """Return the factor that gives a normal difference the moments it has if it is above 0."""
    deviation = 1.0 / np.sqrt(precision)
    v = inverse_mills_ratio(shift * deviation)
    left = np.maximum(1.0 - v * (v + shift * deviation), _MIN_PRECISION)
    mean = shift / precision + deviation * v
    return Factors(precision * (1.0 / left - 1.0), mean * precision / left - shift)


def inverse_mills_ratio(z: Floats) -> Floats:
    """Return the normal density over the probability below z."""
    near, far = np.maximum(z, _FAR), np.minimum(z, _FAR)
    ratio = np.exp(-0.5 * near * near) / sqrt(2.0 * pi) / normal_cdf(near)
    return as_floats(np.where(z < _FAR, -far - 1.0 / far, ratio))
