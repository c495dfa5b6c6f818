"""The columns of the data files in `docs/reference/data.md`: `make columns` writes them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import arena.publish.site  # noqa: F401 -- it declares all tables
from arena.publish.data.schema import TABLE_TYPES, TableType
from tests.support.generated_section import GeneratedSection

SECTION = GeneratedSection("docs/reference/data.md", "columns", "columns")

RULE = "|---|---|---|"
TYPES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def markdown() -> str:
    """Return all tables by name, and their columns."""
    tables = sorted(TABLE_TYPES.values(), key=lambda table: table.name)
    counts = Counter(row for table in tables for row in (*_columns(table), *_head(table)))
    shared = _shared(counts)
    lines = ["### Columns of several files", "", *_heading("column"), *sorted(shared), ""]
    for table in tables:
        lines += _lines(table, shared)
    return "\n".join(lines)


def _lines(table: TableType, shared: set[str]) -> Iterator[str]:
    yield from (f"### `{table.name}`: {table.title}", "")
    rows, head = _columns(table), _head(table)
    yield from _part(rows, shared, "column", "Also")
    if [*head.values()] != ["`league`"]:
        yield from _part(head, shared, "beside the rows", "Beside the rows")


def _part(rows: dict[str, str], shared: set[str], title: str, words: str) -> Iterator[str]:
    """Yield a table of what other files do not have, and name the rest."""
    own = [row for row in rows if row not in shared]
    names = [name for row, name in rows.items() if row in shared]
    if own:
        yield from (*_heading(title), *own, "")
    if names:
        yield from (f"{words}: {', '.join(names)}.", "")


def _heading(title: str) -> tuple[str, str]:
    return f"| {title} | type | what it holds |", RULE


def _shared(counts: Counter[str]) -> set[str]:
    """Return the rows that several files have: of each name the one that most have."""
    rows = dict[str, str]()
    for row, count in counts.most_common():
        if count > 1:
            rows.setdefault(row.split()[1], row)
    return {*rows.values()}


def _columns(table: TableType) -> dict[str, str]:
    """Return the row of each column of a table, and its name."""
    return dict(_row(name, column) for name, column in table.columns.items())


def _head(table: TableType) -> dict[str, str]:
    """Return the same of the fields that the JSON file has beside its rows."""
    properties = table.schema["properties"]
    return dict(_row(name, properties[name]) for name in table.head.__struct_fields__)


def _row(name: str, column: dict[str, Any]) -> tuple[str, str]:
    unit = f", {column['unit']}" if "unit" in column else ""
    return f"| `{name}` | {_type_name(column)}{unit} | {column['description']} |", f"`{name}`"


def _type_name(column: dict[str, Any]) -> str:
    if "$ref" in column:
        return "object"
    if "anyOf" in column:
        return f"{_type_name(column['anyOf'][0])} or null"
    if column.get("type") == "array":
        return f"list of {_plural(_type_name(column['items']))}"
    return TYPES.get(column.get("type", ""), "text")


def _plural(name: str) -> str:
    first, of, rest = name.partition(" of ")
    return f"{first}s{of}{rest}"


if __name__ == "__main__":
    SECTION.write(markdown())
