"""The key of grades: what a mark in points is called."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated

from msgspec import Meta, Struct

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
