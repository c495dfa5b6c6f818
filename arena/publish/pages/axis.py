"""One scale for all interval bars of a table, and for the charts."""

from collections.abc import Sequence
from math import ceil, floor, log10

from msgspec import Struct

_TICKS = 5
"""About so many marks on a scale."""
_LABELS = 5
"""Marks that are named at most."""
_MARGIN = 0.09
"""The part of a scale left free at each end, so that end labels fit."""
_LEFT_OUT = 10
"""One in so many bars need not fit."""


class Axis(Struct, frozen=True):
    """A scale with round marks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int
    """Decimals that the marks need."""

    @property
    def labels(self) -> tuple[float, ...]:
        """The marks that are named: all, or every second one if they would touch."""
        if len(self.ticks) <= _LABELS:
            return self.ticks
        step = 2 * (self.ticks[1] - self.ticks[0])
        return tuple(tick for tick in self.ticks if abs(tick / step - round(tick / step)) < 0.25)

    def at(self, value: float) -> str:
        """Return where a value stands, in per cent of the width, for an SVG attribute."""
        return f"{100 * self._part(value):.1f}%"

    def width(self, low: float, high: float) -> str:
        """Return the length of an interval as far as it is on the scale, in per cent."""
        return f"{100 * (self._part(high) - self._part(low)):.1f}%"

    def _part(self, value: float) -> float:
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def axis_of(intervals: Sequence[tuple[float, float]]) -> Axis:
    """Return the scale that holds all intervals but the lowest tenth: one outlier squeezes none."""
    lows = sorted(low for low, _ in intervals)
    kept = lows[len(lows) // _LEFT_OUT :]
    return scale_of([*kept[:1], *(high for low, high in intervals if low >= kept[0])])


def scale_of(values: Sequence[float]) -> Axis:
    """Return the scale that holds all values, of which there is one at least, with round marks."""
    low, high = min(values), max(values)
    rough = (high - low or 1.0) / _TICKS
    power = float(10.0 ** floor(log10(rough)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    margin = _MARGIN * (last - first) * step
    ticks = tuple(number * step for number in range(first, last + 1))
    digits = max(0, -floor(log10(step)))
    return Axis(first * step - margin, last * step + margin, ticks, digits)
