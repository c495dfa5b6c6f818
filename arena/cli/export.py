"""`arena export`: one row a game, for whoever counts for themselves."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from arena.cli.options import league_argument, store_option, store_path
from arena.errors import ArenaError
from arena.league.progress import LeagueProgress
from arena.league.schedule import epochs
from arena.publish.data.export import FORMATS, GameRow, game_rows
from arena.records import LeagueInfo
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
@click.option("--json", "format_", flag_value="jsonl", help="The same as --format jsonl.")
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write [default: standard output].",
)
def command(league: Path, store: Path | None, format_: str, output: Path | None) -> int:
    """Write one row for each stored game of LEAGUE, in schedule order, also while it runs."""
    path = store_path(league, store)
    if output is None and format_ == "parquet" and sys.stdout.isatty():
        raise ArenaError("parquet is nothing for a terminal", hint="name a file: -o games.parquet")
    with Store(path) as kept:
        info = kept.league
        if info is None:
            raise ArenaError("nothing was played yet", str(path), f"arena run {league}")
        with _target(output, (path, logs_path(path), league)) as file:
            largest = max(size for stage in epochs(info) for size in stage.players)
            FORMATS[format_](_rows(kept, info), file, largest)
    return 0


def _rows(kept: Store, info: LeagueInfo) -> Iterator[GameRow]:
    course = LeagueProgress(info)
    for result in kept.results():
        yield from game_rows(result, counts=course.counts(result.fixture.id))


@contextmanager
def _target(output: Path | None, ours: tuple[Path, ...]) -> Iterator[BinaryIO]:
    """Yield the file to write to: nobody meets half of it, and it is none of ours."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if any(one.exists() and output.exists() and output.samefile(one) for one in ours):
        raise ArenaError("the export would overwrite the league", str(output), "name another file")
    try:
        with _written(output) as file:
            yield file
    except OSError as error:
        what = f"the export cannot be written: {error.strerror or error}"
        hint = "name a file in a folder that you may write to, with space on its disk"
        raise ArenaError(what, str(output), hint) from None


@contextmanager
def _written(output: Path) -> Iterator[BinaryIO]:
    """Write beside the file and put it in its place when it is whole; a pipe or device as it is."""
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
