"""What all games of a division together say of its bots' skills: TrueSkill's model, without order.

The model is that of `trueskill.py`. There, games are rated one after another, and each update drops
what the bots' skills have to do with each other; here all games count at once and the skills have a
joint normal distribution. Each result "this bot did better than the next" is approximated by a
normal factor on the difference of two performances, and all factors are refined together until none
changes (expectation propagation: Minka, 2001; for all games of a history: Dangauthier, Herbrich,
Minka and Graepel, "TrueSkill Through Time", 2007).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np

from arena.ratings.maths.arrays import Bots, Floats, Ints, as_floats, chunks
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.trueskill import BETA, SIGMA

_NOISE = BETA * BETA
_TOLERANCE = 1e-7
"""In mu: when no skill moves by more, the solution stands."""
_MAX_ROUNDS = 200
_FAR = -30.0
"""Standard deviations below which the normal probability is replaced by its expansion."""
_MIN_PRECISION = 1e-12


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
class Posterior:
    """The joint distribution of the skills, and what each game contributed to it."""

    mu: Floats
    """Means in TrueSkill's units, for a prior mean of 0."""
    covariance: Floats
    results: "Results"
    factors: Factors

    def scores(self) -> Floats:
        """Return, for each game and place, the derivative of its log-probability by the skill.

        It is what the result says of the bot beyond what was expected from all other results.
        """
        scores = np.empty((self.results.size, self.results.players))
        for chunk, part in _messages(self.results, self.factors):
            scores[chunk] = (part.shift - (part.precision * self.mu[part.order]).sum(1)).T
        return as_floats(scores[self.results.of_game])

    def information(self, cluster: Ints) -> Iterator[Floats]:
        """Yield, for each cluster of games, its part of the precision of the skills."""
        results, factors = self.results, self.factors
        # Equal results in one cluster are counted once, with their number.
        keys, counts = np.unique(cluster * results.size + results.of_game, return_counts=True)
        where, which = np.divmod(keys, results.size)
        ends = np.searchsorted(where, np.arange(int(cluster.max()) + 1), "right")
        for chosen, count in zip(
            np.split(which, ends[:-1]), np.split(counts, ends[:-1]), strict=True
        ):
            part = replace(results, first=results.first[chosen], count=as_floats(count))
            yield _precision_and_shift(part, factors.only(chosen))[0]


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


@dataclass(frozen=True)
class _Messages:
    """What the factors of some results say of their bots' skills."""

    order: Bots
    """[place, result]: the bots in finishing order."""
    count: Floats
    inner: Floats
    """[place, place, result]: the covariance of the performances if the skills were known."""
    pull: Floats
    """The factors' shift of each performance."""
    precision: Floats
    shift: Floats


def distinct(games: Games) -> Results:
    """Return the different results of at least one game."""
    _, first, of_game, count = np.unique(
        games.order, return_index=True, return_inverse=True, return_counts=True, axis=0
    )
    return Results(games.order, first, as_floats(count), of_game.reshape(-1), games.size)


def posterior(
    results: Results, start: Factors | None = None, tolerance: float = _TOLERANCE
) -> Posterior:
    """Solve a division; the order of its games does not matter, to the last bit.

    `start` are the factors of a solution for more or fewer games, which makes it faster: they
    become those of this one. It ends when no skill moves by more than `tolerance`, in mu.
    """
    shape = (results.players - 1, results.size)
    factors = start or Factors(np.full(shape, 0.25 / _NOISE), np.full(shape, 0.5 / BETA))
    mu, covariance = _combined(results, factors)
    for _ in range(_MAX_ROUNDS):
        _refine(results, factors, mu, covariance)
        before = mu
        del covariance  # not two of them at a time
        mu, covariance = _combined(results, factors)
        if float(np.abs(mu - before).max()) <= tolerance:
            break
    return Posterior(mu, covariance, results, factors)


def relative_errors(covariance: Floats) -> Floats:
    """Return the standard errors of skills relative to the mean of the field."""
    with_field = covariance.mean(1)
    return as_floats(np.sqrt(covariance.diagonal() - 2.0 * with_field + with_field.mean()))


def _combined(results: Results, factors: Factors) -> tuple[Floats, Floats]:
    """Return the mean and the covariance of the skills by the prior and all factors."""
    precision, shift = _precision_and_shift(results, factors)
    precision.flat[:: results.bots + 1] += 1.0 / SIGMA**2
    inverse = np.linalg.inv(precision)
    covariance = np.add(inverse, inverse.T, out=precision)
    covariance /= 2.0
    return covariance @ shift, covariance


def _precision_and_shift(results: Results, factors: Factors) -> tuple[Floats, Floats]:
    """Return what all factors together say of the skills."""
    n = results.bots
    precision, shift = np.zeros(n * n), np.zeros(n)
    # The matrix is symmetric: each pair of places is added once.
    first, second = np.triu_indices(results.players)
    for _, part in _messages(results, factors):
        cells = part.order[first] * n + part.order[second]
        weights = part.precision[first, second] * part.count
        precision += np.bincount(cells.ravel(), weights.ravel(), n * n)
        shift += np.bincount(part.order.ravel(), (part.shift * part.count).ravel(), n)
    half = precision.reshape(n, n)
    half.flat[:: n + 1] /= 2.0
    return half + half.T, shift


def _messages(results: Results, factors: Factors) -> Iterator[tuple[slice, _Messages]]:
    """Yield what the factors say, some thousand results at a time, and which these are."""
    players = results.players
    for chunk in chunks(results.size):
        inner = _chain_covariance(factors.precision[:, chunk])
        shift = factors.shift[:, chunk]
        pull = np.concatenate([shift, np.zeros((1, shift.shape[1]))])
        pull[1:] -= shift
        precision = inner / -(_NOISE**2)
        precision[range(players), range(players)] += 1.0 / _NOISE
        yield (
            chunk,
            _Messages(
                order=np.ascontiguousarray(results.games[results.first[chunk]].T),
                count=results.count[chunk],
                inner=inner,
                pull=pull,
                precision=precision,
                shift=np.einsum("ijg,jg->ig", inner, pull) / _NOISE,
            ),
        )


def _chain_covariance(precision: Floats) -> Floats:
    """Return the covariance of performances with these factors between neighbours.

    It is the inverse of a tridiagonal matrix, by the determinants of its corners (Usmani, 1994).
    """
    link = precision * _NOISE
    diagonal = np.ones((len(link) + 1, link.shape[1]))
    diagonal[:-1] += link
    diagonal[1:] += link
    upper, lower = _corners(diagonal, link), _corners(diagonal[::-1], link[::-1])[::-1]
    inverse = np.empty((len(diagonal), *diagonal.shape))
    for i in range(len(diagonal)):
        entry = upper[i] / upper[-1] * _NOISE
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


def _refine(results: Results, factors: Factors, mu: Floats, covariance: Floats) -> None:
    """Replace all factors by what follows from the skills, each without what it said itself.

    In place: the factors of a million games at tables of six take 80 MB.
    """
    for chunk, part in _messages(results, factors):
        # How the difference of neighbours' performances depends on each performance.
        weight = part.inner[:-1] - part.inner[1:]
        mean = (weight * (mu[part.order] / _NOISE + part.pull)).sum(1)
        by_skill = np.einsum(
            "aig,ijg,ajg->ag", weight, covariance[part.order[:, None], part.order], weight
        )
        places = range(len(weight))
        own = np.array([weight[at, at] - weight[at, at + 1] for at in places])
        variance = own + by_skill / _NOISE**2
        old = factors.only(chunk)
        precision = np.maximum(1.0 / variance - old.precision, _MIN_PRECISION)
        new = _above_zero(precision, mean / variance - old.shift)
        old.precision[:], old.shift[:] = new.precision, new.shift


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
