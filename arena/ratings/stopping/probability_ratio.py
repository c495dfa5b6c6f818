"""A sequential probability ratio test of two versions of a bot, on pairs of tables.

Two tests at once, of "no difference" against "the new version is better by d" and against "the old
one is better by d" (Sobel and Wald, "A sequential decision procedure for choosing one of three
hypotheses concerning the unknown mean of a normal distribution", 1949). The unit is the pair of
tables, whose results are no single wins and losses: like the pentanomial test of chess engines, the
ratio takes the mean and the variance of the pairs as they are (Van den Bergh, "A practical
introduction to the GSPRT", 2019). The variance is that within opponents.

As long as the test has not ended, another look costs nothing: Wald's bounds hold at every look.
"""

from enum import Enum
from math import copysign, inf, log
from typing import NamedTuple

from arena.ratings.maths.arrays import Floats

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
    """In shares of rivals beaten."""

    def outcome(self, differences: Floats, step: float) -> RatioOutcome | None:
        """Judge differences new - old, [block, opponent], of which `step` is the smallest.

        Returns None while the test goes on, as it does before the first look.
        """
        if len(differences) < _FIRST_BLOCKS or differences.size < _FIRST_PAIRS:
            return None
        mean, variance = float(differences.mean()), _variance_of_mean(differences, step)
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
