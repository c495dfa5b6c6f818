"""`arena export`: one row per game, pair of bots or decision, for analyses of one's own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from arena.cli.lost_output import while_read
from arena.cli.options import PathType, league_argument, store_option, store_path
from arena.cli.output import SEED_WARNING, say
from arena.io.errors import ArenaError
from arena.io.files import os_errors, replacing
from arena.league.store.logs import logs_path
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.data.row_files import FORMATS
from arena.publish.export import ROWS, table
from arena.publish.pseudonyms import Pseudonyms, secret_of
from arena.publish.report import reveals_seed


@click.command()
@league_argument
@store_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="csv",
    show_default=True,
    help="What to write; parquet needs the extra of that name.",
)
@click.option(
    "--rows",
    type=click.Choice(list(ROWS)),
    default="games",
    show_default=True,
    help="What a row is: a game, a pair of bots and who is better, a decision, or a request to a"
    " language model with its answer, which may be private.",
)
@click.option("--pairs", is_flag=True, help="The same as --rows pairs.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format jsonl.")
@click.option(
    "--anonymous",
    is_flag=True,
    help="Replace the names of bots with pseudonyms, those of `arena report --anonymous`.",
)
@click.option(
    "-o",
    "output",
    type=PathType(dir_okay=False),
    help="The file to write [default: standard output].",
)
def command(
    league: Path,
    store: Path | None,
    format_: str,
    rows: str,
    output: Path | None,
    *,
    pairs: bool,
    as_json: bool,
    anonymous: bool,
) -> None:
    """Write the stored games of LEAGUE as a table, in schedule order, even while it is played."""
    rows = "pairs" if pairs else rows
    format_ = "jsonl" if as_json else format_
    path = store_path(league, store)
    if output is None and format_ == "parquet" and sys.stdout.isatty():
        raise ArenaError("parquet is not for a terminal", hint=f"name a file: -o {rows}.parquet")
    if anonymous and reveals_seed(league, path):
        say(SEED_WARNING)
    with Store(path) as stored:
        schedule = schedule_of(stored)
        names = Pseudonyms(schedule.conditions, secret_of(path)) if anonymous else None
        with _target(output, (path, logs_path(path), league)) as file:
            seats = max(len(fixture.seats) for fixture, _ in schedule.drawn.values())
            kind, records = table(rows, stored, schedule, names)
            FORMATS[format_](kind, records if output else while_read(records), file, seats)


@contextmanager
def _target(output: Path | None, protected: tuple[Path, ...]) -> Iterator[BinaryIO]:
    """Yield the file to write to: never seen half written, and none of the league's own."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if any(path.exists() and output.exists() and output.samefile(path) for path in protected):
        raise ArenaError("the export would overwrite the league", str(output), "name another file")
    hint = "name a file in a folder that you may write to, with space on its disk"
    with os_errors("the export cannot be written", output, hint), replacing(output) as file:
        yield file
