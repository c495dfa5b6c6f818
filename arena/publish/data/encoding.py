"""Data tables as CSV and JSON: the page's numbers, not rounded."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict

from arena.publish.data.schema import TABLE_TYPES, TableHead, TableRow, TableType, is_number
from arena.publish.output.text import csv_text

_encoder = msgspec.json.Encoder()
"""Many times as fast as json, which is needed for text beyond ASCII."""
_in_ascii = json.JSONEncoder(separators=(",", ":")).encode


class Table(NamedTuple):
    """A data table; the type of its rows says what it is."""

    row: type[TableRow]
    head: TableHead
    rows: Sequence[TableRow]

    @property
    def type(self) -> TableType:
        """The kind of table."""
        return TABLE_TYPES[self.row]


def to_csv(table: Table) -> str:
    """Return a CSV table; texts are guarded against spreadsheets, numbers are as they are."""
    types = table.type.columns
    columns = [
        cells if is_number(column) else map(csv_cell, cells)
        for name, column in types.items()
        for cells in [[getattr(row, name) for row in table.rows]]
    ]
    return csv_of(types, zip(*columns, strict=True))


def csv_of(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV table of cells that are guarded already."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


def csv_cell(value: object) -> object:
    """Return a cell as a spreadsheet may have it: no text is a formula, numbers are as they are."""
    if isinstance(value, str):
        return csv_text(value)
    return csv_text("; ".join(map(str, value))) if isinstance(value, (tuple, list)) else value


def to_json(table: Table) -> str:
    """Return a JSON object: the head, and the rows under `rows`. All in ASCII, so it is inert."""
    head = {"$schema": table.type.schema_file, **msgspec.to_builtins(table.head), "rows": []}
    start = json.dumps(head, indent=1).removesuffix("]\n}")
    return start + ",".join(f"\n{row}" for row in _json_rows(table.rows)) + "\n]}\n"


def _json_rows(rows: Sequence[TableRow]) -> list[str]:
    with suppress(UnicodeEncodeError):  # half a character
        lines = _encoder.encode_lines(rows)
        if lines.isascii():
            return lines.decode().splitlines()
    return [_json_row(row) for row in rows]


def _json_row(row: TableRow) -> str:
    with suppress(UnicodeEncodeError):
        encoded = _encoder.encode(row)
        if encoded.isascii():
            return encoded.decode()
    return _in_ascii(asdict(row))
