"""Options that several commands share, and the paths they stand for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.errors import ArenaError

_Command = TypeVar("_Command", bound=Callable[..., Any])

league_argument = click.argument("league", type=click.Path(path_type=Path))
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="File that the games are stored in, with NAME.logs.sqlite beside it [default: the name of"
    " LEAGUE with the ending .sqlite].",
)
site_option = click.option(
    "--site",
    type=click.Path(path_type=Path),
    default=Path("site"),
    show_default=True,
    help="Folder that the report is written to.",
)
sandbox_option = click.option(
    "--sandbox",
    metavar="NAME",
    help="auto, docker, bubblewrap or process [default: as in league.yaml, otherwise auto].",
)
trust_option = click.option(
    "--trust-bots",
    is_flag=True,
    help="Run unvetted bots without isolation, as your own user. No salt is mixed into a seed.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores]."
)


def replays_option(command: _Command) -> _Command:
    """Add the option that says which games a report lets people watch."""
    # Slow to import, and most commands need no replays.
    from arena.publish.replay.selection import NEWEST

    return click.option(
        "--replays",
        metavar="all|none|N",
        default=str(NEWEST),
        callback=_replay_choice,
        show_default=True,
        help="Games to watch: all, none, or those with faults, upsets and each bot's newest N.",
    )(command)


def _replay_choice(_context: click.Context, _option: click.Parameter, word: str) -> str | int:
    if word in {"all", "none"}:
        return word
    if not (word.isascii() and word.isdigit()):
        raise click.BadParameter(f"'{word}' is neither all, none nor a whole number")
    return int(word)


def store_path(league: Path, store: Path | None) -> Path:
    """Return where a league's games are stored; raises ArenaError if the league is a folder."""
    if store is None and league.is_dir():
        hint = "name the league.yaml in it"
        raise ArenaError("not a league, but a folder", str(league), hint)
    return store or league.with_suffix(".sqlite")
