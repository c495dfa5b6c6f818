"""Two versions of a bot, by pairs of tables that are alike but for the version, dice included.

The pairs are compared opponent by opponent: that the versions differ more against one than against
another is no error of their mean difference over all of them. There are three ways to end: after
all pairs, at planned looks, or by a sequential probability ratio test.

After few games the pairs may all have the same difference by chance. But versions that differ by d
differ in at least the share d of their games, and those in which they were seen to differ also say
how much chance there is. So an interval holds the differences of which the observed one is at most
so many standard errors away, where the error is that between pairs of tables, or that of as many
independent games in which no more differ than must (Tango, "Equivalence test and confidence
interval for the difference in proportions for the paired-sample design", Statistics in Medicine
1998).

At planned looks the difference must exceed more standard errors than at a single one:
c (blocks / all blocks) ** -1/4 (Wang and Tsiatis, "Approximately optimal one-parameter boundaries
for group sequential trials", Biometrics 1987), with the c for which a difference of 0 ever exceeds
its bound with the probability alpha. It follows from the distribution of what has not exceeded its
bound, look by look (Armitage, McPherson and Rowe, "Repeated significance tests on accumulating
data", JRSS A 1969).

The sequential probability ratio test is two tests at once, of "no difference" against "the new
version is better by d" and against "the old one is better by d" (Sobel and Wald, "A sequential
decision procedure for choosing one of three hypotheses concerning the unknown mean of a normal
distribution", 1949). The unit is the pair of tables, whose results are no single wins and losses:
like the pentanomial test of chess engines, the ratio takes the mean and the variance of the pairs
as they are (Van den Bergh, "A practical introduction to the GSPRT", 2019). The variance is that
within opponents. As long as the test has not ended, another look costs nothing: Wald's bounds hold
at every look.
"""

from collections.abc import Sequence
from enum import Enum
from math import copysign, inf, log, pi, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.polynomial.legendre import leggauss

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.intervals import TAIL
from arena.ratings.maths.t_distribution import normal_cdf, t_cdf, t_quantile


class Paired(Struct, frozen=True):
    """A figure of two versions, and the difference new - old with its interval."""

    old: float
    new: float
    difference: float
    low: float
    high: float
    above: float
    """The probability that the difference is above 0; one half if there is no evidence."""


class Estimate(NamedTuple):
    """The mean of differences over all opponents, its standard error and degrees of freedom."""

    mean: float
    error: float
    df: float


class Grain(NamedTuple):
    """How finely results are counted."""

    games: float
    """The number of games of each version."""
    step: float = 1.0
    """The least by which the results of two games differ: 1 / rivals for shares of rivals."""
    most: float = 1.0
    """The most by which they differ."""


class Kind(NamedTuple):
    """Results of both versions at pairs of tables of one kind."""

    old: Floats
    new: Floats
    grain: Grain


def paired(old: Floats, new: Floats, grain: Grain, tail: float = TAIL) -> Paired:
    """Compare a figure of two versions, given [block, opponent] for at least two blocks.

    `tail` is the probability beyond either end of the interval. `above` is the posterior
    probability under a flat prior.
    """
    means = float(old.mean()), float(new.mean())
    return _paired(means, estimate(new - old), _seen(new - old, grain), grain, tail)


def pooled(kinds: Sequence[Kind], tail: float = TAIL) -> Paired:
    """Compare a figure of two versions by pairs of tables, kind by kind.

    Needs two pairs of each kind. All kinds have the same weight, however many pairs they have.
    Opponents are not told apart: that the versions differ more against one than against another
    widens the interval.
    """
    parts = [estimate((kind.new - kind.old)[:, None]) for kind in kinds]
    squares = [part.error**2 / len(parts) ** 2 for part in parts]
    terms = sum(square**2 / part.df for square, part in zip(squares, parts, strict=True))
    df = sum(squares) ** 2 / terms if terms else sum(part.df for part in parts)
    mean = fmean(part.mean for part in parts)
    weights = [1.0 / kind.grain.games for kind in kinds]
    seen = fmean([_seen(kind.new - kind.old, kind.grain) for kind in kinds], weights)
    grain = Grain(len(kinds) ** 2 / sum(weights), min(kind.grain.step for kind in kinds))
    old = fmean(float(kind.old.mean()) for kind in kinds)
    new = fmean(float(kind.new.mean()) for kind in kinds)
    return _paired((old, new), Estimate(mean, sqrt(sum(squares)), df), seen, grain, tail)


def _seen(differences: Floats, grain: Grain) -> float:
    """Return the variance of a game's difference around 0, as far as results show it at least."""
    return grain.step * float(np.abs(differences).mean())


def _paired(
    means: tuple[float, float], estimate: Estimate, seen: float, grain: Grain, tail: float
) -> Paired:
    mean, error, df = estimate
    reach = float(t_quantile(1.0 - tail, df))
    without = sqrt(max(error**2, seen / grain.games))
    return Paired(
        old=means[0],
        new=means[1],
        difference=mean,
        low=max(-grain.most, min(mean - reach * error, -_furthest(-mean, reach, seen, grain))),
        high=min(grain.most, max(mean + reach * error, _furthest(mean, reach, seen, grain))),
        above=float(t_cdf(mean / without, df)) if without else 0.5,
    )


def _furthest(mean: float, reach: float, seen: float, grain: Grain) -> float:
    """Return the largest difference that is `reach` standard errors above the mean.

    The variance of a game's result is `seen` less the square of the difference, or the least that
    so large a difference can have.
    """
    scale, step = reach**2 / grain.games, grain.step
    as_seen = scale * ((1.0 + scale) * seen - mean**2)
    at_least = scale * (scale * step**2 + 4.0 * mean * (step - mean))
    ends = [mean]
    if as_seen > 0.0:
        ends.append((mean + sqrt(as_seen)) / (1.0 + scale))
    if at_least > 0.0:
        ends.append((2.0 * mean + scale * step + sqrt(at_least)) / (2.0 * (1.0 + scale)))
    return max(ends)


def clear(figures: Sequence[Paired], tail: float = TAIL) -> list[bool]:
    """Return which differences are distinguished from 0, none of them wrongly but by 2 `tail`.

    Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    beyond = [min(figure.above, 1.0 - figure.above) for figure in figures]
    distinct = [False] * len(figures)
    for rank, which in enumerate(sorted(range(len(figures)), key=beyond.__getitem__)):
        if beyond[which] * (len(figures) - rank) > tail:
            break
        distinct[which] = True
    return distinct


def estimate(differences: Floats) -> Estimate:
    """Return what differences, [block, opponent], say of their mean; needs at least two blocks.

    Its variance is that of a mean of variances that may differ (Satterthwaite, 1946).
    """
    blocks, opponents = differences.shape
    variances = differences.var(0, ddof=1)
    df, squares = opponents * (blocks - 1.0), float((variances**2).sum())
    if squares:
        # Squares of estimates are too large on average: blocks + 1 allows for that.
        df = min(df, (blocks + 1) * float(variances.sum()) ** 2 / squares - 2.0)
    error = sqrt(float(variances.mean()) / differences.size)
    return Estimate(float(differences.mean()), error, df)


_MOST_LOOKS = 20
_MIN_BLOCKS, _MIN_PAIRS = 4, 8
"""Blocks and pairs of tables between looks: of fewer, the variance is not known well enough."""
_SHAPE = 0.25
"""Between 0, which hardly ever stops early, and 1/2, which pays most for it at the end."""
_NODES = 100
_STEPS = 40
_MIN_TAIL = 1e-9
"""Smaller probabilities beyond an end count as this one, whose quantile is still exact."""


def planned_looks(blocks: int, opponents: int) -> tuple[int, ...]:
    """Return after how many blocks to look; the last look is the end."""
    pairs = blocks * opponents
    count = max(1, min(_MOST_LOOKS, blocks // _MIN_BLOCKS, pairs // _MIN_PAIRS))
    return tuple(-(-blocks * look // count) for look in range(1, count + 1))


def tails(looks: Sequence[int], confidence: float) -> list[float]:
    """Return the probability beyond either end of the interval of each look.

    The intervals of all looks hold at once with that confidence (Jennison and Turnbull, "Interim
    analyses: the repeated confidence interval approach", JRSS B 1989).
    """
    times, grid = as_floats(looks) / looks[-1], leggauss(_NODES)
    low, high = 0.0, 8.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _within(middle * times**_SHAPE, times, grid) < confidence:
            low = middle
        else:
            high = middle
    beyond = normal_cdf(-high * times ** (_SHAPE - 0.5))
    return [max(float(tail), _MIN_TAIL) for tail in beyond]


def _within(bounds: Floats, times: Floats, grid: tuple[Floats, Floats]) -> float:
    """Return how probably Brownian motion is within its bounds at all of these times."""
    node, weight = grid
    at = np.zeros(1)
    mass = np.ones(1)
    before = 0.0
    for bound, time in zip(bounds, times, strict=True):
        step = time - before
        steps = bound * node[:, None] - at
        density = np.exp(-(steps**2) / (2.0 * step)) @ mass / sqrt(2.0 * pi * step)
        at = bound * node
        mass = density * bound * weight
        before = time
    return float(mass.sum())


_FIRST_BLOCKS, _FIRST_PAIRS = 2, 16
"""Blocks and pairs of tables before the first look: of fewer, the variance is not known."""


class RatioOutcome(Enum):
    """The end of a test."""

    NEW = "new"
    """The new version is better."""
    OLD = "old"
    EQUIVALENT = "equivalent"
    """Neither is better by the difference that the test looks for."""


class RatioTest(NamedTuple):
    """The errors and the difference of a test."""

    confidence: float
    """One less the probability of calling one of two equal versions better, and one less that of
    calling versions equivalent that differ by the difference."""
    difference: float
    """The difference, in shares of rivals beaten."""

    def outcome(self, differences: Floats, step: float) -> RatioOutcome | None:
        """Judge differences new - old, [block, opponent], of which `step` is the smallest.

        Returns None while the test goes on, as it does before the first look.
        """
        if len(differences) < _FIRST_BLOCKS or differences.size < _FIRST_PAIRS:
            return None
        # Versions that differ by so much differ in at least as many of their games.
        least = self.difference * (1.0 - self.difference) * step / differences.size
        mean, variance = float(differences.mean()), _variance_of_mean(differences, step)
        variance = max(variance, least)
        error = 1.0 - self.confidence
        better, not_better = log((1.0 - error) / (error / 2)), log(error / (1.0 - error / 2))
        above, below = (self._log_ratio(value, variance) for value in (mean, -mean))
        if max(above, below) >= better:
            return RatioOutcome.NEW if above > below else RatioOutcome.OLD
        return RatioOutcome.EQUIVALENT if max(above, below) <= not_better else None

    def _log_ratio(self, mean: float, variance: float) -> float:
        """Return the logarithm of the likelihood of the difference, divided by that of 0."""
        excess = mean - self.difference / 2
        return self.difference * excess / variance if variance else copysign(inf, excess)


def ratio_looks(blocks: int, opponents: int) -> tuple[int, ...]:
    """Return after how many blocks to look: after each, once the variance is known."""
    first = max(_FIRST_BLOCKS, -(-_FIRST_PAIRS // opponents))
    return tuple(range(min(first, blocks), blocks + 1))


def _variance_of_mean(differences: Floats, step: float) -> float:
    """Return the variance of the mean of differences, large rather than small after few.

    One more difference a step away is taken to have been seen: else a few equal results would leave
    no doubt. Two degrees of freedom less allow for ratios that have their estimate as divisor.
    """
    blocks, opponents = differences.shape
    squares = ((differences - differences.mean(0)) ** 2).sum() + step * step
    freedom = opponents * (blocks - 1) - 2
    return float(squares / (freedom * blocks * opponents))
