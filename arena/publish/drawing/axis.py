"""One axis for all that is drawn: the interval bars of a table, and charts."""

from collections.abc import Sequence
from math import ceil, floor, log10

from msgspec import Struct
from msgspec.structs import replace

_TICKS = 5
"""About so many marks on an axis."""
_LABELS = 5
"""Marks that are named at most."""
_MARGIN = 0.09
"""The part of the bars' axis left free at each end, so that end labels fit."""
_LEFT_OUT = 10
"""One in so many bars need not fit."""


class Axis(Struct, frozen=True):
    """An axis with round marks. It is drawn from `start` to `end`: in per cent, or in units."""

    low: float
    high: float
    ticks: tuple[float, ...] = ()
    digits: int = 0
    """Decimals that the marks need."""
    start: float = 0.0
    end: float = 100.0

    @property
    def labels(self) -> tuple[float, ...]:
        """The marks that are named: all, or every second one if they would touch."""
        if len(self.ticks) <= _LABELS:
            return self.ticks
        step = 2 * (self.ticks[1] - self.ticks[0])
        return tuple(tick for tick in self.ticks if abs(tick / step - round(tick / step)) < 0.25)

    def along(self, start: float, end: float) -> "Axis":
        """Return the same axis, drawn from `start` to `end`."""
        return replace(self, start=start, end=end)

    def at(self, value: float) -> float:
        """Return where a value stands, or the nearer end if it is beyond, to a tenth of a unit."""
        return round(self._at(value), 1)

    def width(self, low: float, high: float) -> float:
        """Return the length of an interval as far as it is on the axis, to a tenth of a unit."""
        return round(abs(self._at(high) - self._at(low)), 1)

    def _at(self, value: float) -> float:
        part = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return self.start + part * (self.end - self.start)


def axis_of(intervals: Sequence[tuple[float, float]]) -> Axis:
    """Return the axis that holds all intervals but the lowest tenth: one outlier squeezes none."""
    lows = sorted(low for low, _ in intervals)
    fitting = lows[len(lows) // _LEFT_OUT :]
    axis = round_axis([*fitting[:1], *(high for low, high in intervals if low >= fitting[0])])
    margin = _MARGIN * (axis.high - axis.low)
    return replace(axis, low=axis.low - margin, high=axis.high + margin)


def round_axis(values: Sequence[float]) -> Axis:
    """Return the axis that holds all values, of which there is one at least; marks are its ends."""
    low, high = min(values), max(values)
    rough = (high - low or 1.0) / _TICKS
    power = float(10.0 ** floor(log10(rough)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, max(0, -floor(log10(step))))
