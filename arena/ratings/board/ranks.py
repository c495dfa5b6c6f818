"""One statement about a field: who is better than whom, the ranks, and who may be first.

In at least 95 of 100 leagues all of it is right at once. Half of the error is for the pairs.
The question which bots may be first has the rest, and what the pairs cannot lose apart from it: a
wrong pair of equal best bots is wrong about who may be first, too. The pairs get all of the error
if one bot alone may be first, as there is nothing left to ask then, and in a field so small that
they answer that question, too.

The bots that may be first are a model confidence set. From the field, the bot that is most clearly
worse than another is taken out, again and again, until no two of those left differ by more than
chance explains: all of the best are among them (Hansen, Lunde and Nason, "The model confidence
set", Econometrica 2011, with the range statistic; each bot's variance has a chi-square distribution
of its own).

Pairs are told apart one after another, the clearest first, each with as large an error as the
number of pairs allows that may be equal yet (Shaffer, "Modified sequentially rejective multiple
test procedures", JASA 1986). Which of the two is better may be said, too (Westfall, Bretz and
Tobias, "Directional error rates of closed testing procedures", 2013). Who is better than a bot is
better than all that are worse than it.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import comb, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks, transitive
from arena.ratings.maths.intervals import CONFIDENCE
from arena.ratings.maths.t_distribution import t_cdf, t_quantile

_ERROR = 0.05
_OF_PAIRS = 0.025
"""The part of the error that is for the pairs."""
_SAID_BY_PAIRS = 3
"""Of so few bots, at most, the pairs say who may be first."""
MAX_T = 1e6
"""No difference counts as more standard errors than this."""


def apart(bots: Sequence[str], field: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Tell, for each pair, whether the two are in different parts of the field."""
    part = part_of(bots, field)
    different: NDArray[np.bool_] = part[:, None] != part
    return different


def part_of(bots: Sequence[str], field: Sequence[Sequence[str]]) -> Ints:
    """Return the number of the part of the field of each bot."""
    number = {bot: at for at, part in enumerate(field) for bot in part}
    return as_ints([number[bot] for bot in bots])


def better_probabilities(values: Floats, df: Floats, covariance: Floats) -> Floats:
    """Return, for each ordered pair, the probability that the first has the higher true value.

    A difference follows Student's t with the smaller degrees of freedom of the two; infinite ones
    mean a known variance.
    """
    n, variance = len(values), np.diag(covariance)
    better, (first, second) = np.full((n, n), 0.5), np.triu_indices(n, 1)
    for chunk in chunks(len(first)):
        i, j = first[chunk], second[chunk]
        difference = np.abs(values[i] - values[j])
        error = np.sqrt(np.maximum(variance[i] + variance[j] - 2 * covariance[i, j], 0.0))
        certain = np.where(difference > 0.0, MAX_T, 0.0)
        t = np.minimum(np.divide(difference, error, out=certain, where=error > 0.0), MAX_T)
        # The smaller probability of the two is exact, even if it is tiny.
        tail, ahead = t_cdf(-t, np.minimum(df[i], df[j])), values[i] > values[j]
        better[i, j] = np.where(ahead, 1.0 - tail, tail)
        better[j, i] = np.where(ahead, tail, 1.0 - tail)
    return better


class Statement(NamedTuple):
    """What is said of a field."""

    sure: Floats
    """For each pair the confidence at which it is told apart, with all else that is said. From
    CONFIDENCE on, it is."""
    columns: Mapping[str, NDArray[Any]]
    """The ranks that each bot may hold, and whether the first, by the columns of a table."""


def joint_statement(
    better: Floats, values: Floats, df: Floats, covariance: Floats, separate: NDArray[np.bool_]
) -> Statement:
    """Say of a field all that is known with 95 % confidence; `better` are the probabilities.

    Pairs that are `separate` are not compared.
    """
    bots = len(values)
    first = np.ones(bots, np.bool_)
    error = _ERROR
    if bots > _SAID_BY_PAIRS:
        first = may_be_first(values, df, covariance, separate)
        error = _ERROR if first.sum() == 1 else _OF_PAIRS
    sure = _sure(better, error)
    above = transitive((better > 0.5) & (sure >= CONFIDENCE))
    first &= ~above.any(0)
    if first.sum() == 1:
        above[first] = ~first
    sure[above | above.T] = np.maximum(sure[above | above.T], CONFIDENCE)
    # The best bot is another, and none of those that are known to be better.
    led = ~first & ~above[first].any(0)
    best, worst = 1 + above.sum(0) + led, bots - above.sum(1)
    return Statement(sure, {"best": best, "worst": worst, "may_be_first": first})


def _sure(better: Floats, error: float) -> Floats:
    """Return how sure it is which bot of each pair is better, where `error` is that of all pairs.

    No pair is surer than a clearer one.
    """
    one, other = np.triu_indices(len(better), 1)
    tail = np.minimum(better[one, other], better[other, one])
    order = np.argsort(tail, kind="stable")
    wrong = np.maximum.accumulate(2.0 * tail[order] * _most_equal(len(better))) * (_ERROR / error)
    sure = np.zeros_like(better)
    sure[one[order], other[order]] = np.maximum(1.0 - wrong, 0.0)
    return sure + sure.T


def _most_equal(bots: int) -> Ints:
    """Return how many pairs may still be equal, at most, after each number of unequal ones.

    If all bots of a class are equal, and one class has more than half of the bots, most pairs are
    equal if the others are a class, too.
    """
    left = np.arange(comb(bots, 2), 0, -1)
    largest = np.floor((1.0 + np.sqrt(1.0 + 8.0 * left)) / 2.0)
    others = bots - largest
    classes = (largest * (largest - 1.0) + others * (others - 1.0)) / 2.0
    return as_ints(np.where(largest > others, np.minimum(left, classes), left))


_DRAWS, _FEWEST_DRAWS = 2000, 400
_CELLS = 40_000_000
"""Differences of two bots that are drawn for a field: a large one gets fewer draws."""
_TINY = 1e-12
_JITTER = 1e-9
"""Added to variances, as a share of the largest: the covariance of skills is singular."""


def may_be_first(
    values: Floats, df: Floats, covariance: Floats, apart: NDArray[np.bool_], others: int = 0
) -> NDArray[np.bool_]:
    """Tell which bots may have the highest true value; equal estimates give equal answers.

    With as much confidence as pairs leave all of the best are among them. `df` are the degrees of
    freedom of each bot's variance. Pairs that are `apart` are not compared. `others` are bots of
    the field that may not be first.
    """
    variance = covariance.diagonal()
    spread = variance[:, None] + variance[None, :] - 2.0 * covariance
    behind = (values[None, :] - values[:, None]) / np.sqrt(np.maximum(spread, _TINY))
    behind[apart] = 0.0
    order, distance = _worst_first(behind)
    taken = _clearly_worse(distance, float(df.min()))
    left = order[taken:]
    field = np.ix_(left, left)
    seed = int.from_bytes(sha256((np.round(values, 6) + 0.0).tobytes()).digest()[:8])
    allowed = _errors(len(left), len(values) - len(left) + others)
    rng = np.random.default_rng(seed)
    limits = _limits(df[left], covariance[field], apart[field], allowed, rng)
    first = np.zeros(len(values), np.bool_)
    first[left[int((distance[taken:] <= limits).argmax()) :]] = True
    return first


def _worst_first(behind: Floats) -> tuple[Ints, Floats]:
    """Return the order in which bots are taken out, and how far each is behind one that is left."""
    bots = len(behind)
    left = behind.copy()
    np.fill_diagonal(left, 0.0)
    ahead = left.argmax(1)
    distance = left[np.arange(bots), ahead]
    order, distances = np.empty(bots, np.intp), np.empty(bots)
    for step in range(bots):
        worst = int(distance.argmax())
        order[step], distances[step] = worst, distance[worst]
        left[:, worst] = distance[worst] = -inf
        again = np.flatnonzero((ahead == worst) & (distance > -inf))
        ahead[again] = left[again].argmax(1)
        distance[again] = left[again, ahead[again]]
    return as_ints(order), as_floats(distances)


def _clearly_worse(distance: Floats, df: float) -> int:
    """Return how many bots are worse even if each pair of those left is tested (Bonferroni)."""
    left = np.arange(len(distance), 1, -1)
    clear = t_cdf(-distance[:-1], df) < (_ERROR - _OF_PAIRS) / 2 / (left * (left - 1) / 2)
    return int(np.append(clear, False).argmin())


def _errors(left: int, others: int) -> Floats:
    """Return the error for the question whether the best are all that are left, or one less, or so.

    Of the pairs that are equal then, only those of two others can be wrong by themselves.
    """
    size = np.arange(left, 0, -1)
    more = left + others - size
    inside, outside = size * (size - 1), more * (more - 1)
    return as_floats(_ERROR - _OF_PAIRS * outside / np.maximum(inside + outside, 1))


def _limits(
    df: Floats,
    covariance: Floats,
    apart: NDArray[np.bool_],
    allowed: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Return, for each bot and all after it, the limit of the largest distance of two by chance.

    `allowed` is how often by chance it may be beyond that.
    """
    bots, variance = len(df), covariance.diagonal()
    draws = max(_FEWEST_DRAWS, min(_DRAWS, _CELLS // bots**2))
    root = np.linalg.cholesky(covariance + np.eye(bots) * _JITTER * variance.max())
    drawn = root @ rng.standard_normal((bots, draws))
    # The variance of a difference has the degrees of freedom of one bot's, not of two.
    known = np.where(df < inf, df / 2.0, 1.0)[:, None]
    error = np.where(df[:, None] < inf, np.sqrt(rng.chisquare(known, drawn.shape) / known), 1.0)
    squares = variance[:, None] * error**2
    largest, limits = np.zeros(draws), np.zeros(bots)
    at_limit = np.ceil((1.0 - allowed) * (draws + 1)).astype(np.intp) - 1
    for bot in range(bots - 2, -1, -1):
        common = 2.0 * covariance[bot + 1 :, bot, None] * error[bot + 1 :] * error[bot]
        spread = np.maximum(squares[bot + 1 :] + squares[bot] - common, _TINY)
        ratio = (drawn[bot + 1 :] - drawn[bot]) ** 2 / spread
        ratio[apart[bot + 1 :, bot]] = 0.0
        largest = np.maximum(largest, ratio.max(0))
        limits[bot] = np.partition(largest, at_limit[bot])[at_limit[bot]]
    return np.sqrt(limits)


_AT_ONCE = 128
_MOST_FIRST = 1000
"""If more bots are left that are not clearly worse than another, each may be first."""


class Field(NamedTuple):
    """The skills and covariances from which ranks follow."""

    values: Floats
    degrees_of_freedom: Floats
    variance: Floats
    columns: Callable[[Ints], Floats]
    """Returns columns of the values' covariance."""
    part: Ints
    """The part of the field of each bot; no game links two of them."""
    joint: bool = True
    """Whether the columns are those of a covariance, so that errors can be drawn."""

    def distances(self, chosen: Ints) -> Floats:
        """Return by how many standard errors these bots are ahead of all, by columns."""
        difference = self.values[chosen] - self.values[:, None]
        error = self.variance[:, None] + self.variance[chosen] - 2.0 * self.columns(chosen)
        error[chosen, np.arange(len(chosen))] = 0.0
        error = np.sqrt(np.maximum(error, 0.0))
        certain = np.sign(difference) * MAX_T
        t = np.clip(np.divide(difference, error, out=certain, where=error > 0.0), -MAX_T, MAX_T)
        t[self.part[:, None] != self.part[chosen]] = 0.0
        return as_floats(t)


class LargeStatement(NamedTuple):
    """What is said of a large field."""

    columns: Mapping[str, NDArray[Any]]
    """As those of a `Statement`."""
    better: Floats
    """For some pairs, the probability that the first is the better one."""
    sure: Floats
    """For these pairs, the largest confidence at which they are told apart, with all else."""


def large_statement(field: Field, one: Ints, other: Ints) -> LargeStatement:
    """Say of a large field all that is known with 95 % confidence.

    All pairs have the same part of the error (Bonferroni), and nothing follows from two of them.
    The pairs that are asked for are in the order of the first of the two.
    """
    size, pairs = len(field.values), comb(len(field.values), 2)
    clear = t_quantile(1.0 - _OF_PAIRS / 2 / pairs, field.degrees_of_freedom)
    best, worst = np.empty(size, np.intp), np.empty(size, np.intp)
    better = np.full(len(one), 0.5)
    for chunk in chunks(size, _AT_ONCE):
        chosen = np.arange(chunk.start, chunk.stop)
        t = field.distances(chosen)
        least = np.maximum(clear[:, None], clear[chosen])
        best[chunk] = 1 + (t < -least).sum(0)
        worst[chunk] = size - (t > least).sum(0)
        asked = slice(*np.searchsorted(one, [chunk.start, chunk.stop]))
        i, j = one[asked], other[asked]
        df = np.minimum(field.degrees_of_freedom[i], field.degrees_of_freedom[j])
        better[asked] = t_cdf(t[j, i - chunk.start], df)
    wrong = 2.0 * pairs * np.minimum(better, 1.0 - better) * (_ERROR / _OF_PAIRS)
    sure = np.maximum(1.0 - wrong, 0.0)
    first = _first_of_many(field, best == 1)
    best[~first] = np.maximum(best[~first], 2)
    if first.sum() == 1:
        worst[first] = 1
        with_first = first[one] | first[other]
        sure[with_first] = np.maximum(sure[with_first], CONFIDENCE)
    return LargeStatement({"best": best, "worst": worst, "may_be_first": first}, better, sure)


def _first_of_many(field: Field, left: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which of those that are left may be first."""
    chosen = left.nonzero()[0]
    if len(chosen) > _MOST_FIRST or not field.joint:
        return left
    covariance = field.columns(chosen)[chosen]
    np.fill_diagonal(covariance, field.variance[chosen])
    apart = field.part[chosen, None] != field.part[chosen]
    first = left.copy()
    df, others = field.degrees_of_freedom[chosen], len(left) - len(chosen)
    first[chosen] = may_be_first(field.values[chosen], df, covariance, apart, others)
    return first
