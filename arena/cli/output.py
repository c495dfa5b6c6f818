"""What people read at a terminal: tables, JSON, and bot names that can do no harm."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:  # slow to import, and every command prints
    from arena.ratings.table import Leaderboard


def harmless(text: str) -> str:
    """Return text with control characters spelled out: a bot's name must not drive the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def say(text: str) -> None:
    """Tell the person something, on stderr: stdout is for data."""
    click.echo(harmless(text), err=True)


def print_json(value: object) -> None:
    """Print data as indented JSON, all in ASCII: what is in it must not drive the terminal."""
    click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


def boards_data(boards: "Sequence[Leaderboard]") -> list[dict[str, object]]:
    """Return leaderboards as JSON can hold them: head to head is in the site's data files."""
    return [{"variant": b.variant, "players": b.players, "rows": b.rows} for b in boards]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns: the first to the left, the others to the right."""
    cells = [head, *([harmless(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        click.echo("  ".join([first, *rest]).rstrip())
