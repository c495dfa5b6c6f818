"""Data tables, declared by structs of their rows: JSON Schema, CSV and JSON, unrounded."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arena.io.structs import components
from arena.io.text import csv_of
from arena.publish.series import batched
from arena.publish.text import csv_text
from arena.ratings.columns import doc

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = "schema"
"""The folder of the schemas, relative to the data files that name them."""
_BATCH = 1000
"""Rows that are written at a time."""
_encoder = msgspec.json.Encoder()
"""Many times as fast as json, which is needed for text beyond ASCII."""


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a data table; its fields are the columns, in order."""


RowType = TypeVar("RowType", bound=Struct)


class TableHead(Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a table: fields of its JSON file that are about the whole table."""


class LeagueHead(TableHead, frozen=True):
    """The head of most tables."""

    league: Annotated[str, doc("The league's name.")]


class TableType:
    """A kind of table; `name` is the first part of its files' names."""

    def __init__(
        self, name: str, row: type[Struct], head: type[TableHead], title: str = ""
    ) -> None:
        self.name = name
        self.row = row
        self.head = head
        self.title = title or (row.__doc__ or "").removesuffix(".")

    @property
    def columns(self) -> dict[str, Any]:
        """The schema of each column by its name, in the order of the CSV file."""
        columns: dict[str, Any] = self.schema["$defs"][self.row.__name__]["properties"]
        return columns

    @property
    def schema_file(self) -> str:
        """The schema's path, relative to the data files."""
        return f"{FOLDER}/{self.name}.json"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a table's JSON file."""
        (row, _), definitions = components((self.row, self.head))
        properties = {
            "$schema": {"description": "This schema.", "const": self.schema_file},
            **definitions.pop(self.head.__name__)["properties"],
            "rows": {"description": "The table, row by row.", "type": "array", "items": row},
        }
        return {
            "$schema": DIALECT,
            "title": self.title,
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
            "$defs": definitions,
        }

    def schema_text(self) -> str:
        """Return the schema as it is published; all in ASCII, as are the data files."""
        return json.dumps(self.schema, indent=1) + "\n"


TABLE_TYPES: dict[type[Struct], TableType] = {}
"""All kinds of tables, by their rows."""


def table(
    name: str, head: type[TableHead] = LeagueHead, title: str = ""
) -> Callable[[type[RowType]], type[RowType]]:
    """Declare a kind of table by its row, whose docstring is the title unless one is given."""

    def register(row: type[RowType]) -> type[RowType]:
        TABLE_TYPES[row] = TableType(name, row, head, title)
        return row

    return register


class DataTable(NamedTuple):
    """A data table; the type of its rows says what it is."""

    row: type[Struct]
    head: TableHead
    rows: Iterable[Struct]

    @property
    def type(self) -> TableType:
        """The kind of table."""
        return TABLE_TYPES[self.row]


def to_csv(table: DataTable) -> str:
    """Return a CSV table; texts are guarded against spreadsheets, numbers are as they are."""
    return "".join(csv_parts(table))


def csv_parts(table: DataTable) -> Iterator[str]:
    """Yield the same piece by piece."""
    types = table.type.columns
    yield csv_of([types])
    for batch in batched(table.rows, _BATCH):
        columns = [
            numbers(cells) if is_number(column) else map(csv_cell, cells)
            for name, column in types.items()
            for cells in [[getattr(row, name) for row in batch]]
        ]
        yield csv_of(zip(*columns, strict=True))


def numbers(cells: Sequence[object]) -> Sequence[object]:
    """Return numbers, at least one, as Python writes them, or as they are.

    The encoder of JSON is many times as fast, but has other words for what is tiny, huge or none.
    """
    written = _encoder.encode(cells).decode()
    if any(part in written for part in ("e", "n", "0.0000")):
        return cells
    return written[1:-1].split(",")


def csv_cell(value: object) -> object:
    """Return a cell as a spreadsheet may have it: no text is a formula, numbers are as they are."""
    if isinstance(value, str):
        return csv_text(value)
    return csv_text("; ".join(map(str, value))) if isinstance(value, (tuple, list)) else value


def to_json(table: DataTable) -> str:
    """Return a JSON object: the head, and the rows under `rows`. All in ASCII, so it is inert."""
    return "".join(json_parts(table))


def json_parts(table: DataTable) -> Iterator[str]:
    """Yield the same piece by piece."""
    head = {"$schema": table.type.schema_file, **msgspec.to_builtins(table.head), "rows": []}
    yield json.dumps(head, indent=1).removesuffix("]\n}")
    between = ""
    for batch in batched(table.rows, _BATCH):
        yield between + ",".join(f"\n{row}" for row in json_rows(batch))
        between = ","
    yield "\n]}\n"


def json_rows(rows: Sequence[Struct]) -> list[str]:
    """Return each row as a JSON object, all in ASCII."""
    with suppress(UnicodeEncodeError):  # half a character
        lines = _encoder.encode_lines(rows)
        if lines.isascii():
            return lines.decode().splitlines()
    return [_json_row(row) for row in rows]


def _json_row(row: Struct) -> str:
    with suppress(UnicodeEncodeError):
        encoded = _encoder.encode(row)
        if encoded.isascii():
            return encoded.decode()
    return json.dumps(asdict(row), separators=(",", ":"))


def is_number(column: dict[str, Any]) -> bool:
    """Tell whether a column has numbers or flags, which no spreadsheet takes for formulas."""
    return column.get("anyOf", [column])[0].get("type") in {"integer", "number", "boolean"}
