"""The CSV and JSON files beside every table: the page's numbers, not rounded."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import asdict

from arena.playstats.fixture_summary import FaultEntry
from arena.playstats.league_summary import LeagueSummary
from arena.publish.data import columns as sheets
from arena.publish.data.schema import NUMBERS, Column, Sheet
from arena.publish.output.text import csv_text
from arena.publish.pages import conditions
from arena.publish.pages.leaderboard import cells
from arena.publish.pages.matches import Match
from arena.ratings.table import Leaderboard, Overall, Suspicion
from arena.records import LeagueInfo, QuarantinedFixture

_encoder = msgspec.json.Encoder()
"""Many times as fast as json, which is needed where a text is not in ASCII."""
_in_ascii = json.JSONEncoder(separators=(",", ":")).encode

Record = dict[str, Any]
"""One line of a table; its keys are the columns."""


class Table(NamedTuple):
    """The lines of a table, and what its columns are."""

    sheet: Sheet
    lines: Sequence[Record]


def leaderboard(board: Leaderboard) -> Table:
    """Return the lines of a leaderboard, best first."""
    lines = [
        asdict(row) | {"rank": rank, "conservative": row.conservative, "win_share": row.win_share}
        for rank, row in enumerate(board.rows, 1)
    ]
    return Table(sheets.LEADERBOARD, lines)


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
    return Table(sheets.HEADS, [asdict(cell) for cell in cells(board)])


def better(board: Leaderboard) -> Table:
    """Return, for each ordered pair, the probability that the first is the better bot."""
    bots = [row.bot for row in board.rows]
    lines = [
        {"bot": bot, "opponent": rival, "probability": board.better[bot, rival]}
        for bot in bots
        for rival in bots
        if bot != rival
    ]
    return Table(sheets.BETTER, lines)


def overall(table: Overall) -> Table:
    """Return the lines of the overall table, best first."""
    lines = [asdict(row) | {"rank": rank} for rank, row in enumerate(table.rows, 1)]
    return Table(sheets.OVERALL, lines)


def faults(entries: Iterable[FaultEntry]) -> Table:
    """Return the lines of the table of faults."""
    return Table(sheets.FAULTS, [asdict(entry) for entry in entries])


def matches(found: Iterable[Match]) -> Table:
    """Return the lines of a page of the list of matches."""
    lines = [asdict(one) | {"players": len(one.seats)} for one in found]
    return Table(sheets.MATCHES, lines)


def aside(found: Iterable[QuarantinedFixture]) -> Table:
    """Return the fixtures that are missing."""
    lines = [
        {
            "fixture": one.fixture.id,
            "index": one.fixture.index,
            "variant": one.fixture.variant,
            "players": len(one.fixture.seats),
            "seats": one.fixture.seats,
            "deaths": one.deaths,
            "why": one.why,
        }
        for one in found
    ]
    return Table(sheets.ASIDE, lines)


def suspicions(found: Iterable[Suspicion]) -> Table:
    """Return the lines of the table of suspicions, the clearest first."""
    return Table(sheets.SUSPICIONS, [asdict(case) for case in found])


def bots(league: LeagueInfo) -> Table:
    """Return the bots as they entered."""
    return Table(sheets.BOTS, [asdict(bot) for bot in league.bots])


def rules(league: LeagueInfo) -> Table:
    """Return every switch and option of every variant."""
    rows = [*conditions.switches(league), *conditions.options(league)]
    lines = [
        {
            "variant": value.variant,
            "book": league.variants[value.variant].name,
            "switch": row.name,
            "value": value.shown,
            "changed_from": value.book,
            "clauses": row.clauses,
        }
        for row in rows
        for value in row.values
    ]
    return Table(sheets.RULES, lines)


def limits(league: LeagueInfo) -> Table:
    """Return the limits that bots played under."""
    return Table(sheets.LIMITS, [asdict(limit) for limit in conditions.limits(league.limits)])


def played(facts: LeagueSummary) -> Table:
    """Return how much was played at each kind of table."""
    lines = [
        {"variant": variant, "players": players, **asdict(kind)}
        for (variant, players), kind in facts.played.items()
    ]
    return Table(sheets.PLAYED, lines)


def to_csv(table: Table) -> str:
    """Return a CSV table; texts are guarded against spreadsheets, numbers are as they are."""
    columns = [
        _guarded(column, [line[column.name] for line in table.lines])
        for column in table.sheet.columns
    ]
    return csv_of(table.sheet.names, zip(*columns, strict=True))


def _guarded(column: Column, cells: list[Any]) -> list[Any]:
    """Return the cells of a column as a spreadsheet may have them; numbers need no looking at."""
    return cells if column.type in NUMBERS else list(map(csv_cell, cells))


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


def to_json(head: Record, table: Table) -> str:
    """Return a JSON object: `head`, and the lines under `rows`. All in ASCII, so it is inert."""
    names = table.sheet.names
    rows = _rows([{name: line[name] for name in names} for line in table.lines])
    start = json.dumps({"$schema": table.sheet.schema_file, **head, "rows": []}, indent=1)
    return start.removesuffix("]\n}") + ",".join(f"\n{row}" for row in rows) + "\n]}\n"


def _rows(lines: Sequence[Record]) -> list[str]:
    with suppress(UnicodeEncodeError):  # half a character
        rows = _encoder.encode_lines(lines)
        if rows.isascii():
            return rows.decode().splitlines()
    return [_row(line) for line in lines]


def _row(line: Record) -> str:
    with suppress(UnicodeEncodeError):
        row = _encoder.encode(line)
        if row.isascii():
            return row.decode()
    return _in_ascii(line)
