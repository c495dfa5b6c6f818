"""`arena play`: a quick table of bots, or of bots and a person."""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from shlex import quote
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import click

from arena.author.quick_table import TableRequest, TableResult, play_table
from arena.author.web_table.person import WebPerson
from arena.author.web_table.server import TableServer, serving
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.author.person import TerminalPerson, hanging_up_interrupts
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.isolation import own_bots_option
from arena.cli.output import print_columns, print_json, say, show_page
from arena.cli.progress_bar import TerminalListener
from arena.game.rules.books import MAX_STARTING_DICE
from arena.io.container import left_files, own_port
from arena.io.errors import ArenaError
from arena.league.table.person import LeftError
from arena.league.terms.config import MAX_GAMES
from arena.league.terms.house import rules_named
from arena.publish.links import REPLAY
from arena.publish.report import ReportRequest, report
from arena.ratings.maths.intervals import wilson

_GAMES = 20
"""Games in each order of seats by default."""


@click.command()
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--me", "person", is_flag=True, help="Take a seat yourself, in this terminal.")
@click.option("--web", is_flag=True, help="With --me: sit in the browser instead.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="With --web: port of the page [default: any that is free, or 8500 in a container].",
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    help="Games in each order of seats [default: 20, or 1 with --me].",
)
@options.variant_option()
@click.option("--calza", is_flag=True, help="Play with calza.")
@click.option("--lost-dice-visible", is_flag=True, help="Show how many dice everyone has left.")
@click.option(
    "--starting-dice", type=click.IntRange(1, MAX_STARTING_DICE), help="Dice of each player."
)
@click.option(
    "--seed",
    callback=options.printable,
    help="Repeats the dice; own bots need --trust-bots for it.",
)
@click.option(
    "--into",
    "folder",
    type=options.PathType(),
    help="A new folder for the games [default: one among the temporary files].",
)
@click.option("--open", "opening", is_flag=True, help="Then show the games in the browser.")
@options.sandbox_option
@own_bots_option
@options.packages_option
@options.json_option
def command(
    *,
    bots: Sequence[str],
    person: bool,
    web: bool,
    games: int | None,
    folder: Path | None,
    opening: bool,
    trust_bots: bool,
    as_json: bool,
    **table: Any,
) -> int:
    """Play the BOTs (folders, archives, sample:NAME) at one table, and print who won how often.

    The games are stored in a league of their own, on which every other command works.
    """
    port = _page_port(table.pop("port"), person=person, web=web)
    request = TableRequest(
        bots=tuple(bots),
        folder=folder or new_folder(),
        games=games or (1 if person else _GAMES),
        rules=rules_named(
            table.pop("variant"),
            calza=table.pop("calza") or None,
            lost_dice_visible=table.pop("lost_dice_visible") or None,
            starting_dice=table.pop("starting_dice"),
        ),
        sandbox=table.pop("sandbox") or AUTO,
        **table,
    )
    with hanging_up_interrupts():
        try:
            if port is not None:
                results = _play_in_browser(request, port, trusted=trust_bots)
            else:
                seated = TerminalPerson() if person else None
                results = play_table(request, TerminalListener(), seated, trusted=trust_bots)
        except LeftError:
            say("you left: the game is not stored")
            return OK
    if as_json:
        print_json({"league": str(request.league), "results": results})
    else:
        _print_results(results)
        say(f"{request.games} games in each order of seats")
    say(f"stored: arena report {quote(str(request.league))}")
    if opening:
        site = request.folder / "site"
        written = report(ReportRequest(request.league, request.store, site, replays="all"))
        show_page(written.front_page.with_name(REPLAY))
    return FINDINGS if any(result.faults for result in results) else OK


def _page_port(port: int | None, *, person: bool, web: bool) -> int | None:
    """Return the port of a person's page; None if nobody has one."""
    if web and not person:
        raise ArenaError("--web seats a person", hint="add --me")
    if port is not None and not web:
        raise ArenaError("--port is that of a page", hint="add --me --web")
    return own_port() if web and port is None else port


def _play_in_browser(request: TableRequest, port: int, *, trusted: bool) -> list[TableResult]:
    """Play with a person in the browser, who may look at the last game as long as they like."""
    with TemporaryDirectory(prefix="perudo-arena-") as folder:
        person = WebPerson(lambda: _show_table(server, Path(folder)))
        with serving(TableServer(person, port)) as server:
            results = play_table(request, TerminalListener(), person, trusted=trusted)
            with suppress(KeyboardInterrupt):
                person.stay()
    return results


def _show_table(server: TableServer, folder: Path) -> None:
    """Open the table in the browser, by way of a file that only this user can read.

    Every user of the machine sees the arguments of a browser: they must not have the secret.
    """
    say(f"your table: {server.url}")
    page = folder / "table.html"
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={server.url}">')
    # A browser in the terminal returns only when it is left.
    Thread(target=show_page, args=[page], daemon=True).start()


def new_folder() -> Path:
    """Return a folder that does not exist yet, among the files that commands leave."""
    return left_files("play") / f"{time.strftime('%Y%m%d-%H%M%S')}-{token_hex(4)}"


def _print_results(results: Sequence[TableResult]) -> None:
    rows = []
    for result in results:
        low, high = wilson(result.wins, result.games)
        rows.append(
            [
                result.name,
                f"{result.wins} of {result.games}",
                f"{100 * low:.0f} to {100 * high:.0f} %",
                f"{result.mean_place:.2f}",
                str(result.faults),
            ]
        )
    print_columns(["", "won", "95 %", "mean place", "faults"], rows)
