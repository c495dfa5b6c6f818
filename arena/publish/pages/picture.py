"""Charts beside each other as one SVG file, which a page of the manual shows."""

from collections.abc import Mapping

from msgspec import Struct

from arena.publish.drawing.charts import Chart
from arena.publish.pages.templates import render

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
