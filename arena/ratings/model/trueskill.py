"""TrueSkill for one game without draws: message passing along the finishing order.

The same model as the `trueskill` package (Herbrich, Minka and Graepel, 2006) with tau = 0 and
draw_probability = 0, which the tests compare it with; without that package's graph of objects it is
many times as fast.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import erfc, exp, pi, sqrt
from typing import NamedTuple

MU, SIGMA = 25.0, 25.0 / 3.0
"""The prior: mean and standard deviation of the skill of a bot that has not played."""
BETA = 25.0 / 6.0
"""The standard deviation of a bot's performance from game to game."""
_VARIANCE = BETA * BETA
_TOLERANCE = 1e-7
"""A sweep that moves no mean by more ends the game's update."""
_MAX_SWEEPS = 50
_ROOT_2, _ROOT_2PI = sqrt(2.0), sqrt(2.0 * pi)


class Rating(NamedTuple):
    """A normal distribution over a bot's skill."""

    mu: float = MU
    sigma: float = SIGMA


def rate_all(
    orders: Iterable[Sequence[str]], start: Mapping[str, Rating] | None = None
) -> dict[str, Rating]:
    """Fold games, given as the bots in finishing order and without ties, into ratings.

    The order matters a little: give that of the schedule. `start` holds the ratings before these
    games.
    """
    skill = defaultdict(Rating, start or {})
    for order in orders:
        if len(order) == 2:
            winner, loser = order
            skill[winner], skill[loser] = _rate_duel(skill[winner], skill[loser])
        else:
            before = [skill[bot] for bot in order]
            skill.update(zip(order, _pass_messages(before), strict=True))
    return dict(skill)


def _rate_duel(winner: Rating, loser: Rating) -> tuple[Rating, Rating]:
    """Rate a game of two, in closed form."""
    (upper, upper_sigma), (lower, lower_sigma) = winner, loser
    upper_v, lower_v = upper_sigma * upper_sigma, lower_sigma * lower_sigma
    variance = upper_v + lower_v + 2.0 * _VARIANCE
    scale = sqrt(variance)
    t = (upper - lower) / scale
    below = 0.5 * erfc(-t / _ROOT_2)
    v = exp(-0.5 * t * t) / (_ROOT_2PI * below) if below > 0.0 else -t
    shift, shrink = v / scale, v * (v + t) / variance
    return (
        Rating(upper + upper_v * shift, upper_sigma * sqrt(1.0 - upper_v * shrink)),
        Rating(lower - lower_v * shift, lower_sigma * sqrt(1.0 - lower_v * shrink)),
    )


def _pass_messages(ratings: Sequence[Rating]) -> list[Rating]:
    """Rate a game of many: messages go up and down the order until they converge."""
    last = len(ratings) - 1
    precision = [1.0 / (sigma * sigma + _VARIANCE) for _, sigma in ratings]
    weighted = [mu * p for (mu, _), p in zip(ratings, precision, strict=True)]
    chain = _Chain(precision, weighted, *([0.0] * len(ratings) for _ in range(4)))
    order = [*range(last), *range(last - 2, -1, -1)]
    for _ in range(_MAX_SWEEPS):
        if _sweep(chain, order) * BETA <= _TOLERANCE:
            break
    return [_posterior(chain, at, rating) for at, rating in enumerate(ratings)]


class _Chain(NamedTuple):
    """Performances in finishing order, each known to be above the next.

    Distributions are stored as precision and precision times mean, so that messages multiply by
    adding. `above` are the messages to a performance for having beaten the next one, `below` those
    for having been beaten.
    """

    precision: list[float]
    weighted: list[float]
    above_precision: list[float]
    above_weighted: list[float]
    below_precision: list[float]
    below_weighted: list[float]


def _sweep(chain: _Chain, order: Sequence[int]) -> float:
    """Update the messages of these places in order; return the largest change, in beta.

    One loop without calls: it runs millions of times, and functions would double its time.
    """
    precision, weighted, above_p, above_w, below_p, below_w = chain
    largest = 0.0
    for at in order:
        after = at + 1
        upper_v = 1.0 / (precision[at] + below_p[at])
        lower_v = 1.0 / (precision[after] + above_p[after])
        upper_m = (weighted[at] + below_w[at]) * upper_v
        lower_m = (weighted[after] + above_w[after]) * lower_v
        mean, variance = upper_m - lower_m, upper_v + lower_v
        # The difference is normal; the message is that it is above zero.
        scale = sqrt(variance)
        t = mean / scale
        below = 0.5 * erfc(-t / _ROOT_2)
        v = exp(-0.5 * t * t) / (_ROOT_2PI * below) if below > 0.0 else -t
        w = v * (v + t)
        truncated = max(1.0 - w, 1e-12) * variance
        p = max(w / truncated, 1e-12)
        message, message_v = ((mean + scale * v) / truncated - mean / variance) / p, 1.0 / p
        p = 1.0 / (message_v + lower_v)
        w = (message + lower_m) * p
        largest = max(largest, abs(w - above_w[at]), scale * abs(p - above_p[at]))
        above_p[at], above_w[at] = p, w
        below_p[after] = p = 1.0 / (message_v + upper_v)
        below_w[after] = (upper_m - message) * p
    return largest


def _posterior(chain: _Chain, at: int, prior: Rating) -> Rating:
    p = chain.above_precision[at] + chain.below_precision[at]
    w = chain.above_weighted[at] + chain.below_weighted[at]
    evidence = 1.0 / (1.0 / p + _VARIANCE)
    prior_precision = 1.0 / (prior.sigma * prior.sigma)
    precision = prior_precision + evidence
    mu = (prior.mu * prior_precision + w / p * evidence) / precision
    return Rating(mu, sqrt(1.0 / precision))
