"""TrueSkill for one game without draws: message passing along the finishing order.

The same model as the `trueskill` package (Herbrich, Minka and Graepel, 2006) with tau = 0 and
draw_probability = 0, to which the tests hold it; without its graph of objects it is many times as
fast.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import erfc, exp, pi, sqrt
from typing import NamedTuple

MU, SIGMA = 25.0, 25.0 / 3.0
"""The rating of a bot that has not played."""
BETA = SIGMA / 2.0
"""The spread of a bot's performance from game to game."""
_VARIANCE = BETA * BETA
_ENOUGH = 1e-7
"""A sweep that moves no mean by more than this part of beta ends the game's update."""
_SWEEPS = 50
_ROOT_2, _ROOT_2PI = sqrt(2.0), sqrt(2.0 * pi)


class Rating(NamedTuple):
    """A normal distribution over a bot's skill."""

    mu: float = MU
    sigma: float = SIGMA


def rate_all(
    orders: Iterable[Sequence[str]], start: Mapping[str, Rating] | None = None
) -> dict[str, Rating]:
    """Fold games, given as the bots in finishing order, into ratings.

    The order of games matters a little: give them in a canonical one. No two bots of a game finish
    in one place. `start` holds the ratings that came of games before these.
    """
    skill = defaultdict(Rating, start or {})
    for order in orders:
        if len(order) == 2:
            winner, loser = order
            skill[winner], skill[loser] = _duel(skill[winner], skill[loser])
        else:
            before = [skill[bot] for bot in order]
            skill.update(zip(order, _pass_messages(before), strict=True))
    return dict(skill)


def _duel(winner: Rating, loser: Rating) -> tuple[Rating, Rating]:
    """Rate a game of two, of which the ratings after it are known in closed form."""
    (upper, upper_sigma), (lower, lower_sigma) = winner, loser
    upper_v, lower_v = upper_sigma * upper_sigma, lower_sigma * lower_sigma
    variance = upper_v + lower_v + 2.0 * _VARIANCE
    scale = sqrt(variance)
    t = (upper - lower) / scale
    below = 0.5 * erfc(-t / _ROOT_2)
    v = exp(-0.5 * t * t) / (_ROOT_2PI * below) if below > 0.0 else -t
    pull, known = v / scale, v * (v + t) / variance
    return (
        Rating(upper + upper_v * pull, upper_sigma * sqrt(1.0 - upper_v * known)),
        Rating(lower - lower_v * pull, lower_sigma * sqrt(1.0 - lower_v * known)),
    )


def _pass_messages(ratings: Sequence[Rating]) -> list[Rating]:
    """Rate a game of many: messages go up and down the order until they stand still."""
    chain, last = _chain(ratings), len(ratings) - 1
    order = [*range(last), *range(last - 2, -1, -1)]
    for _ in range(_SWEEPS):
        if _sweep(chain, order) * BETA <= _ENOUGH:
            break
    return [_skill(chain, at, rating) for at, rating in enumerate(ratings)]


class _Chain(NamedTuple):
    """Performances in finishing order, each known to be above the next.

    All distributions are held as precision and precision times mean, so that messages multiply by
    adding. `above` are the messages that a performance gets from having beaten the next one,
    `below` those from having been beaten.
    """

    precision: list[float]
    weighted: list[float]
    above_precision: list[float]
    above_weighted: list[float]
    below_precision: list[float]
    below_weighted: list[float]


def _chain(ratings: Sequence[Rating]) -> _Chain:
    count, precision, weighted = len(ratings), [], []
    for mu, sigma in ratings:
        p = 1.0 / (sigma * sigma + _VARIANCE)
        precision.append(p)
        weighted.append(mu * p)
    return _Chain(precision, weighted, [0.0] * count, [0.0] * count, [0.0] * count, [0.0] * count)


def _sweep(chain: _Chain, order: Sequence[int]) -> float:
    """Let performances be above the next, in this order; returns how far messages moved, in beta.

    All of it stands in one loop: called millions of times, functions would double its time.
    """
    precision, weighted, above_p, above_w, below_p, below_w = chain
    most = 0.0
    for at in order:
        after = at + 1
        upper_v = 1.0 / (precision[at] + below_p[at])
        lower_v = 1.0 / (precision[after] + above_p[after])
        upper_m = (weighted[at] + below_w[at]) * upper_v
        lower_m = (weighted[after] + above_w[after]) * lower_v
        mean, variance = upper_m - lower_m, upper_v + lower_v
        # The message that says "above zero" of the difference, which is normal.
        scale = sqrt(variance)
        t = mean / scale
        below = 0.5 * erfc(-t / _ROOT_2)
        v = exp(-0.5 * t * t) / (_ROOT_2PI * below) if below > 0.0 else -t
        w = v * (v + t)
        left = max(1.0 - w, 1e-12) * variance
        p = max(w / left, 1e-12)
        shift, spread = ((mean + scale * v) / left - mean / variance) / p, 1.0 / p
        p = 1.0 / (spread + lower_v)
        w = (shift + lower_m) * p
        most = max(most, abs(w - above_w[at]), scale * abs(p - above_p[at]))
        above_p[at], above_w[at] = p, w
        below_p[after] = p = 1.0 / (spread + upper_v)
        below_w[after] = (upper_m - shift) * p
    return most


def _skill(chain: _Chain, at: int, rating: Rating) -> Rating:
    """Combine what the game says of a performance with what was known of the skill."""
    p = chain.above_precision[at] + chain.below_precision[at]
    w = chain.above_weighted[at] + chain.below_weighted[at]
    seen = 1.0 / (1.0 / p + _VARIANCE)
    known = 1.0 / (rating.sigma * rating.sigma)
    precision = known + seen
    mu = (rating.mu * known + w / p * seen) / precision
    return Rating(mu, sqrt(1.0 / precision))
