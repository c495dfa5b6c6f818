"""Who is better than whom, how surely, and which ranks a bot may hold."""

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import NamedTuple

from arena.ratings.student import t_cdf

Pair = tuple[str, str]


class Estimate(NamedTuple):
    """A bot's figure and how sure it is."""

    bot: str
    value: float
    freedom: float
    """Degrees of freedom of its variance; infinite where the variance is known."""


def chances(
    estimates: Sequence[Estimate], covariance: Sequence[Sequence[float]]
) -> dict[Pair, float]:
    """Return, for each ordered pair, the probability that the first is the better one.

    Better is higher. A difference is taken to spread like Student's t with the fewer degrees of
    freedom of the two.
    """
    found = {}
    for i, one in enumerate(estimates):
        for j, other in enumerate(estimates[:i]):
            variance = covariance[i][i] + covariance[j][j] - 2 * covariance[i][j]
            worse, better = (one, other) if one.value < other.value else (other, one)
            found[worse.bot, better.bot] = small = _above(worse, better, variance)
            found[better.bot, worse.bot] = 1.0 - small
    return found


def _above(one: Estimate, other: Estimate, variance: float) -> float:
    """Return the probability that the first is the better one; exact also where it is tiny."""
    gap = one.value - other.value
    error = sqrt(max(variance, 0.0))
    if error <= 0.0:
        return 0.5 + 0.5 * ((gap > 0) - (gap < 0))
    return t_cdf(max(-1e6, gap / error), min(one.freedom, other.freedom))


def rank_ranges(bots: Sequence[str], better: Mapping[Pair, float]) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank that each bot may hold, with 95 % confidence a bot.

    A bot is told apart from another when the chance that it is the better one is outside
    `undecided`, which allows for the number of rivals (Bonferroni): so the true rank is in the
    range in at least 95 of 100 leagues (Mogstad, Romano, Shaikh and Wilhelm, 2024).
    """
    low, high = undecided(len(bots))
    ranges = {}
    for bot in bots:
        rivals = [rival for rival in bots if rival != bot]
        ahead = sum(better[bot, rival] < low for rival in rivals)
        behind = sum(better[bot, rival] > high for rival in rivals)
        ranges[bot] = (1 + ahead, len(bots) - behind)
    return ranges


def undecided(bots: int) -> tuple[float, float]:
    """Return the chances between which a pair counts as not told apart, among so many bots."""
    tail = 0.025 / (bots - 1) if bots > 1 else inf
    return tail, 1.0 - tail
