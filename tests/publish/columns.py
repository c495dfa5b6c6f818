"""The columns of the data files in `docs/site.md`: `make columns` writes them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arena.publish.site  # noqa: F401 -- it declares all tables
from arena.publish.data.schema import TABLE_TYPES, TableType

PAGE = Path(__file__).parents[2] / "docs" / "site.md"
BEGIN, END = "<!-- columns: written by `make columns` -->\n", "<!-- end of columns -->\n"


TYPES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def markdown() -> str:
    """Return all tables and their columns."""
    return "\n".join("\n".join([*_lines(one), ""]) for one in TABLE_TYPES.values())


def _lines(table: TableType) -> Iterator[str]:
    yield from (f"### `{table.name}`: {table.title}", "")
    yield from ("| column | type | what it holds |", "|---|---|---|")
    for name, column in table.columns.items():
        yield f"| `{name}` | {_type_name(column)} | {column['description']} |"
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


def section() -> str:
    """Return the section as the page has it."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write() -> None:
    """Put the section into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + markdown() + END + after, encoding="utf-8")


if __name__ == "__main__":
    write()
