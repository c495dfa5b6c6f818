"""How wins become points: win shares by block, with their intervals, and what they are worth."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import sqrt
from typing import NamedTuple

from msgspec import Struct

from arena.ratings.maths.intervals import UPPER, Z95, score_interval
from arena.ratings.maths.t_distribution import t_quantile

_BORROWED = 6.0
"""Degrees of freedom that the variance between blocks borrows from that of independent games."""
FAIR = 0.5
"""The win share of two equal bots, which is worth no points."""


class Share(Struct, frozen=True):
    """A share of games won, and its 95 % interval."""

    share: float
    games: int
    low: float
    high: float

    @property
    def beats(self) -> bool:
        """Whether chance does not explain that it is more than that of two equal bots."""
        return self.low > FAIR

    @property
    def loses(self) -> bool:
        """Whether chance does not explain that it is less."""
        return self.high < FAIR


class Part(Struct, frozen=True):
    """What one part of a mark is worth, in points, with its 95 % interval."""

    points: float
    low: float
    high: float
    of: float
    """The most points."""
    share: Share | None = None
    """What they come from."""
    below: float = 0.0
    """How far the low end is from the points if the scale had no ends."""
    above: float = 0.0
    """The same for the high end; both are 0 if the whole interval is beyond an end."""


class Total(NamedTuple):
    """The sum of some parts, with its 95 % interval."""

    points: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """The larger half of the interval."""
        return max(self.high - self.points, self.points - self.low)


def share_of(blocks: Sequence[int], games: int) -> Share:
    """Return the share of games won, by how many were won in each block of so many games.

    The interval is Wilson's, for as many independent games as vary as much as the blocks do (Rao
    and Scott, "A simple method for the analysis of clustered binary data", 1992). The ratio of the
    two variances borrows from 1, as few blocks say little of it, and none if all games were won.
    """
    count, total = len(blocks), len(blocks) * games
    share = sum(blocks) / total
    expected = games * share * (1.0 - share)
    ratio, own = 1.0, max(count - 1.0, 0.0)
    if expected and own:
        mean = sum(blocks) / count
        varied = sum((won - mean) ** 2 for won in blocks) / own
        ratio = (own * varied / expected + _BORROWED) / (own + _BORROWED)
    quantile = _quantile(own + _BORROWED)
    low, high = score_interval(share, total / ratio, quantile)
    # Rounding must not leave the share outside.
    return Share(share, total, min(low, share), max(high, share))


def against(share: Share, reference: float, points: float) -> Part:
    """Return what a share against a baseline is worth: none for one half, all for the reference's.

    In between, points grow linearly.
    """
    values = share.low, share.share, share.high
    return _on_scale(
        [points * (value - FAIR) / (reference - FAIR) for value in values], points, share
    )


def in_field(fixtures: Sequence[tuple[int, int]], points: float) -> Part:
    """Return what (won, games) at each table of the field are worth: the mean share, of the points.

    All tables have the same weight. Which opponents there are is no chance, so the variance is that
    within the tables.
    """
    count = len(fixtures)
    shares = [won / games for won, games in fixtures]
    share = sum(shares) / count
    # A table that was won whole has no variance of its own: half a win more and less has.
    smooth = [(won + 0.5) / (games + 1) for won, games in fixtures]
    within = [
        smoothed * (1.0 - smoothed) / max(games - 1, 1)
        for smoothed, (_, games) in zip(smooth, fixtures, strict=True)
    ]
    half = Z95 * sqrt(sum(within)) / count
    low, high = max(0.0, share - half), min(1.0, share + half)
    estimate = Share(share, sum(games for _, games in fixtures), low, high)
    ends = [points * value for value in (share - half, share, share + half)]
    return _on_scale(ends, points, estimate)


def _on_scale(ends: Sequence[float], of: float, share: Share) -> Part:
    """Return a part, given its low end, points and high end as if its scale had no ends."""
    low, points, high = ends
    on_low, on_points, on_high = (min(of, max(0.0, value)) for value in ends)
    beyond = high <= 0 or low >= of
    below, above = (0.0, 0.0) if beyond else (points - low, high - points)
    return Part(on_points, on_low, on_high, of, share, below, above)


@cache
def _quantile(df: float) -> float:
    """Return the quantile of Student's t that a 95 % interval takes."""
    return float(t_quantile(UPPER, df))


def certain(points: float, of: float) -> Part:
    """Return a part that chance has no part in."""
    return Part(points, points, points, of)


def total_of(parts: Mapping[str, Part]) -> Total:
    """Return the sum of parts, whose intervals need not be symmetric.

    The ends are as far away as the root of the squares (Zou and Donner, "Construction of confidence
    limits about effect measures", 2008), within what the parts may come to. The distances are those
    without the ends of the parts' scales: a part at such an end is not more exact than others.
    """
    points = sum(part.points for part in parts.values())
    below = sqrt(sum(part.below**2 for part in parts.values()))
    above = sqrt(sum(part.above**2 for part in parts.values()))
    least = sum(part.points for part in parts.values() if part.share is None)
    most = least + sum(part.of for part in parts.values() if part.share)
    return Total(points, max(least, points - below), min(most, points + above))
