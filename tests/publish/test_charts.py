"""Charts: marks stand where the axes say, nothing leaves the frame, the numbers are the data's."""

import re
from xml.etree import ElementTree

import pytest

from arena.playstats.style import Calibration, Rate, Style
from arena.publish import charts
from arena.publish.charts import BOTTOM, LEFT, RIGHT, TOP, WIDTH, Chart, Tick, picture
from arena.publish.data.play import (
    CalibrationRow,
    GameLengthRow,
    HistoryRow,
    SeatAdvantageRow,
    calibration,
)


def history(*points: tuple[int, float, float]) -> Chart:
    rows = [HistoryRow("a", 2 * games, games, mu, sigma) for games, mu, sigma in points]
    return charts.rating_history(rows, "the mean of the field")


HISTORY = history((5, -2.0, 4.0), (10, 1.0, 2.0), (20, 3.0, 1.0))
CALIBRATED = charts.calibration(
    [
        CalibrationRow(
            at_least=0.0, below=0.1, bids=10, said=0.05, held=0, share=0.0, low=0.0, high=0.28
        ),
        CalibrationRow(
            at_least=0.9, below=1.0, bids=30, said=1.0, held=30, share=1.0, low=0.88, high=1.0
        ),
    ]
)
LENGTH = charts.game_length(
    [GameLengthRow(2, n, 11 - n, (11 - n) / 35) for n in (1, 2, 3, 6, 9, 10)]
)
SEATED = charts.seat_advantage(
    [
        SeatAdvantageRow(3, seat, 90, 20 + 10 * seat, (2 + seat) / 9, 0.1, 0.6, 1 / 3)
        for seat in range(3)
    ]
)
ALL = {"history": HISTORY, "calibration": CALIBRATED, "length": LENGTH, "seats": SEATED}


def corners(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def value(ticks: tuple[Tick, ...], at: float) -> float:
    """What the labels of an axis say of a place."""
    first, last = ticks[0], ticks[-1]
    low, high = (number(tick.label) for tick in (first, last))
    return low + (at - first.at) / (last.at - first.at) * (high - low)


def number(label: str) -> float:
    plain = re.sub("[\u202f%,]", "", label.replace("\u2212", "-"))
    return float(plain) / (100 if "%" in label else 1)


@pytest.mark.parametrize("chart", ALL.values(), ids=ALL)
def test_everything_stays_within_the_frame(chart: Chart) -> None:
    places = [*corners(chart.band), *corners(chart.path), *((d.x, d.y) for d in chart.dots)]
    places += [(d.x, end) for d in chart.dots for end in (d.low, d.high) if end is not None]
    places += [(bar.x, bar.y) for bar in chart.bars]
    places += [(bar.x + bar.width, bar.y + bar.height) for bar in chart.bars]
    assert places
    for x, y in places:
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP <= y <= chart.height - BOTTOM
    assert all(LEFT <= tick.at <= WIDTH - RIGHT for tick in chart.x)
    assert [tick.at for tick in chart.x] == sorted({tick.at for tick in chart.x})
    assert [tick.at for tick in chart.y] == sorted({tick.at for tick in chart.y}, reverse=True)
    assert 2 <= len(chart.y) <= 9
    assert len(chart.x) <= 9


@pytest.mark.parametrize("chart", ALL.values(), ids=ALL)
def test_every_row_has_a_cell_in_every_column(chart: Chart) -> None:
    assert chart.numbers.rows
    assert all(len(row) == len(chart.numbers.columns) for row in chart.numbers.rows)


def test_a_history_goes_through_its_points_within_its_band() -> None:
    curve = [(value(HISTORY.x, x), value(HISTORY.y, y)) for x, y in corners(HISTORY.path)]
    for point, expected in zip(curve, [(5, -2), (10, 1), (20, 3)], strict=True):
        assert point == pytest.approx(expected, abs=0.1)
    band = [(value(HISTORY.x, x), value(HISTORY.y, y)) for x, y in corners(HISTORY.band)]
    assert band[0] == pytest.approx((5, -2 + 1.96 * 4), abs=0.1)
    assert band[-1] == pytest.approx((5, -2 - 1.96 * 4), abs=0.1)
    assert HISTORY.reference is not None
    assert value(HISTORY.y, HISTORY.reference.y1) == pytest.approx(0, abs=0.1)
    assert HISTORY.numbers.rows[-1] == ("20", "+3.00", "1.00", "40")


@pytest.mark.parametrize("points", [[(1, 0.0, 0.0)], [(1, 0.0, 8.3)], [(100_000, 30.0, 0.1)]])
def test_a_history_of_one_point_can_be_drawn(points: list[tuple[int, float, float]]) -> None:
    chart = history(*points)
    assert len(chart.dots) == 1
    assert chart.x[0].label == "0"


def test_calibration_has_its_dots_against_the_diagonal() -> None:
    low, high = CALIBRATED.dots
    shown = value(CALIBRATED.x, low.x), value(CALIBRATED.y, low.y)
    assert shown == pytest.approx((0.05, 0), abs=0.001)
    assert low.high is not None
    assert value(CALIBRATED.y, low.high) == pytest.approx(0.28, abs=0.001)
    assert CALIBRATED.reference is not None
    ends = CALIBRATED.reference
    assert (ends.x1, ends.y1, ends.x2, ends.y2) == (LEFT, 260, WIDTH - RIGHT, TOP)
    assert (high.x, high.y) == (ends.x2, ends.y2)


def test_bars_are_as_high_as_their_shares_and_stand_apart() -> None:
    for bar, games in zip(LENGTH.bars, [10, 9, 8, 5, 2, 1], strict=True):
        assert value(LENGTH.y, bar.y) == pytest.approx(games / 35, abs=0.001)
        assert bar.y + bar.height == pytest.approx(LENGTH.floor, abs=0.1)
    for one, other in zip(LENGTH.bars, LENGTH.bars[1:], strict=False):
        assert one.x + one.width < other.x
    assert "3.1 rounds on average" in LENGTH.words


def test_seats_stand_against_chance() -> None:
    assert SEATED.reference is not None
    assert value(SEATED.y, SEATED.reference.y1) == pytest.approx(1 / 3, abs=0.002)
    for dot, seat in zip(SEATED.dots, range(3), strict=True):
        assert value(SEATED.x, dot.x) == pytest.approx(seat + 1)
        assert value(SEATED.y, dot.y) == pytest.approx((2 + seat) / 9, abs=0.002)


def test_empty_bins_are_left_out() -> None:
    found = Calibration()
    found.bids[9], found.held[9], found.said[9] = 4, 3, 3_900_000
    (row,) = calibration(found)
    assert (row.at_least, row.below, row.bids, row.held) == (0.9, 1.0, 4, 3)
    assert (row.said, row.share) == pytest.approx((0.975, 0.75))
    assert row.low < 0.75 < row.high


def test_a_style_without_moves_has_no_rates() -> None:
    assert Style().mean_boldness() is None
    for rate in Style().rates().values():
        assert (rate.share, rate.interval) == (None, None)


def test_the_rates_of_a_style() -> None:
    style = Style(4, 4000, 4_500_000, 20, 5, 4, 3, 2, 1)
    rates = style.rates()
    assert rates == {
        "bluffs": Rate(5, 20),
        "dudos": Rate(4, 20),
        "dudos_right": Rate(3, 4),
        "calzas_right": Rate(1, 2),
    }
    assert rates["bluffs"].share == 0.25
    half = 1.96 * (0.125 / 4) ** 0.5
    bold = style.mean_boldness()
    assert bold is not None
    assert (bold.count, bold.mean) == (4, 1.0)
    assert (bold.low, bold.high) == pytest.approx((1 - half, 1 + half))


def test_a_picture_has_its_charts_beside_each_other() -> None:
    one, other = history((5, 0, 1)), history((0, 1, 1), (5, 2, 1))
    text = picture("Two & one", {"a": one, "b": other, "c": one})
    drawn = ElementTree.fromstring(text)  # noqa: S314 - ours
    title, *_ = drawn
    assert title.text == "Two & one"
    groups = [part for part in drawn if part.tag.endswith("}g")]
    places = [group.attrib["transform"] for group in groups]
    down = one.height + 28
    assert places == ["translate(0 0)", f"translate({WIDTH} 0)", f"translate(0 {down})"]
    assert drawn.attrib["viewBox"] == f"0 0 {2 * WIDTH} {2 * down}"
