"""TrueSkill for one game without draws: message passing along the finishing order.

The same model as the `trueskill` package (Herbrich, Minka and Graepel, 2006) with tau = 0 and
draw_probability = 0, to which the tests hold it; without its graph of objects it is many times as
fast.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import erfc, exp, pi, sqrt
from typing import NamedTuple

MU, SIGMA = 25.0, 25.0 / 3.0
"""The rating of a bot that has not played."""
BETA = SIGMA / 2.0
"""The spread of a bot's performance from game to game."""
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

    The order of games matters a little: give them in a canonical one. `start` holds the ratings
    that came of games before these.
    """
    skill = dict(start or {})
    for order in orders:
        before = [skill.get(bot) or Rating() for bot in order]
        skill.update(zip(order, rate_game(before), strict=True))
    return skill


def rate_game(ratings: Sequence[Rating]) -> list[Rating]:
    """Return new ratings for bots given in finishing order, the winner first; no two are equal."""
    return _Chain(ratings).solve()


class _Chain:
    """Performances in finishing order, each known to be above the next.

    All distributions are held as precision and precision times mean, so that messages multiply by
    adding. `above` are the messages that a performance gets from having beaten the next one,
    `below` those from having been beaten.
    """

    def __init__(self, ratings: Sequence[Rating]) -> None:
        self._ratings = ratings
        self._precision = [1.0 / (r.sigma * r.sigma + BETA * BETA) for r in ratings]
        self._weighted = [r.mu * p for r, p in zip(ratings, self._precision, strict=True)]
        self._above = [(0.0, 0.0)] * len(ratings)
        self._below = [(0.0, 0.0)] * len(ratings)

    def solve(self) -> list[Rating]:
        """Pass messages up and down the order until they stand still."""
        last = len(self._ratings) - 1
        order = [*range(last), *range(last - 2, -1, -1)]
        for _ in range(_SWEEPS if last > 1 else 1):
            if max([self._compare(at) for at in order]) <= _ENOUGH:
                break
        return [self._skill(at) for at in range(len(self._ratings))]

    def _compare(self, at: int) -> float:
        """Let one performance be above the next; returns how far the messages moved, in beta."""
        p, w = self._below[at]
        upper_p, upper_w = self._precision[at] + p, self._weighted[at] + w
        p, w = self._above[at + 1]
        lower_p, lower_w = self._precision[at + 1] + p, self._weighted[at + 1] + w
        upper_v, lower_v = 1.0 / upper_p, 1.0 / lower_p
        upper_m, lower_m = upper_w * upper_v, lower_w * lower_v
        mean, variance, moved = _truncated(upper_m - lower_m, upper_v + lower_v)
        p = 1.0 / (variance + lower_v)
        w = (mean + lower_m) * p
        before = self._above[at]
        self._above[at] = p, w
        q = 1.0 / (variance + upper_v)
        self._below[at + 1] = q, (upper_m - mean) * q
        return max(abs(w - before[1]), moved * abs(p - before[0])) * BETA

    def _skill(self, at: int) -> Rating:
        """Combine what the game says of a performance with what was known of the skill."""
        rating = self._ratings[at]
        p = self._above[at][0] + self._below[at][0]
        w = self._above[at][1] + self._below[at][1]
        seen = 1.0 / (1.0 / p + BETA * BETA)
        known = 1.0 / (rating.sigma * rating.sigma)
        precision = known + seen
        mu = (rating.mu * known + w / p * seen) / precision
        return Rating(mu, sqrt(1.0 / precision))


def _truncated(mean: float, variance: float) -> tuple[float, float, float]:
    """Return the message that says "above zero" of a normal difference: its mean and variance.

    The third value is the scale of the difference, for judging how far things moved.
    """
    scale = sqrt(variance)
    t = mean / scale
    below = 0.5 * erfc(-t / _ROOT_2)
    v = exp(-0.5 * t * t) / (_ROOT_2PI * below) if below > 0.0 else -t
    w = v * (v + t)
    left = max(1.0 - w, 1e-12)
    precision = max(w / (variance * left), 1e-12)
    weighted = (mean + scale * v) / (variance * left) - mean / variance
    return weighted / precision, 1.0 / precision, scale
