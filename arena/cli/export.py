"""`arena export`: one row per game or pair of bots, for analyses of one's own."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from arena.cli.main import OK
from arena.cli.options import PathType, league_argument, store_option, store_path
from arena.errors import ArenaError
from arena.league.stored_league import schedule_of
from arena.publish.data.export import FORMATS, GameRow, PairRow, game_rows, pair_rows
from arena.publish.stored_games import rated_results
from arena.ratings.standings import by_division, rate_results
from arena.store.logs import logs_path
from arena.store.store import Store


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
@click.option("--pairs", is_flag=True, help="Write each pair of bots instead: who is better.")
@click.option("--json", "format_", flag_value="jsonl", help="The same as --format jsonl.")
@click.option(
    "-o",
    "output",
    type=PathType(dir_okay=False),
    help="The file to write [default: standard output].",
)
def command(
    league: Path, store: Path | None, format_: str, output: Path | None, *, pairs: bool
) -> int:
    """Write one row for each stored game of LEAGUE, in schedule order, even while it is played."""
    path = store_path(league, store)
    if output is None and format_ == "parquet" and sys.stdout.isatty():
        raise ArenaError("parquet is not for a terminal", hint="name a file: -o games.parquet")
    with Store(path) as stored:
        schedule = schedule_of(stored)
        with _target(output, (path, logs_path(path), league)) as file:
            seats = max(len(fixture.seats) for fixture, _ in schedule.drawn.values())
            counting = {id_ for id_ in schedule.drawn if schedule.counts(id_)}
            kind, rows = _pairs(stored, counting) if pairs else _games(stored, counting)
            FORMATS[format_](kind, rows, file, seats)
    return OK


def _games(store: Store, counting: set[str]) -> tuple[type[GameRow], Iterator[GameRow]]:
    results = ((one, one.fixture.id in counting) for one in store.results())
    return GameRow, (row for one, counts in results for row in game_rows(one, counts=counts))


def _pairs(store: Store, counting: set[str]) -> tuple[type[PairRow], Iterator[PairRow]]:
    results = rated_results(store, counting.__contains__)
    boards = rate_results(by_division(results)).boards
    return PairRow, (row for board in boards for row in pair_rows(board))


@contextmanager
def _target(output: Path | None, protected: tuple[Path, ...]) -> Iterator[BinaryIO]:
    """Yield the file to write to: never seen half written, and none of the league's own."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if any(one.exists() and output.exists() and output.samefile(one) for one in protected):
        raise ArenaError("the export would overwrite the league", str(output), "name another file")
    try:
        with _replacing(output) as file:
            yield file
    except OSError as error:
        what = f"the export cannot be written: {error.strerror or error}"
        hint = "name a file in a folder that you may write to, with space on its disk"
        raise ArenaError(what, str(output), hint) from None


@contextmanager
def _replacing(output: Path) -> Iterator[BinaryIO]:
    """Write beside a file and replace it when complete; write to a pipe or device directly."""
    if output.exists() and not output.is_file():
        with output.open("wb") as file:
            yield file
        return
    part = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
