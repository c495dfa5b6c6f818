"""How wins become points, with their 95 % intervals, and points grades."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from math import sqrt
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

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


_DIGITS = 6
"""Of points, behind the point, that count."""


class GradeKey(Struct, frozen=True, forbid_unknown_fields=True):
    """How points become grades."""

    key: dict[str, Annotated[float, Meta(ge=0, le=100_000)]] = {}
    """The least points for each grade; without one, rounded points are the grade."""
    round_to: Annotated[float, Meta(ge=0, le=1_000)] = 0.0
    """Points are rounded to a multiple of it, halves up; 0 for not at all."""
    better: bool = False
    """Whether a mark whose interval reaches the next better grade gets that one."""
    decimal_comma: bool = False
    """Whether points and grades that are numbers are written with a comma."""


class Grade(Struct, frozen=True):
    """What a mark is called."""

    name: str
    by_points: str
    """What the points alone lead to: another one where the interval reaches a better grade."""

    @property
    def is_raised(self) -> bool:
        """Whether the interval led to a better grade."""
        return self.name != self.by_points


def grade_of(key: GradeKey, points: float, high: float) -> Grade:
    """Return the grade of a mark; `high` is the upper end of its interval.

    With `better` that is the next better grade, and no more, if the interval reaches it.
    """
    if not key.key:
        only = written(key, f"{_rounded(points, key.round_to):f}")
        return Grade(only, only)
    names = sorted(key.key, key=lambda name: key.key[name])
    at, reached = _place(key, names, points), _place(key, names, high)
    raised = min(at + 1, reached) if key.better else at
    return Grade(written(key, names[max(at, raised)]), written(key, names[at]))


def written(key: GradeKey, name: str) -> str:
    """Return a number with a comma, if the key says so, and other texts as they are."""
    is_number = name.replace(".", "", 1).isdecimal()
    return name.replace(".", ",") if key.decimal_comma and is_number else name


def _place(key: GradeKey, names: Sequence[str], points: float) -> int:
    """Return the number of the best grade that so many points reach, the worst one being 0."""
    value = _rounded(points, key.round_to)
    reached = [at for at, name in enumerate(names) if _exact(key.key[name]) <= value]
    return reached[-1] if reached else 0


def _rounded(points: float, step: float) -> Decimal:
    value = _exact(points)
    if not step:
        return value
    unit = _exact(step)
    return (value / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit


def _exact(value: float) -> Decimal:
    """Return a number without what sums of floats add to it."""
    return Decimal(repr(round(value, _DIGITS)))
