"""How wins become points, with 95 % intervals, and how points become grades."""

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
_DIGITS = 6
"""Decimals of points that count."""


class Share(Struct, frozen=True):
    """A share of games won, and its 95 % interval."""

    share: float
    games: int
    low: float
    high: float

    def beats(self, least: float = FAIR) -> bool:
        """Return whether it is more than another share, beyond what chance explains."""
        return self.low > least

    @property
    def loses(self) -> bool:
        """Whether it is less than that of two equal bots, beyond what chance explains."""
        return self.high < FAIR


class Part(Struct, frozen=True):
    """What one part of a mark is worth, in points, with its 95 % interval."""

    points: float
    low: float
    high: float
    of: float
    """The most points of this part."""
    share: Share | None = None
    """The share of games that the points come from; None if they come from no games."""
    below: float = 0.0
    """The distance from the points to the low end, on a scale without ends."""
    above: float = 0.0
    """The distance to the high end; both are 0 if the whole interval is beyond the scale."""


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
    """Return the share of games won; `blocks` has the wins in each block of `games` games.

    The interval is Wilson's, for the number of independent games that would vary as much as the
    blocks do (Rao and Scott, "A simple method for the analysis of clustered binary data", 1992). A
    few blocks say little about the ratio of the two variances, and none if all games were won: so
    it is drawn towards 1.
    """
    count, total = len(blocks), len(blocks) * games
    share = sum(blocks) / total
    expected = games * share * (1.0 - share)
    own = max(count - 1.0, 0.0)
    ratio = 1.0
    if expected and own:
        mean = sum(blocks) / count
        varied = sum((won - mean) ** 2 for won in blocks) / own
        ratio = (own * varied / expected + _BORROWED) / (own + _BORROWED)
    quantile = _quantile(own + _BORROWED)
    low, high = score_interval(share, total / ratio, quantile)
    # Rounding must not leave the share outside.
    return Share(share, total, min(low, share), max(high, share))


def against(share: Share, best: float, points: float, none: float = FAIR) -> Part:
    """Return what a share against a baseline is worth.

    The share `none` is worth nothing, `best` all points; in between, points grow linearly.
    `expected_blocks` and the student's page assume that, too.
    """
    low, middle, high = (
        points * (value - none) / (best - none) for value in (share.low, share.share, share.high)
    )
    return _on_scale(low, middle, high, points, share)


def in_field(fixtures: Sequence[tuple[int, int]], points: float) -> Part:
    """Return what the tables of the field are worth, given as (won, games): their mean share.

    All tables have the same weight. Chance does not choose the opponents, so the variance is that
    within the tables.
    """
    count = len(fixtures)
    shares = [won / games for won, games in fixtures]
    share = sum(shares) / count
    # A table where all games were won has no variance of its own: half a win is added and taken.
    smooth = [(won + 0.5) / (games + 1) for won, games in fixtures]
    within = [
        smoothed * (1.0 - smoothed) / max(games - 1, 1)
        for smoothed, (_, games) in zip(smooth, fixtures, strict=True)
    ]
    half = Z95 * sqrt(sum(within)) / count
    low, high = max(0.0, share - half), min(1.0, share + half)
    estimate = Share(share, sum(games for _, games in fixtures), low, high)
    low, middle, high = (points * value for value in (share - half, share, share + half))
    return _on_scale(low, middle, high, points, estimate)


def _on_scale(low: float, points: float, high: float, of: float, share: Share) -> Part:
    """Return a part of 0 to `of` points, given its points and interval on a scale without ends."""

    def cut(value: float) -> float:
        return min(of, max(0.0, value))

    is_beyond = high <= 0 or low >= of
    return Part(
        cut(points),
        cut(low),
        cut(high),
        of,
        share,
        below=0.0 if is_beyond else points - low,
        above=0.0 if is_beyond else high - points,
    )


@cache
def _quantile(df: float) -> float:
    """Return the quantile of Student's t for a 95 % interval."""
    return float(t_quantile(UPPER, df))


def certain(points: float, of: float) -> Part:
    """Return a part whose points do not depend on chance."""
    return Part(points, points, points, of)


def total_of(parts: Mapping[str, Part]) -> Total:
    """Return the sum of parts, whose intervals need not be symmetric.

    The distance to each end is the root of the sum of the parts' squared distances (Zou and Donner,
    "Construction of confidence limits about effect measures", 2008), within the points that the
    parts can reach. The parts' distances are those on scales without ends: a part at an end of its
    scale is not more exact than others.
    """
    points = sum(part.points for part in parts.values())
    below = sqrt(sum(part.below**2 for part in parts.values()))
    above = sqrt(sum(part.above**2 for part in parts.values()))
    least = sum(part.points for part in parts.values() if part.share is None)
    most = least + sum(part.of for part in parts.values() if part.share)
    return Total(points, max(least, points - below), min(most, points + above))


class GradeKey(Struct, frozen=True, forbid_unknown_fields=True):
    """How points become grades."""

    key: dict[str, Annotated[float, Meta(ge=0, le=100_000)]] = {}
    """The least points of each grade; empty if the rounded points are the grade."""
    round_to: Annotated[float, Meta(ge=0, le=1_000)] = 0.0
    """Points are rounded to a multiple of this, halves up; 0 for no rounding."""
    better: bool = False
    """Whether a mark gets the next better grade if its interval reaches it."""
    decimal_comma: bool = False
    """Whether numbers are written with a decimal comma."""


class Grade(Struct, frozen=True):
    """The grade of a mark."""

    name: str
    by_points: str
    """The grade that the points alone lead to, which may be the next worse one."""

    @property
    def is_raised(self) -> bool:
        """Whether the interval led to a better grade."""
        return self.name != self.by_points


def grade_of(key: GradeKey, points: float, high: float) -> Grade:
    """Return the grade of a mark; `high` is the upper end of its interval.

    With `better`, it is the next better grade if the interval reaches that; never one beyond it.
    """
    if not key.key:
        only = written(key, f"{_rounded(points, key.round_to):f}")
        return Grade(only, only)
    names = sorted(key.key, key=lambda name: key.key[name])
    at, reached = _place(key, names, points), _place(key, names, high)
    raised = min(at + 1, reached) if key.better else at
    return Grade(written(key, names[max(at, raised)]), written(key, names[at]))


def written(key: GradeKey, name: str) -> str:
    """Return a number with a decimal comma if the key says so, and any other text unchanged."""
    is_number = name.replace(".", "", 1).isdecimal()
    return name.replace(".", ",") if key.decimal_comma and is_number else name


def _place(key: GradeKey, names: Sequence[str], points: float) -> int:
    """Return the place of the best grade that so many points reach, counted from the worst, 0."""
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
    """Return a number without the rounding errors of sums of floats."""
    return Decimal(repr(round(value, _DIGITS)))
