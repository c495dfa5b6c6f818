"""The columns of the data files in `docs/reference/data.md`: `make columns` writes them."""

from collections.abc import Iterator
from typing import Any

import arena.publish.site  # noqa: F401 -- it declares all tables
from arena.publish.data.schema import TABLE_TYPES, TableType
from tests.support.generated_section import GeneratedSection

SECTION = GeneratedSection("docs/reference/data.md", "columns", "columns")

TYPES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def markdown() -> str:
    """Return all tables by name, and their columns."""
    tables = sorted(TABLE_TYPES.values(), key=lambda table: table.name)
    return "\n".join("\n".join([*_lines(table), ""]) for table in tables)


def _lines(table: TableType) -> Iterator[str]:
    yield from (f"### `{table.name}`: {table.title}", "")
    yield from ("| column | type | what it holds |", "|---|---|---|")
    for name, column in table.columns.items():
        unit = f", {column['unit']}" if "unit" in column else ""
        yield f"| `{name}` | {_type_name(column)}{unit} | {column['description']} |"
    head = {name: table.schema["properties"][name] for name in table.head.__struct_fields__}
    if head:
        fields = "; ".join(f"`{name}`: {field['description']}" for name, field in head.items())
        yield from ("", f"The JSON file says as well: {fields}")


def _type_name(column: dict[str, Any]) -> str:
    if "anyOf" in column:
        return f"{_type_name(column['anyOf'][0])} or null"
    if column.get("type") == "array":
        return f"list of {_type_name(column['items'])}s"
    return TYPES.get(column.get("type", ""), "text")


if __name__ == "__main__":
    SECTION.write(markdown())
