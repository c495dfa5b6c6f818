"""Charts as page models: one function per kind, each with its numbers, drawn by reports/chart.html.

A chart's units are those of its view box. It is about as wide as a telephone, to be read there.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

from msgspec import Struct

from arena.playstats.league_summary import LeagueSummary
from arena.publish.data import chart_data
from arena.publish.data.play_rows import CalibrationRow, GameLengthRow, HistoryRow, SeatAdvantageRow
from arena.publish.output.text import fixed, grouped, percent, signed
from arena.publish.pages.axis import Axis, scale_of
from arena.ratings.intervals import Z95

WIDTH, HEIGHT, SQUARE = 360, 200, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 18, 10, 40
"""Margins: room for the labels of both axes."""
_TICKS = 6
"""Labels on an axis of whole numbers, at most."""


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


class Line(Struct, frozen=True):
    """A straight line for comparison."""

    x1: float
    y1: float
    x2: float
    y2: float


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
    reference: Line | None = None
    band: str = ""
    """The corners of an area, as SVG has them."""
    path: str = ""
    """The corners of a line."""
    dots: tuple[Dot, ...] = ()
    bars: tuple[Bar, ...] = ()
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The numbers in words, the first column naming the row."""

    @property
    def floor(self) -> int:
        """The height of the x axis."""
        return self.height - BOTTOM


class Scale(Struct, frozen=True):
    """A scale along one side of a chart, in units of its view box."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return a value's coordinate, to a tenth of a unit."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)


def _across(low: float, high: float) -> Scale:
    return Scale(low, high, LEFT, WIDTH - RIGHT)


def _upwards(low: float, high: float, height: int = HEIGHT) -> Scale:
    return Scale(low, high, height - BOTTOM, TOP)


def _share_ticks(axis: Axis, y: Scale) -> tuple[Tick, ...]:
    digits = max(0, axis.digits - 2)
    return tuple(Tick(y.at(value), percent(value, digits)) for value in axis.ticks)


def _interval(row: CalibrationRow | SeatAdvantageRow) -> str:
    return f"{percent(row.low)} to {percent(row.high)}"


def _dot(x: float, row: CalibrationRow | SeatAdvantageRow, y: Scale, words: str) -> Dot:
    return Dot(x, y.at(row.share), words, y.at(row.low), y.at(row.high))


def _corners(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def model(summary: LeagueSummary) -> dict[str, Any]:
    """Return what the page of charts shows: all bots together, by table size."""
    bins = chart_data.calibration(summary.calibration())
    won = [chart_data.seats(size, wins) for size, wins in summary.seat_wins().items()]
    lengths = [chart_data.lengths(size, rounds) for size, rounds in summary.rounds().items()]
    return {
        "calibration": calibration(bins) if bins else None,
        "lengths": {rows[0].players: game_length(rows) for rows in lengths if rows},
        "seats": {rows[0].players: seat_advantage(rows) for rows in won if rows},
    }


def rating_history(rows: Sequence[HistoryRow], reference: str) -> Chart:
    """Draw mu ± 1.96 sigma over a bot's games, one row or more; `reference` is what has mu 0."""
    ends = [row.mu + side * Z95 * row.sigma for row in rows for side in (-1, 1)]
    axis = scale_of([0.0, *ends])
    x, y = _across(0, rows[-1].games), _upwards(axis.ticks[0], axis.ticks[-1])
    upper = [(x.at(row.games), y.at(row.mu + Z95 * row.sigma)) for row in rows]
    lower = [(x.at(row.games), y.at(row.mu - Z95 * row.sigma)) for row in rows]
    last = rows[-1]
    games = scale_of([0, last.games])
    return Chart(
        words=(
            f"From {signed(rows[0].mu)} after {grouped(rows[0].games)} games"
            f" to {signed(last.mu)} after {grouped(last.games)}, relative to {reference}."
        ),
        across="games of this bot",
        up="μ",
        x=tuple(
            Tick(x.at(value), grouped(int(value))) for value in games.ticks if value <= last.games
        ),
        y=tuple(Tick(y.at(value), signed(value, axis.digits)) for value in axis.ticks),
        reference=Line(LEFT, y.at(0), WIDTH - RIGHT, y.at(0)),
        band=_corners([*upper, *reversed(lower)]),
        path=_corners([(x.at(row.games), y.at(row.mu)) for row in rows]),
        dots=(Dot(x.at(last.games), y.at(last.mu), f"now {signed(last.mu)}"),),
        columns=("Games", "μ", "\u03c3", "Games at the table"),
        rows=tuple(
            (grouped(row.games), signed(row.mu), fixed(row.sigma), grouped(row.table_games))
            for row in rows
        ),
    )


def calibration(rows: Sequence[CalibrationRow]) -> Chart:
    """Draw how often bids were true by how likely they were; on the dashed line both are equal."""
    x, y = _across(0, 1), _upwards(0, 1, SQUARE)
    marks = [0, 0.25, 0.5, 0.75, 1]
    return Chart(
        words="Bids by how likely their bidders' own dice made them, and how often they were true.",
        across="odds by the bidder's own dice",
        up="share true",
        height=SQUARE,
        x=tuple(Tick(x.at(mark), percent(mark, 0)) for mark in marks),
        y=tuple(Tick(y.at(mark), percent(mark, 0)) for mark in marks),
        reference=Line(x.at(0), y.at(0), x.at(1), y.at(1)),
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
        columns=("Likely", "Bids", "Mean", "True", "Share true", "95 % interval"),
        rows=tuple(
            (
                f"{percent(row.at_least, 0)} to {percent(row.below, 0)}",
                grouped(row.bids),
                percent(row.said),
                grouped(row.held),
                percent(row.share),
                _interval(row),
            )
            for row in rows
        ),
    )


def game_length(rows: Sequence[GameLengthRow]) -> Chart:
    """Draw the share of games by how many rounds they took; there is at least one row."""
    counts = range(rows[0].rounds, rows[-1].rounds + 1)
    axis = scale_of([0, *(row.share for row in rows)])
    x, y = _across(counts[0] - 0.5, counts[-1] + 0.5), _upwards(axis.ticks[0], axis.ticks[-1])
    games = sum(row.games for row in rows)
    mean = sum(row.rounds * row.games for row in rows) / games
    width = round((x.end - x.start) / len(counts) * 0.8, 1)
    return Chart(
        words=f"{grouped(games)} games took {fixed(mean, 1)} rounds on average.",
        across="rounds",
        up="share of games",
        x=tuple(Tick(x.at(count), str(count)) for count in counts[:: ceil(len(counts) / _TICKS)]),
        y=_share_ticks(axis, y),
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
        columns=("Rounds", "Games", "Share"),
        rows=tuple((str(row.rounds), grouped(row.games), percent(row.share)) for row in rows),
    )


def seat_advantage(rows: Sequence[SeatAdvantageRow]) -> Chart:
    """Draw the share of games that each seat won, against chance; there is at least one row."""
    chance = rows[0].chance
    axis = scale_of([chance, *(end for row in rows for end in (row.low, row.high))])
    x, y = _across(-0.5, len(rows) - 0.5), _upwards(axis.ticks[0], axis.ticks[-1])
    return Chart(
        words=f"The share of games that each seat won; chance is {percent(chance)}.",
        across="seat",
        up="share won",
        x=tuple(Tick(x.at(row.seat), str(row.seat + 1)) for row in rows),
        y=_share_ticks(axis, y),
        reference=Line(LEFT, y.at(chance), WIDTH - RIGHT, y.at(chance)),
        dots=tuple(
            _dot(x.at(row.seat), row, y, f"seat {row.seat + 1}: {percent(row.share)}")
            for row in rows
        ),
        columns=("Seat", "Games", "Won", "Share", "95 % interval"),
        rows=tuple(
            (
                str(row.seat + 1),
                grouped(row.games),
                grouped(row.wins),
                percent(row.share),
                _interval(row),
            )
            for row in rows
        ),
    )
