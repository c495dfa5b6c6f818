"""The CSV and JSON files beside every table: the page's numbers, not rounded."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import asdict

from arena.publish.boards import cells
from arena.publish.digest import FaultEntry
from arena.publish.text import csv_text
from arena.ratings.findings import Suspicion
from arena.ratings.overall import Overall
from arena.ratings.table import Leaderboard

Record = dict[str, Any]
"""One line of a table; its keys are the columns."""

Table = tuple[Sequence[str], Sequence[Record]]
"""The columns of a table, and its lines."""

_LEADERBOARD = [
    *("rank", "best", "worst", "bot", "provisional"),
    *("mu", "low", "high", "sigma", "conservative", "batch_mu"),
    *("games", "wins", "win_share", "mean_place", "place_low", "place_high", "faults"),
]
_HEADS = ["bot", "opponent", "ahead", "games", "share", "low", "high"]
_BETTER = ["bot", "opponent", "probability"]
_FAULTS = list(FaultEntry.__struct_fields__)
_SUSPICIONS = list(Suspicion.__struct_fields__)
_OVERALL = ["rank", "best", "worst", "bot", "score", "low", "high", "games"]


def leaderboard(board: Leaderboard) -> Table:
    """Return the lines of a leaderboard, best first."""
    return _LEADERBOARD, [
        asdict(row) | {"rank": rank, "conservative": row.conservative, "win_share": row.win_share}
        for rank, row in enumerate(board.rows, 1)
    ]


def head_of(board: Leaderboard) -> Record:
    """Return what holds for a whole leaderboard."""
    return {
        "variant": board.variant,
        "players": board.players,
        "chance": 1 / board.players,
        "blocks": board.blocks,
        "intervals_by": board.method,
        "dice_gain": asdict(board.dice_gain) if board.dice_gain else None,
    }


def heads(board: Leaderboard) -> Table:
    """Return the lines of a head-to-head table: each ordered pair that met."""
    return _HEADS, [asdict(cell) for cell in cells(board)]


def better(board: Leaderboard) -> Table:
    """Return, for each ordered pair, the probability that the first is the better bot."""
    bots = [row.bot for row in board.rows]
    return _BETTER, [
        {"bot": bot, "opponent": rival, "probability": board.better[bot, rival]}
        for bot in bots
        for rival in bots
        if bot != rival
    ]


def overall(table: Overall) -> Table:
    """Return the lines of the overall table, best first."""
    return _OVERALL, [asdict(row) | {"rank": rank} for rank, row in enumerate(table.rows, 1)]


def faults(entries: Iterable[FaultEntry]) -> Table:
    """Return the lines of the table of faults."""
    return _FAULTS, [asdict(entry) for entry in entries]


def suspicions(found: Iterable[Suspicion]) -> Table:
    """Return the lines of the table of suspicions, the clearest first."""
    return _SUSPICIONS, [asdict(case) for case in found]


def to_csv(columns: Sequence[str], records: Iterable[Record]) -> str:
    """Return a CSV table; texts are guarded against spreadsheets, numbers are as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(record[column]) for column in columns] for record in records)
    return out.getvalue()


def csv_cell(value: object) -> object:
    """Return a cell as a spreadsheet may have it: no text is a formula, numbers are as they are."""
    if isinstance(value, tuple):
        return csv_text("; ".join(value))
    return csv_text(value) if isinstance(value, str) else value


def to_json(head: Record, columns: Sequence[str], records: Iterable[Record]) -> str:
    """Return a JSON object: `head`, and the lines under `rows`. All in ASCII, so it is inert."""
    rows = [json.dumps({column: record[column] for column in columns}) for record in records]
    start = json.dumps({**head, "rows": []}, indent=1).removesuffix("]\n}")
    return start + ",".join(f"\n{row}" for row in rows) + "\n]}\n"
