"""Columns of data tables: content, unit and presentation are declared once, with a field.

The annotation of a field carries `doc` and, if a page has the column, `shown`. CSV, JSON, the JSON
schema, the documentation and the page follow from it.
"""

from functools import cache
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, inspect


class PageColumn(NamedTuple):
    """A column as a page shows it."""

    name: str
    """The name of its field; it is also part of links that sort by the column."""
    title: str
    description: str
    cell: str
    """The macro of `reports/cells.html` that writes a cell."""
    more: bool
    """Whether it is one of "More columns", which a page hides at first."""
    low_first: bool
    """Whether a click on its head sorts the lowest first."""


def doc(description: str, unit: str = "") -> Meta:
    """Return what a column holds, and in which unit, as the annotation of its field."""
    extra = {"unit": unit} if unit else None
    return Meta(description=description, extra_json_schema=extra)


def shown(title: str, cell: str, *, more: bool = False, low_first: bool = False) -> Meta:
    """Return how pages show a column, as a second annotation of its field."""
    extra = {"cell": cell, "more": more, "low_first": low_first}
    return Meta(title=title, extra=extra)


@cache
def page_columns(row: type[Struct]) -> tuple[PageColumn, ...]:
    """Return the columns of a table that its page shows, in their order."""
    info = inspect.type_info(row)
    assert isinstance(info, inspect.StructType)  # noqa: S101 (for the type checker)
    columns = []
    for field in info.fields:
        if isinstance(field.type, inspect.Metadata) and field.type.extra:
            schema = field.type.extra_json_schema or {}
            column = PageColumn(
                name=field.name,
                title=schema["title"],
                description=schema["description"],
                **field.type.extra,
            )
            columns.append(column)
    return tuple(columns)


Whole = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]

Players = Annotated[int, Meta(ge=2, description="How many sit at a table.")]
Variant = Annotated[str, doc("The league's label of the rules in force.")]
Bot = Annotated[str, doc("The bot's name.")]
Seats = Annotated[tuple[str, ...], doc("The bots, seat 0 first.")]
FixtureId = Annotated[str, doc("The fixture's id.")]
Index = Annotated[Whole, doc("The fixture's index in the schedule, from 0.")]
GameNumber = Annotated[Whole, doc("The game's number in the fixture, from 0.")]
GamesPlayed = Annotated[Positive, doc("Games played.")]
Wins = Annotated[Whole, doc("Games won.")]
WinShare = Annotated[Share, doc("wins / games.")]

LowerEnd = Annotated[float, doc("The lower end of its 95 % interval.")]
UpperEnd = Annotated[float, doc("The upper end.")]
WilsonLow = Annotated[Share, doc("The lower end of its 95 % interval (Wilson's).")]
WilsonHigh = Annotated[Share, doc("The upper end.")]

Rank = Annotated[Positive, doc("The place on the table, 1 is best.")]
BestRank = Annotated[
    Positive,
    doc("The better end of its range of ranks: with 95 % confidence all are right at once."),
]
WorstRank = Annotated[Positive, doc("The worse end of that range.")]
MayBeFirst = Annotated[
    bool,
    doc("Whether the bot may be the best: with 95 % confidence all of the best bots are marked."),
]
