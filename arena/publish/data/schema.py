"""The kinds of data tables, described by their row structs: as JSON Schema and in Markdown."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = "schema"
"""The folder of the schemas, relative to the data files that name them."""

Whole = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Players = Annotated[int, Meta(ge=2, description="How many sit at a table.")]
Share = Annotated[float, Meta(ge=0, le=1)]


def doc(description: str) -> Meta:
    """Return what a column holds, as its annotation says it."""
    return Meta(description=description)


Bot = Annotated[str, doc("The bot's name.")]
Variant = Annotated[str, doc("The league's label of the rules in force.")]
Index = Annotated[Whole, doc("The fixture's place in the schedule, from 0.")]
Seats = Annotated[tuple[str, ...], doc("The bots, seat 0 first.")]
UpperEnd = Annotated[float, doc("The upper end.")]
WilsonLow = Annotated[Share, doc("The lower end of its 95 % interval (Wilson's).")]
WilsonHigh = Annotated[Share, doc("The upper end.")]


class TableRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a data table; its fields are the columns, in order."""


RowType = TypeVar("RowType", bound=TableRow)


class TableHead(Struct, frozen=True, forbid_unknown_fields=True):
    """What the JSON file of a table says of the whole table."""


class LeagueHead(TableHead, frozen=True):
    """The head of most tables."""

    league: Annotated[str, doc("The league's name.")]


class TableType:
    """A kind of table; `name` is the first part of its files' names."""

    def __init__(self, name: str, row: type[TableRow], head: type[TableHead]) -> None:
        self.name, self.row, self.head = name, row, head
        self.title = (row.__doc__ or "").removesuffix(".")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names, in the order of the CSV file."""
        return self.row.__struct_fields__

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The columns of numbers and flags, which no spreadsheet takes for anything else."""
        return frozenset(name for name, column in self._row_schema().items() if _is_number(column))

    @property
    def schema_file(self) -> str:
        """The schema's path, relative to the data files."""
        return f"{FOLDER}/{self.name}.json"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a table's JSON file."""
        (row, _), definitions = msgspec.json.schema_components(
            (self.row, self.head), ref_template="#/$defs/{name}"
        )
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

    def markdown(self) -> str:
        """Return the table and its columns as Markdown, for the documentation."""
        return "\n".join([*self._markdown(), ""])

    def _row_schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = self.schema["$defs"][self.row.__name__]["properties"]
        return properties

    def _markdown(self) -> Iterator[str]:
        yield from (f"### `{self.name}`: {self.title}", "")
        yield from ("| column | type | what it holds |", "|---|---|---|")
        for name, column in self._row_schema().items():
            yield f"| `{name}` | {_type_name(column)} | {column['description']} |"
        head = {name: self.schema["properties"][name] for name in self.head.__struct_fields__}
        if head:
            fields = "; ".join(f"`{name}`: {of['description']}" for name, of in head.items())
            yield from ("", f"The JSON file says as well: {fields}")


TABLE_TYPES: dict[type[TableRow], TableType] = {}
"""All kinds of tables, by their rows."""


def table(
    name: str, head: type[TableHead] = LeagueHead
) -> Callable[[type[RowType]], type[RowType]]:
    """Declare a kind of table by its row, whose docstring is the title."""

    def register(row: type[RowType]) -> type[RowType]:
        TABLE_TYPES[row] = TableType(name, row, head)
        return row

    return register


_TYPE_NAMES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def _is_number(schema: dict[str, Any]) -> bool:
    return schema.get("anyOf", [schema])[0].get("type") in _TYPE_NAMES


def _type_name(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return f"{_type_name(schema['anyOf'][0])} or null"
    if schema.get("type") == "array":
        return f"list of {_type_name(schema['items'])}s"
    return _TYPE_NAMES.get(schema.get("type", ""), "text")


def markdown() -> str:
    """Return all tables and their columns as Markdown."""
    return "\n".join(one.markdown() for one in TABLE_TYPES.values())
