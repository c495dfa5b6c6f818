"""What all games of a division together say of its bots' skills: TrueSkill's model, without order.

The model is that of `trueskill.py`. There, games are rated one after another, and each update drops
what the bots' skills have to do with each other; here all games count at once and the skills have a
joint normal distribution. A game's result is a chain: each place performed better than the next.
Each such result is approximated by a normal factor on the difference of two performances, and all
factors are refined together until none changes (expectation propagation: Minka, 2001; for all games
of a history: Dangauthier, Herbrich, Minka and Graepel, "TrueSkill Through Time", 2007).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import inf, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from arena.io.job import Beside, kept_beside
from arena.ratings.maths.arrays import Bots, Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.sparse import Plan, SparseInverse, SparseMatrix
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games
from arena.ratings.model.trueskill import BETA, SIGMA

NOISE = BETA * BETA
_FAR = -30.0
"""Standard deviations below which the normal probability is replaced by its expansion."""
_MIN_PRECISION = 1e-12
MANY = 2000
"""Bots above which no matrix of all pairs is made."""
_KEPT = 4_000_000
"""Keep messages between steps if there are at most so many pairs of places in all results: each
takes 8 bytes."""
_SHARED = 1_000_000
"""Refine half of the factors in another process if its sums have at most so many numbers: they are
sent in each step."""
_TOLERANCE = 1e-7
"""The solution stands once no skill moves by more than this, in mu."""
_MAX_ROUNDS = 200
_WHILE_KEPT = 0.01
"""A large division gets a new covariance once steps shrink below this share of the first."""
_ROUGHLY = 1e-5
"""While steps are longer, in mu, a large division's covariance may be rough."""
_LAST = 0.1
"""How far a large division's last covariance may be from its own, relative to the tolerance."""

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
"""The messages of factors, some thousand results at a time, each with its results."""


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
    skills = _refined(results, factors, tolerance, beside)
    return Posterior(skills.mu, skills.covariance, results, factors)


class _Skills(NamedTuple):
    """A normal distribution of the skills."""

    mu: Floats
    covariance: Floats


def _refined(results: Results, factors: Factors, tolerance: float, beside: Beside) -> _Skills:
    """Refine all factors in place until the skills stand; return these."""
    parts = [*chunks(results.size)]
    half = len(parts) // 2
    if beside is nullcontext or not half or results.bots**2 * len(parts) > _SHARED:
        return _settled(results, _Part(results, factors, parts).sums, tolerance)
    here = _Part(results, factors, parts[:half])
    there = _Part(results, factors, parts[half:])
    with kept_beside(beside, there) as ask:

        def sums(skills: _Skills | None) -> Iterator[_Sums]:
            theirs = ask(_Part.all_sums, skills)
            yield from here.sums(skills)
            yield from theirs()

        skills = _settled(results, sums, tolerance)
        there.take(ask(_Part.factors)())
    return skills


def _settled(
    results: Results, sums: Callable[[_Skills | None], Iterable["_Sums"]], tolerance: float
) -> _Skills:
    """Return the skills once no step moves one by more than the tolerance.

    `sums` refines the factors by the skills, if there are any yet, and yields what they say then.
    """
    skills = _combined(results, sums(None))
    for _ in range(_MAX_ROUNDS):
        before = skills.mu
        skills = _combined(results, sums(skills))
        if float(np.abs(skills.mu - before).max()) <= tolerance:
            break
    return skills


def relative_errors(covariance: Joint) -> Floats:
    """Return the standard errors of skills relative to the mean of the field."""
    with_field = covariance.mean(1)
    return as_floats(np.sqrt(covariance.diagonal() - 2.0 * with_field + with_field.mean()))


def _posterior_of_many(results: Results, factors: Factors, tolerance: float) -> Posterior:
    """Solve a large division: its covariance costs most and hardly changes, so it is kept a while.

    Meanwhile Newton steps with it lead to the mean that the factors have.
    """
    plan = results.plan()
    mu = np.zeros(results.bots)
    first = before = inf
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


def _combined(results: Results, sums: Iterable["_Sums"]) -> _Skills:
    """Return the skills by the prior and all factors."""
    precision, shift = _total(results.bots, sums)
    precision.flat[:: results.bots + 1] += 1.0 / SIGMA**2
    inverse = np.linalg.inv(precision)
    covariance = np.add(inverse, inverse.T, out=precision)
    covariance /= 2.0
    return _Skills(covariance @ shift, covariance)


class _Sums(NamedTuple):
    """What some thousand results say of the skills."""

    precision: Floats
    """[bot * bots + bot]: of each pair in one of its orders."""
    shift: Floats


class _Part:
    """Some chunks of a division's results, whose factors are refined in place."""

    def __init__(self, results: Results, factors: Factors, parts: Sequence[slice]) -> None:
        self._results = results
        self._factors = factors
        self._chunks = parts
        self._keeps = results.size * results.players**2 <= _KEPT
        self._kept: dict[int, Messages] = {}
        """Messages of the last step, by the first result of their chunk."""

    def sums(self, skills: _Skills | None) -> Iterator[_Sums]:
        """Yield what the factors say, chunk by chunk.

        If `skills` is given, refine each chunk first: it is in the processor's cache then.
        """
        for chunk in self._chunks:
            if skills:
                said = self._kept.pop(chunk.start, None)
                said = said or messages_of(self._results, self._factors, chunk)
                refine(self._factors.only(chunk), said, skills.mu, skills.covariance)
            said = messages_of(self._results, self._factors, chunk)
            if self._keeps:
                self._kept[chunk.start] = said
            yield _sums(self._results, said)

    def all_sums(self, skills: _Skills | None) -> list[_Sums]:
        """Return all that `sums` yields, to be sent to another process."""
        return [*self.sums(skills)]

    def factors(self) -> list[Factors]:
        """Return the factors of each chunk."""
        return [self._factors.only(chunk) for chunk in self._chunks]

    def take(self, factors: Sequence[Factors]) -> None:
        """Take over factors that another process refined."""
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
