"""Rows of cells as CSV: commas, lines that end in a line feed."""

import csv
from collections.abc import Iterable
from io import StringIO


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; None is an empty cell. Texts are not guarded against spreadsheets."""
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
