"""What all games of a division together say of its bots' skills: TrueSkill's model, without order.

The model is that of `trueskill.py`. There, games are rated one after another, and each update drops
what the bots' skills have to do with each other; here all games count at once and the skills have a
joint normal distribution. Each result "this bot did better than the next" is approximated by a
normal factor on the difference of two performances, and all factors are refined together until none
changes (expectation propagation: Minka, 2001; for all games of a history: Dangauthier, Herbrich,
Minka and Graepel, "TrueSkill Through Time", 2007).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from arena.io.job import Beside, kept_beside
from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.elimination import Plan
from arena.ratings.maths.sparse_inverse import SparseInverse
from arena.ratings.maths.sparse_matrix import SparseMatrix
from arena.ratings.model.factors import (
    NOISE,
    Factors,
    Joint,
    Messages,
    Results,
    messages,
    messages_of,
    refine,
)
from arena.ratings.model.trueskill import BETA, SIGMA

MANY = 2000
"""Bots above which no matrix of all pairs is made."""
_KEPT = 4_000_000
"""Numbers of 8 bytes, one for each result and pair of places, up to which what factors say is kept
until the next step."""
_SHARED = 1_000_000
"""Numbers up to which another process sends what its half of the results says, in each step."""
_TOLERANCE = 1e-7
"""In mu: when no skill moves by more, the solution stands."""
_MAX_ROUNDS = 200
_WHILE_KEPT = 0.01
"""Of a large division: the covariance is renewed when steps are so much shorter than the first."""
_ROUGHLY = 1e-5
"""In mu: while steps are longer, its covariance may be rough."""
_LAST = 0.1
"""Of the tolerance: how far the last covariance of a large division may be from its own."""


@dataclass(frozen=True)
class Posterior:
    """The joint distribution of the skills, and what each game contributed to it."""

    mu: Floats
    """Means in TrueSkill's units, for a prior mean of 0."""
    covariance: Joint
    results: Results
    factors: Factors

    def scores(self) -> Floats:
        """Return, for each game and place, the derivative of its log-probability by the skill.

        It is what the result says of the bot beyond what was expected from all other results.
        """
        scores = np.empty((self.results.size, self.results.players))
        for chunk, part in messages(self.results, self.factors):
            scores[chunk] = (part.shift - (part.precision * self.mu[part.order]).sum(1)).T
        return as_floats(scores[self.results.of_game])

    def information(self, cluster: Ints) -> Iterator[Any]:
        """Yield, for each cluster of games, its part of the precision of the skills.

        It is a matrix, of a large field a SparseMatrix.
        """
        results, factors = self.results, self.factors
        # Equal results in one cluster are counted once, with their number.
        keys, counts = np.unique(cluster * results.size + results.of_game, return_counts=True)
        where, which = np.divmod(keys, results.size)
        ends = np.searchsorted(where, np.arange(int(cluster.max()) + 1), "right")
        for chosen, count in zip(
            np.split(which, ends[:-1]), np.split(counts, ends[:-1]), strict=True
        ):
            part = replace(results, first=results.first[chosen], count=as_floats(count))
            of_part = factors.only(chosen)
            if results.bots > MANY:
                yield _sparse_precision(part, of_part)
            else:
                sums = (_sums(part, said) for _, said in messages(part, of_part))
                yield _total(results.bots, sums)[0]


def posterior(
    results: Results,
    start: Factors | None = None,
    tolerance: float = _TOLERANCE,
    beside: Beside = nullcontext,
) -> Posterior:
    """Solve a division; the order of its games does not matter, to the last bit.

    `start` are the factors of a solution for more or fewer games, which makes it faster: they
    become those of this one. It ends when no skill moves by more than `tolerance`, in mu.
    Half of the factors may be refined `beside`.
    """
    shape = (results.players - 1, results.size)
    factors = start or Factors(np.full(shape, 0.25 / NOISE), np.full(shape, 0.5 / BETA))
    if results.bots > MANY:
        return _posterior_of_many(results, factors, tolerance)
    mu, covariance = _refined(results, factors, tolerance, beside)
    return Posterior(mu, covariance, results, factors)


def _refined(
    results: Results, factors: Factors, tolerance: float, beside: Beside
) -> tuple[Floats, Floats]:
    """Refine all factors in place until the skills stand; return their mean and covariance."""
    parts = [*chunks(results.size)]
    half = len(parts) // 2 if results.bots**2 * len(parts) <= _SHARED else 0
    one = _Part(results, factors, parts[:half])
    other = _Part(results, factors, parts[half:])
    with kept_beside(beside if half else nullcontext, other) as ask:

        def sums(*skills: Floats) -> Iterator[_Sums]:
            others = ask(_Part.sums if half else _Part.each, *skills)
            yield from one.each(*skills)
            yield from others()

        mu, covariance = _combined(results, sums())
        for _ in range(_MAX_ROUNDS):
            before = mu
            mu, covariance = _combined(results, sums(mu, covariance))
            if float(np.abs(mu - before).max()) <= tolerance:
                break
        other.take(ask(_Part.factors)())
    return mu, covariance


def relative_errors(covariance: Joint) -> Floats:
    """Return the standard errors of skills relative to the mean of the field."""
    with_field = covariance.mean(1)
    return as_floats(np.sqrt(covariance.diagonal() - 2.0 * with_field + with_field.mean()))


def _posterior_of_many(results: Results, factors: Factors, tolerance: float) -> Posterior:
    """Solve a large division: its covariance costs most and hardly changes, so it is kept a while.

    Meanwhile Newton steps with it lead to the mean that the factors have.
    """
    plan, mu, first, before = results.plan(), np.zeros(results.bots), inf, inf
    values = np.empty(plan.length)
    for _ in range(_MAX_ROUNDS):
        _fill_precision(values, results, factors, plan)
        rough = first > _ROUGHLY and not first > before / 2.0
        covariance = SparseInverse(plan, values, rough=rough)
        mu = mu + covariance @ _gradient(results, factors, mu)
        before, (first, mu) = first, _steps(results, factors, mu, covariance, tolerance)
        # The first step with the next covariance would be shorter by the same factor.
        if not rough and first**2 <= _LAST * tolerance * max(first, before):
            break
    return Posterior(mu, covariance, results, factors)


def _steps(
    results: Results, factors: Factors, mu: Floats, covariance: SparseInverse, tolerance: float
) -> tuple[float, Floats]:
    """Refine factors and skills with this covariance; return the length of the first step, too."""
    steps = [inf]
    while len(steps) < 3 or max(tolerance, _WHILE_KEPT * steps[1]) < steps[-1] < steps[-2]:
        for chunk, part in messages(results, factors):
            refine(factors.only(chunk), part, mu, covariance)
        move = covariance @ _gradient(results, factors, mu)
        mu = mu + move
        steps.append(float(np.abs(move).max()))
    return steps[1], mu


def _gradient(results: Results, factors: Factors, mu: Floats) -> Floats:
    """Return the derivative of the log-probability of the skills, by the prior and all factors."""
    gradient = mu / -(SIGMA**2)
    for _, part in messages(results, factors):
        pull = part.shift - (part.precision * mu[part.order]).sum(1)
        gradient += np.bincount(part.order.ravel(), (pull * part.count).ravel(), results.bots)
    return gradient


def _combined(results: Results, sums: Iterable["_Sums"]) -> tuple[Floats, Floats]:
    """Return the mean and the covariance of the skills by the prior and all factors."""
    precision, shift = _total(results.bots, sums)
    precision.flat[:: results.bots + 1] += 1.0 / SIGMA**2
    inverse = np.linalg.inv(precision)
    covariance = np.add(inverse, inverse.T, out=precision)
    covariance /= 2.0
    return covariance @ shift, covariance


class _Sums(NamedTuple):
    """What some thousand results say of the skills."""

    precision: Floats
    """[bot * bots + bot]: of each pair in one of its orders."""
    shift: Floats


class _Part:
    """A part of a division, whose factors are refined some thousand at a time."""

    def __init__(self, results: Results, factors: Factors, parts: Sequence[slice]) -> None:
        self._results, self._factors, self._parts = results, factors, parts
        self._keeps = results.size * results.players**2 <= _KEPT
        self._said = dict[int, Messages]()
        """What is kept of what the factors say, by the first result."""

    def each(self, *skills: Floats) -> Iterator[_Sums]:
        """Yield what some thousand factors say, and then the next.

        They are refined before if the `skills` are known: by their mean and covariance. All at once
        for these: they are in the processor's cache.
        """
        results, factors = self._results, self._factors
        for chunk in self._parts:
            if skills:
                said = self._said.pop(chunk.start, None) or messages_of(results, factors, chunk)
                refine(factors.only(chunk), said, *skills)
            said = messages_of(results, factors, chunk)
            if self._keeps:
                self._said[chunk.start] = said
            yield _sums(results, said)

    def sums(self, *skills: Floats) -> list[_Sums]:
        """Return all of the same."""
        return [*self.each(*skills)]

    def factors(self) -> list[Factors]:
        """Return the factors."""
        return [self._factors.only(chunk) for chunk in self._parts]

    def take(self, factors: Sequence[Factors]) -> None:
        """Take factors for these."""
        for own, other in zip(self.factors(), factors, strict=True):
            own.precision[:], own.shift[:] = other.precision, other.shift


def _total(bots: int, sums: Iterable[_Sums]) -> tuple[Floats, Floats]:
    """Return what all together say of the skills: their precision, and that times the mean."""
    precision, shift = np.zeros(bots * bots), np.zeros(bots)
    for part in sums:
        precision += part.precision
        shift += part.shift
    half = precision.reshape(bots, bots)
    half.flat[:: bots + 1] /= 2.0
    return half + half.T, shift


def _sums(results: Results, said: Messages) -> _Sums:
    n = results.bots
    # The matrix is symmetric: each pair of places is added once.
    first, second = np.triu_indices(results.players)
    cells = said.order[first] * n + said.order[second]
    weights = said.precision[first, second] * said.count
    precision = np.bincount(cells.ravel(), weights.ravel(), n * n)
    shift = np.bincount(said.order.ravel(), (said.shift * said.count).ravel(), n)
    return _Sums(as_floats(precision), as_floats(shift))


def _fill_precision(values: Floats, results: Results, factors: Factors, plan: Plan) -> None:
    """Write the precision of the skills by the prior and all factors, as a plan has it."""
    values[:] = 0.0
    everyone = np.arange(results.bots)
    values[plan.cells(everyone, everyone)] = 1.0 / SIGMA**2
    first, second = np.triu_indices(results.players)
    for _, part in messages(results, factors):
        order = as_ints(part.order)
        weights = part.precision[first, second] * part.count
        np.add.at(values, plan.cells(order[first], order[second]), weights)


def _sparse_precision(results: Results, factors: Factors) -> SparseMatrix:
    """Return what all factors say of the skills, as far as it is not zero."""
    first, second = np.triu_indices(results.players)
    entries = [
        (part.order[first], part.order[second], part.precision[first, second] * part.count)
        for _, part in messages(results, factors)
    ]
    one, other, values = (np.hstack(column).ravel() for column in zip(*entries, strict=True))
    return SparseMatrix(results.bots, as_ints(one), as_ints(other), as_floats(values))
