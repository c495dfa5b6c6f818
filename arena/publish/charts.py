"""Charts as page models: one function per kind, each with its numbers, drawn by reports/chart.html.

A chart's units are those of its view box. It is about as wide as a telephone, to be read there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.playstats.league_summary import LeagueSummary
from arena.publish.data import play
from arena.publish.data.play import CalibrationRow, GameLengthRow, HistoryRow, SeatAdvantageRow
from arena.publish.templates import render
from arena.publish.text import fixed, grouped, percent, signed
from arena.ratings.maths.intervals import Z95

_MARKS = 5
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
    rough = (high - low or 1.0) / _MARKS
    power = float(10.0 ** floor(log10(rough)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, max(0, -floor(log10(step))))


WIDTH = 360
HEIGHT = 200
SQUARE = 300
"""The height of a chart whose axes have the same scale."""
LEFT = 46
RIGHT = 18
TOP = 10
BOTTOM = 40
"""Margins: room for the labels of both axes."""
_TICKS = 6
"""Labels on an axis of whole numbers, at most."""
Shown = TypeVar("Shown")


class Tick(Struct, frozen=True):
    """A mark on an axis."""

    at: float
    label: str


class Dot(Struct, frozen=True):
    """A value, with its interval from `low` to `high` if it has one."""

    x: float
    y: float
    words: str
    low: float | None = None
    high: float | None = None


class Bar(Struct, frozen=True):
    """A bar, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    words: str


class ReferenceLine(Struct, frozen=True):
    """A straight line for comparison."""

    x1: float
    y1: float
    x2: float
    y2: float


class Numbers(Struct, frozen=True):
    """The table of a chart's numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """In words, the first cell naming the row."""


class Chart(Struct, frozen=True, kw_only=True):
    """One chart, ready to be drawn, and the table of its numbers."""

    words: str
    """A description for those who do not see it."""
    across: str
    """The names of the axes."""
    up: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    """The ends of the x axis."""
    right: int = WIDTH - RIGHT
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    reference: ReferenceLine | None = None
    band: str = ""
    """The corners of an area, as SVG has them."""
    path: str = ""
    """The corners of a line."""
    dots: tuple[Dot, ...] = ()
    bars: tuple[Bar, ...] = ()
    numbers: Numbers

    @property
    def floor(self) -> int:
        """The height of the x axis."""
        return self.height - BOTTOM


def across(axis: Axis) -> Axis:
    """Return an axis drawn from left to right."""
    return axis.along(LEFT, WIDTH - RIGHT)


def upwards(axis: Axis, height: int = HEIGHT) -> Axis:
    """Return an axis drawn from the bottom to the top of a chart."""
    return axis.along(height - BOTTOM, TOP)


def ticks(axis: Axis, label: Callable[[float], str]) -> tuple[Tick, ...]:
    """Return the marks of an axis with their labels."""
    return tuple(Tick(axis.at(value), label(value)) for value in axis.ticks)


def _share_ticks(axis: Axis) -> tuple[Tick, ...]:
    digits = max(0, axis.digits - 2)
    return ticks(axis, lambda share: percent(share, digits))


def level(y: Axis, value: float) -> ReferenceLine:
    """Return the line of a value across a chart."""
    return ReferenceLine(LEFT, y.at(value), WIDTH - RIGHT, y.at(value))


def numbers(rows: Iterable[Shown], columns: Mapping[str, Callable[[Shown], str]]) -> Numbers:
    """Return the table below a chart, given what each column says of a row."""
    return Numbers(
        tuple(columns), tuple(tuple(say(row) for say in columns.values()) for row in rows)
    )


def _interval(row: CalibrationRow | SeatAdvantageRow) -> str:
    return f"{percent(row.low)} to {percent(row.high)}"


def _dot(x: float, row: CalibrationRow | SeatAdvantageRow, y: Axis, words: str) -> Dot:
    return Dot(x, y.at(row.share), words, y.at(row.low), y.at(row.high))


def _corners(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


class ChartsPage(Struct, frozen=True):
    """The page of charts: all bots together."""

    calibration: Chart | None
    lengths: dict[int, Chart]
    """The lengths of games, by table size."""
    seats: dict[int, Chart]


def charts_page(summary: LeagueSummary) -> ChartsPage:
    """Return what the page of charts shows."""
    bins = play.calibration(summary.calibration())
    won = [play.seats(size, wins) for size, wins in summary.seat_wins().items()]
    lengths = [play.lengths(size, rounds) for size, rounds in summary.rounds().items()]
    return ChartsPage(
        calibration=calibration(bins) if bins else None,
        lengths={rows[0].players: game_length(rows) for rows in lengths if rows},
        seats={rows[0].players: seat_advantage(rows) for rows in won if rows},
    )


def rating_history(rows: Sequence[HistoryRow], reference: str) -> Chart:
    """Draw mu ± 1.96 sigma over a bot's games, one row or more; `reference` is what has mu 0."""
    ends = [row.mu + side * Z95 * row.sigma for row in rows for side in (-1, 1)]
    y = upwards(round_axis([0.0, *ends]))
    games = [tick for tick in round_axis([0, rows[-1].games]).ticks if tick <= rows[-1].games]
    x = across(Axis(0, rows[-1].games, tuple(games)))
    upper = [(x.at(row.games), y.at(row.mu + Z95 * row.sigma)) for row in rows]
    lower = [(x.at(row.games), y.at(row.mu - Z95 * row.sigma)) for row in rows]
    last = rows[-1]
    return Chart(
        words=(
            f"From {signed(rows[0].mu)} after {grouped(rows[0].games)} games"
            f" to {signed(last.mu)} after {grouped(last.games)}, relative to {reference}."
        ),
        across="games of this bot",
        up="μ",
        x=ticks(x, lambda games: grouped(int(games))),
        y=ticks(y, lambda mu: signed(mu, y.digits)),
        reference=level(y, 0),
        band=_corners([*upper, *reversed(lower)]),
        path=_corners([(x.at(row.games), y.at(row.mu)) for row in rows]),
        dots=(Dot(x.at(last.games), y.at(last.mu), f"now {signed(last.mu)}"),),
        numbers=numbers(
            rows,
            {
                "Games": lambda row: grouped(row.games),
                "μ": lambda row: signed(row.mu),
                "\u03c3": lambda row: fixed(row.sigma),
                "Games at the table": lambda row: grouped(row.table_games),
            },
        ),
    )


def calibration(rows: Sequence[CalibrationRow]) -> Chart:
    """Draw how often bids were true by how likely they were; on the dashed line both are equal."""
    axis = Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), 2)
    x, y = across(axis), upwards(axis, SQUARE)
    return Chart(
        words="Bids by how likely their bidders' own dice made them, and how often they were true.",
        across="odds by the bidder's own dice",
        up="share true",
        height=SQUARE,
        x=_share_ticks(x),
        y=_share_ticks(y),
        reference=ReferenceLine(x.at(0), y.at(0), x.at(1), y.at(1)),
        path=_corners([(x.at(row.said), y.at(row.share)) for row in rows]),
        dots=tuple(
            _dot(
                x.at(row.said),
                row,
                y,
                f"{percent(row.said)} likely: {percent(row.share)} of {grouped(row.bids)} true",
            )
            for row in rows
        ),
        numbers=numbers(
            rows,
            {
                "Likely": lambda row: f"{percent(row.at_least, 0)} to {percent(row.below, 0)}",
                "Bids": lambda row: grouped(row.bids),
                "Mean": lambda row: percent(row.said),
                "True": lambda row: grouped(row.held),
                "Share true": lambda row: percent(row.share),
                "95 % interval": _interval,
            },
        ),
    )


def game_length(rows: Sequence[GameLengthRow]) -> Chart:
    """Draw the share of games by how many rounds they took; there is at least one row."""
    counts = range(rows[0].rounds, rows[-1].rounds + 1)
    named = tuple(counts[:: ceil(len(counts) / _TICKS)])
    x = across(Axis(counts[0] - 0.5, counts[-1] + 0.5, named))
    y = upwards(round_axis([0, *(row.share for row in rows)]))
    games = sum(row.games for row in rows)
    mean = sum(row.rounds * row.games for row in rows) / games
    width = round((x.end - x.start) / len(counts) * 0.8, 1)
    return Chart(
        words=f"{grouped(games)} games took {fixed(mean, 1)} rounds on average.",
        across="rounds",
        up="share of games",
        x=ticks(x, str),
        y=_share_ticks(y),
        bars=tuple(
            Bar(
                round(x.at(row.rounds) - width / 2, 1),
                y.at(row.share),
                width,
                round(y.start - y.at(row.share), 1),
                f"{row.rounds} rounds: {percent(row.share)}",
            )
            for row in rows
        ),
        numbers=numbers(
            rows,
            {
                "Rounds": lambda row: str(row.rounds),
                "Games": lambda row: grouped(row.games),
                "Share": lambda row: percent(row.share),
            },
        ),
    )


def seat_advantage(rows: Sequence[SeatAdvantageRow]) -> Chart:
    """Draw the share of games that each seat won, against chance; there is at least one row."""
    chance = rows[0].chance
    x = across(Axis(-0.5, len(rows) - 0.5, tuple(row.seat for row in rows)))
    y = upwards(round_axis([chance, *(end for row in rows for end in (row.low, row.high))]))
    return Chart(
        words=f"The share of games that each seat won; chance is {percent(chance)}.",
        across="seat",
        up="share won",
        x=ticks(x, lambda seat: f"{seat + 1:.0f}"),
        y=_share_ticks(y),
        reference=level(y, chance),
        dots=tuple(
            _dot(x.at(row.seat), row, y, f"seat {row.seat + 1}: {percent(row.share)}")
            for row in rows
        ),
        numbers=numbers(
            rows,
            {
                "Seat": lambda row: str(row.seat + 1),
                "Games": lambda row: grouped(row.games),
                "Won": lambda row: grouped(row.wins),
                "Share": lambda row: percent(row.share),
                "95 % interval": _interval,
            },
        ),
    )


_TITLE = 28
"""Room above a chart for its title."""


class Panel(Struct, frozen=True):
    """A chart of a picture, by its upper left corner."""

    title: str
    chart: Chart
    x: int
    y: int


class Picture(Struct, frozen=True):
    """What `reports/picture.svg` draws."""

    title: str
    width: int
    height: int
    panels: tuple[Panel, ...]


def picture(title: str, charts: Mapping[str, Chart], columns: int = 2) -> str:
    """Return a picture of charts of one size, row by row, as SVG; `title` is for screen readers."""
    first = next(iter(charts.values()))
    width, height = first.width, first.height + _TITLE
    panels = [
        Panel(name, chart, number % columns * width, number // columns * height)
        for number, (name, chart) in enumerate(charts.items())
    ]
    rows = -(-len(panels) // columns)
    return render("picture.svg", Picture(title, columns * width, rows * height, tuple(panels)))
