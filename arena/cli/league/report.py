"""`arena report`, `export`: what is written of a stored league, as a site or as a table."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from arena.cli import options
from arena.cli.exit_codes import while_read
from arena.cli.options import PathType, league_argument, store_option, store_path
from arena.cli.output import SEED_WARNING, print_json, reporting, say, say_report, show_page
from arena.io.errors import ArenaError
from arena.io.files import os_errors, replacing
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.export import CHATS, ROWS, table
from arena.publish.export_files import FORMATS
from arena.publish.pseudonyms import Pseudonyms, secret_of
from arena.publish.report import Report, ReportRequest, report, reveals_seed, watch


def _web_address(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Return the address; a usage error if it is not one of the web."""
    if url and not re.fullmatch(r"https?://[!-~]+", url):
        raise click.BadParameter("an address begins with https:// or http:// and has no spaces")
    return url


@click.command()
@options.league_argument
@options.store_option
@options.site_option
@options.replays_option
@click.option("--open", "opening", is_flag=True, help="Show the report in the browser.")
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Update it while the league is played, until it is finished or Ctrl-C.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Replace the names of bots and authors with pseudonyms, the same in every report of the"
    " league.",
)
@click.option(
    "--anonymous-key",
    "key",
    type=options.PathType(dir_okay=False),
    help="Write who is who to this file (CSV); the report is anonymous.",
)
@click.option(
    "--url",
    default="",
    callback=_web_address,
    help="Where the site will be published (https://...): its pages then have absolute links and a"
    " picture for sites that link to them.",
)
@options.json_option
def report_(
    league: Path,
    store: Path | None,
    *,
    opening: bool,
    watching: bool,
    as_json: bool,
    **values: object,
) -> None:
    """Write the report of LEAGUE from its stored games, finished or not.

    What did not change since the last report is left alone. Summaries of the games are cached
    beside the store; they may be deleted.
    """
    paths = {"league": league, "store": options.store_path(league, store)}
    request = msgspec.convert({**paths, **values}, ReportRequest)
    if request.reveals_seed():
        say(SEED_WARNING)
    if watching:
        last = _watch(request, opening=opening)
    else:
        with reporting() as tell:
            last = report(request, tell)
    if last is None:
        return
    if opening and not watching:
        show_page(last.front_page)
    if as_json:
        print_json(last.data())
    say_report(last)


def _watch(request: ReportRequest, *, opening: bool) -> Report | None:
    """Announce each report but the last, and return that; Ctrl-C ends watching."""
    last: Report | None = None
    with suppress(KeyboardInterrupt):
        for last in watch(request, reporting):
            if last is None:
                say(f"waiting for the first game in {request.store}: arena run {request.league}")
                continue
            if opening:  # only once: the page has a button for newer ones
                show_page(last.front_page)
                opening = False
            if last.left:
                left = f"{last.games} games; {last.left} fixtures are left"
                say(f"written: {last.front_page} ({left})")
    return last


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
    help="What a row is: a game, a pair of bots and who is better, a decision, a request to a"
    " language model with its answer, or (JSON lines alone) a conversation for fine-tuning; the"
    " last two may be private.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format jsonl.")
@click.option(
    "--anonymous",
    is_flag=True,
    help="Replace the names of bots with pseudonyms, those of `arena report --anonymous`.",
)
@click.option(
    "-o",
    "--into",
    "output",
    type=PathType(dir_okay=False),
    help="The file to write [default: standard output].",
)
def export(
    league: Path,
    store: Path | None,
    format_: str,
    rows: str,
    output: Path | None,
    *,
    as_json: bool,
    anonymous: bool,
) -> None:
    """Write the stored games of LEAGUE as a table, in schedule order, even while it is played."""
    format_ = "jsonl" if as_json else format_
    path = store_path(league, store)
    if rows == CHATS and (format_ != "jsonl" or anonymous):
        what = "conversations are JSON lines, and name whom they name"
        raise ArenaError(what, hint=f"--rows {rows} --format jsonl, without --anonymous")
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
