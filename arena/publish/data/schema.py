"""What the data files hold: the columns of every table, described once, as JSON Schema."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = "schema"
"""Where the schemas stand, beside the data files that name them."""

Type = Literal["text", "texts", "whole", "wholes", "number", "numbers", "flag", "object"]
_TYPES: dict[Type, dict[str, Any]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "whole": {"type": "integer"},
    "wholes": {"type": "array", "items": {"type": "integer"}},
    "number": {"type": "number"},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
}
NUMBERS = frozenset({"whole", "number", "flag"})
"""Types whose values no spreadsheet takes for anything else."""


class Column(Struct, frozen=True):
    """A column of a table, or a field of the object that holds it."""

    name: str
    type: Type
    words: str
    null: bool = False
    """Whether it may be null; an empty cell in CSV."""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    fields: tuple["Column", ...] = ()
    """What an object holds."""


class Sheet(Struct, frozen=True):
    """A kind of table."""

    kind: str
    """The first part of the file's name."""
    title: str
    columns: tuple[Column, ...]
    head: tuple[Column, ...] = ()
    """What the JSON file says of the whole table."""

    @property
    def names(self) -> list[str]:
        """The columns' names, in the order of the CSV file."""
        return [column.name for column in self.columns]

    @property
    def schema_file(self) -> str:
        """The schema's path, relative to the data files."""
        return f"{FOLDER}/{self.kind}.json"


def schema(sheet: Sheet) -> dict[str, Any]:
    """Return the JSON Schema of a table's JSON file."""
    named = Column("$schema", "text", "This schema.", choices=(sheet.schema_file,))
    row = _object(sheet.columns)
    rows = {"description": "The table, line by line.", "type": "array", "items": row}
    body = _object((named, *sheet.head))
    body["properties"]["rows"] = rows
    body["required"].append("rows")
    return {"$schema": DIALECT, "title": sheet.title, **body}


def schema_text(sheet: Sheet) -> str:
    """Return the schema as it is published; all in ASCII, as are the data files."""
    return json.dumps(schema(sheet), indent=1) + "\n"


def _object(columns: Iterable[Column]) -> dict[str, Any]:
    properties = {column.name: _value(column) for column in columns}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _value(column: Column) -> dict[str, Any]:
    found = {"description": column.words, **_TYPES[column.type]}
    if column.fields:
        found |= _object(column.fields)
    if column.choices:
        found["enum"] = [*column.choices, None] if column.null else list(column.choices)
    if column.null:
        found["type"] = [found["type"], "null"]
    if column.least is not None:
        found["minimum"] = column.least
    if column.most is not None:
        found["maximum"] = column.most
    return found


def text(name: str, words: str, *choices: str, null: bool = False) -> Column:
    """Return a column of texts."""
    return Column(name, "text", words, null=null, choices=choices)


def whole(name: str, words: str, least: int = 0, *, null: bool = False) -> Column:
    """Return a column of whole numbers."""
    return Column(name, "whole", words, null=null, least=least)


def number(name: str, words: str) -> Column:
    """Return a column of numbers of any size."""
    return Column(name, "number", words)


def share(name: str, words: str) -> Column:
    """Return a column of numbers from 0 to 1."""
    return Column(name, "number", words, least=0, most=1)


_KINDS = {
    "texts": "list of texts",
    "whole": "whole number",
    "wholes": "list of whole numbers",
    "numbers": "list of numbers",
    "flag": "true or false",
}


def described(sheets: Sequence[Sheet]) -> str:
    """Return all tables and their columns as Markdown, for the documentation."""
    return "\n".join(_described(sheet) for sheet in sheets)


def _described(sheet: Sheet) -> str:
    lines = [f"### `{sheet.kind}`: {sheet.title}", ""]
    lines += ["| column | type | what it holds |", "|---|---|---|"]
    lines += [_line(column) for column in sheet.columns]
    if sheet.head:
        fields = "; ".join(f"`{column.name}`: {column.words}" for column in sheet.head)
        lines += ["", f"The JSON file says as well: {fields}"]
    return "\n".join([*lines, ""])


def _line(column: Column) -> str:
    kind = _KINDS.get(column.type, column.type) + (" or null" if column.null else "")
    return f"| `{column.name}` | {kind} | {column.words} |"
