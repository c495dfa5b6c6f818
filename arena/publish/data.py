"""The CSV and JSON files beside every table: the page's numbers, not rounded."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import asdict

from arena.publish.boards import cells
from arena.publish.facts import FaultEntry
from arena.publish.text import csv_text
from arena.ratings.table import Leaderboard

Record = dict[str, Any]
"""One line of a table; its keys are the columns."""

LEADERBOARD = [
    *("rank", "bot", "mu", "sigma", "low", "high", "conservative"),
    *("games", "wins", "win_share", "mean_place", "faults"),
]
HEADS = ["bot", "opponent", "ahead", "games", "share", "low", "high"]
FAULTS = list(FaultEntry.__struct_fields__)


def leaderboard(board: Leaderboard) -> list[Record]:
    """Return the lines of a leaderboard, best first."""
    return [
        asdict(row)
        | {
            "rank": rank,
            "low": row.low,
            "high": row.high,
            "conservative": row.conservative,
            "win_share": row.wins / row.games,
        }
        for rank, row in enumerate(board.rows, 1)
    ]


def heads(board: Leaderboard) -> list[Record]:
    """Return the lines of a head-to-head table: each ordered pair that met."""
    return [asdict(cell) for cell in cells(board)]


def faults(entries: Iterable[FaultEntry]) -> list[Record]:
    """Return the lines of the table of faults."""
    return [asdict(entry) for entry in entries]


def to_csv(columns: Sequence[str], records: Iterable[Record]) -> str:
    """Return a CSV table; texts are guarded against spreadsheets, numbers are as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(record[column]) for column in columns] for record in records)
    return out.getvalue()


def _csv_cell(value: object) -> object:
    if isinstance(value, tuple):
        return csv_text("; ".join(value))
    return csv_text(value) if isinstance(value, str) else value


def to_json(head: Record, columns: Sequence[str], records: Iterable[Record]) -> str:
    """Return a JSON object: `head`, and the lines under `rows`. All in ASCII, so it is inert."""
    rows = [{column: record[column] for column in columns} for record in records]
    return json.dumps({**head, "rows": rows}, indent=1) + "\n"
