"""What `arena coach` and `arena puzzle` share: whose games are judged, and their judgement."""

import time
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from arena.author.coach.coaching import Coaching, coach_quick, coach_stored
from arena.author.quick_table import TableRequest
from arena.bots.sandboxes.registry import AUTO
from arena.cli import options
from arena.cli.author.play import new_folder
from arena.cli.output import say
from arena.cli.own_bots import own_bots_option
from arena.cli.progress_bar import PLAIN_EVERY, SOON, TerminalListener
from arena.io.errors import ArenaError
from arena.league.terms.config import MAX_GAMES
from arena.playstats.coach.decisions import Decision

_GAMES = 50
"""Games in each order of seats, if nobody says how many."""
_OPTIONS = (
    click.argument("bot", metavar="BOT"),
    click.option("--league", type=options.PathType(), help="Judge the stored games of a league."),
    options.store_option,
    click.option(
        "--against",
        metavar="BOT",
        multiple=True,
        help="A bot to play a quick table with; repeat it for more players [default: sample:odds].",
    ),
    click.option(
        "--games",
        type=click.IntRange(1, MAX_GAMES),
        help=f"Games of a quick table, in each order of seats [default: {_GAMES}].",
    ),
    click.option("--variant", help="The rule book of a quick table [default: bga]."),
    click.option("--calza", is_flag=True, help="Play a quick table with calza."),
    click.option(
        "--seed",
        callback=options.printable,
        help="Repeats the dice of a quick table; own bots need --trust-bots for it.",
    ),
    click.option(
        "--into",
        "folder",
        type=options.PathType(),
        help="A new folder for the quick table [default: one among the temporary files].",
    ),
    options.sandbox_option,
    own_bots_option,
    options.packages_option,
)


def coached_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the bot, and the options that say which of its games are judged."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)


class Hearer:
    """Writes every decision to a file, if there is one, and says now and then how far it is."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file = file
        self._games = self._begun = 0
        self._game: tuple[int, int] | None = None
        self._next = 0.0

    def expect(self, games: int) -> None:
        """Hear how many games will be judged; the judging begins."""
        self._games, self._next = games, time.monotonic() + SOON

    def __call__(self, decision: Decision) -> None:
        """Hear a decision."""
        if self._file:
            self._file.write(msgspec.json.encode(decision) + b"\n")
        game = decision.fixture, decision.game
        self._begun += game != self._game
        self._game = game
        if time.monotonic() >= self._next:
            say(f"judging game {self._begun} of {self._games}")
            self._next = time.monotonic() + PLAIN_EVERY


def coach_bot(
    bot: str, hear: Hearer, *, league: Path | None, store: Path | None, timed: bool, **quick: Any
) -> tuple[Coaching, Path]:
    """Judge stored games, or those of a quick table; returns the store, too.

    `timed`: whether the answers at a quick table are timed.
    """
    if league:
        _refuse(quick, "it is for a quick table: leave out --league")
        path = options.store_path(league, store)
        return coach_stored(bot, league, path, hear, hear.expect), path
    _refuse({"store": store}, "name its league, too: --league LEAGUE")
    request = _quick_table(bot, **quick)
    coaching = coach_quick(
        request, TerminalListener(), hear, hear.expect, trusted=quick["trust_bots"], timed=timed
    )
    return coaching, request.store


def _refuse(given: dict[str, Any], hint: str) -> None:
    """Refuse options that do not go with --league, or without it."""
    for name, value in given.items():
        if value:
            flag = {"folder": "into"}.get(name, name).replace("_", "-")
            command = click.get_current_context().command_path
            raise ArenaError(f"--{flag} has no effect here", command, hint)


def _quick_table(
    bot: str, *, against: Sequence[str], folder: Path | None, games: int | None, **how: Any
) -> TableRequest:
    return TableRequest(
        bots=(bot, *against),
        folder=folder or new_folder(),
        games=games or _GAMES,
        variant=how["variant"] or "bga",
        calza=how["calza"],
        seed=how["seed"],
        sandbox=how["sandbox"] or AUTO,
        packages=how["packages"],
    )
