"""`arena coach`: what a bot's decisions cost it, and which ones."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

import click
import msgspec

from arena.author.coach.coaching import Coaching, coach_quick, coach_stored
from arena.author.coach.request_times import RequestTime
from arena.author.coach.words import REQUESTS, at_table, did, named
from arena.author.quick_table import TableRequest
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.author.play import new_folder
from arena.cli.exit_codes import OK
from arena.cli.output import harmless, print_json, print_table, say
from arena.cli.progress_bar import TerminalListener
from arena.io.errors import ArenaError
from arena.io.files import new_file
from arena.league.terms.config import MAX_GAMES
from arena.playstats.coach import CalibrationBin, Cost, Leak
from arena.playstats.decisions import Decision

_GAMES = 50
"""Games in each order of seats, if nobody says how many."""
_EVERY = 5.0
"""Seconds between lines of progress."""
_LEAKS = 8
"""Leaks that are printed, to stay on one screen."""


@click.command()
@click.argument("bot", metavar="BOT")
@click.option("--league", type=options.PathType(), help="Coach over the stored games of a league.")
@options.store_option
@click.option(
    "--against",
    metavar="BOT",
    multiple=True,
    help="A bot to play a quick table with; repeat it for more players [default: sample:odds].",
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    help=f"Games of a quick table, in each order of seats [default: {_GAMES}].",
)
@click.option("--variant", help="The rule book of a quick table [default: bga].")
@click.option("--seed", callback=options.printable, help="Repeats the dice of a quick table.")
@click.option(
    "--into",
    "folder",
    type=options.PathType(),
    help="A new folder for the quick table [default: one among the temporary files].",
)
@click.option(
    "--decisions",
    type=options.PathType(),
    help="Also write every decision to this new file, a JSON object per line.",
)
@click.option(
    "--site",
    type=options.PathType(),
    help="Also write the league's report with all games to this folder, and a page of this.",
)
@options.sandbox_option
@options.trust_option
@options.packages_option
@options.json_option
def command(
    *,
    bot: str,
    league: Path | None,
    store: Path | None,
    site: Path | None,
    decisions: Path | None,
    as_json: bool,
    **quick: Any,
) -> int:
    """Say what the decisions of BOT cost it, against the best legal ones, and which are worst.

    With --league BOT is a name, and its stored games are judged. Otherwise it is a folder, an
    archive or sample:NAME, and first plays a quick table.
    """
    with new_file(decisions) if decisions else nullcontext() as file:
        hear = _Hearer(file)
        if league:
            _refuse(quick, "it is for a quick table: leave out --league")
            store = options.store_path(league, store)
            coaching = coach_stored(bot, league, store, hear)
        else:
            _refuse({"store": store}, "name its league, too: --league LEAGUE")
            request = _quick_table(bot, **quick)
            store = request.store
            coaching = coach_quick(request, TerminalListener(), hear, trusted=quick["trust_bots"])
    if as_json:
        print_json(coaching)
    else:
        _print(coaching)
    if site:
        from arena.author.coach.page import write_page  # slow to import, and few ask for it

        say(f"page: {write_page(coaching, store, site)}")
    return OK


class _Hearer:
    """Writes every decision to a file, if there is one, and says now and then how far it is."""

    def __init__(self, file: BinaryIO | None) -> None:
        self._file = file
        self._next = time.monotonic() + _EVERY

    def __call__(self, decision: Decision) -> None:
        if self._file:
            self._file.write(msgspec.json.encode(decision) + b"\n")
        if time.monotonic() >= self._next:
            say(f"judging fixture {decision.fixture}, game {decision.game}")
            self._next = time.monotonic() + _EVERY


def _refuse(given: dict[str, Any], hint: str) -> None:
    """Refuse options that do not go with --league, or without it."""
    for name, value in given.items():
        if value:
            flag = {"folder": "into"}.get(name, name).replace("_", "-")
            raise ArenaError(f"--{flag} has no effect here", "arena coach", hint)


def _quick_table(
    bot: str, *, against: Sequence[str], folder: Path | None, games: int | None, **how: Any
) -> TableRequest:
    return TableRequest(
        bots=(bot, *against),
        folder=folder or new_folder(),
        games=games or _GAMES,
        variant=how["variant"] or "bga",
        seed=how["seed"],
        sandbox=how["sandbox"] or AUTO,
        packages=how["packages"],
    )


def _print(coaching: Coaching) -> None:
    judgement = coaching.judgement
    click.echo(
        f"{harmless(coaching.bot)} gives up {_cost(judgement.cost)} wins per game (95 %), in"
        f" {judgement.games:,} games with {judgement.decisions:,} decisions"
    )
    if len(judgement.tables) > 1:
        print_table(
            ["table", "games", "wins per game"],
            [
                [f"{table.variant}, {table.players} players", f"{table.games:,}", _cost(table.cost)]
                for table in judgement.tables
            ],
        )
    _print_worst(judgement.worst)
    _print_leaks(judgement.leaks, coaching.caution)
    _print_calibration(judgement.calibration)
    _print_times(coaching.times)
    say(f"replays: arena report {quote(coaching.league)} --replays all, or --site FOLDER here")
    say(f"messages of a game: arena rerun {quote(coaching.league)} FIXTURE GAME")


def _cost(cost: Cost) -> str:
    return f"{cost.per_game:.3f} ± {cost.half_width:.3f}"


def _print_worst(worst: Sequence[Decision]) -> None:
    click.echo("\nThe most expensive decisions")
    rows = [
        [
            did(decision),
            named(decision.best),
            at_table(decision),
            _chance(decision),
            _loss(decision),
            _address(decision),
        ]
        for decision in worst
    ]
    print_table(["", "better", "own dice", "chance to win", "loss", "fixture game step"], rows)


def _chance(decision: Decision) -> str:
    return f"{100 * decision.chance:.0f} %"


def _loss(decision: Decision) -> str:
    error = f" ± {196 * decision.error:.0f}" if decision.error else ""
    return f"{100 * decision.loss:.0f}{error} %"


def _address(decision: Decision) -> str:
    return f"{decision.fixture} {decision.game} {decision.step}"


def _print_leaks(leaks: Sequence[Leak], caution: str) -> None:
    click.echo("\nLeaks")
    rows = [[leak.what, f"{leak.times:,} of {leak.of:,}", _cost(leak.cost)] for leak in leaks]
    print_table(["", "times", "wins per game"], rows[:_LEAKS] or [["none is clear", "", ""]])
    if leaks:
        click.echo(caution)


def _print_calibration(bins: Sequence[CalibrationBin]) -> None:
    click.echo("\nBids, by how likely they were by its own dice")
    rows = [
        [
            f"{100 * bin_.low:.0f} to {100 * bin_.high:.0f} %",
            f"{bin_.bids:,}",
            f"{bin_.expected:.1%}",
            f"{bin_.held:.1%}",
        ]
        for bin_ in bins
    ]
    print_table(["", "bids", "expected", "true"], rows)


def _print_times(times: Sequence[RequestTime] | None) -> None:
    if times is None:
        say("a league does not keep what each request took: a quick table (no --league) shows it")
        return
    clock = "CPU" if all(request.clock == "cpu" for request in times) else "Wall"
    click.echo(f"\n{clock} time of its answers")
    rows = [
        [
            REQUESTS[request.kind],
            f"{request.requests:,}",
            f"{1e3 * request.median:.2f} ms",
            f"{1e3 * request.longest:.2f} ms",
        ]
        for request in times
    ]
    print_table(["", "requests", "median", "longest"], rows)
