"""Options that several commands share, and the paths they stand for."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.output import say
from arena.io.container import in_container
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import program_folder_note
from arena.io.text import whole_number

_Command = TypeVar("_Command", bound=Callable[..., Any])

_MAX_NAME, _MAX_PATH = 200, 3000
"""Bytes: what is written beside a file or into a folder has longer names."""

_MAX_DIGITS = 9
packages_option = click.option(
    "--packages", is_flag=True, help="Have pip fetch the Python packages that bots ask for."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores]."
)


class PathType(click.Path):
    """A path that can be looked up, whether or not anything is there."""

    def __init__(self, *, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; raises ArenaError for one that is too long, or in a closed folder."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if len(os.fsencode(path.absolute())) > _MAX_PATH:
            raise ArenaError(f"a path of more than {_MAX_PATH:,} bytes", str(path))
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return path
        except OSError as error:
            raise ArenaError(f"cannot be used: {error.strerror}", str(path)) from None
        return path


def printable(_context: click.Context, _option: click.Parameter, word: str | None) -> str | None:
    """Return a text that is stored or sent; a usage error if it is not printable UTF-8."""
    if word is not None and not word.isprintable():
        raise click.BadParameter("it is not printable text in UTF-8")
    return word


def _trusts(context: click.Context, _option: click.Parameter, given: bool) -> bool:
    """Return whether bots may run without isolation: as asked, or because the container is all."""
    if not in_container():
        return given
    # Slow to import, and the help needs no sandbox.
    from arena.cli.isolation import say_isolation

    return not say_isolation(context.params["sandbox"]) or given


def _named(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """Return the name of a sandbox, after a line on where its bots are, if that is unexpected."""
    say_program_folder()
    return name


def say_program_folder() -> None:
    """Say where bots are made ready if programs cannot run in the usual folder."""
    if note := program_folder_note():
        say(note)


league_argument = click.argument("league", type=PathType())
store_option = click.option(
    "--store",
    type=PathType(),
    help="File that the games are stored in, with NAME.logs.sqlite beside it [default: the name of"
    " LEAGUE with the ending .sqlite].",
)
site_option = click.option(
    "--site",
    type=PathType(),
    default=Path("site"),
    show_default=True,
    help="Folder that the report is written to.",
)
sandbox_option = click.option(
    "--sandbox",
    metavar="NAME",
    is_eager=True,  # --trust-bots asks for it
    callback=_named,
    help="auto, docker, bubblewrap or process [default: as in league.yaml, otherwise auto].",
)
trust_option = click.option(
    "--trust-bots",
    is_flag=True,
    callback=_trusts,
    help="Run unvetted bots without isolation, as your own user. No salt is mixed into a seed.",
)


def variant_option(name: str = "variant") -> Callable[[_Command], _Command]:
    """Return the option that names a rule book, as the parameter `name`."""
    return click.option(
        "--variant",
        name,
        metavar="NAME",
        default="bga",
        show_default=True,
        help="The rule book, or the file of a house's rules.",
    )


def against_option(name: str, text: str, **more: Any) -> Callable[[_Command], _Command]:
    """Return the option that names opponents, as the parameter `name`; `text` is its help."""
    return click.option("--against", name, metavar="BOT", help=text, **more)


def as_option(text: str, *, required: bool = False) -> Callable[[_Command], _Command]:
    """Return the option that names a bot to be asked what a seat was asked; `text` is its help."""
    return click.option("--as", "bot", metavar="BOT", required=required, help=text)


def replays_option(command: _Command) -> _Command:
    """Add the option that says which games a report lets people watch."""
    # Slow to import, and most commands need no replays.
    from arena.publish.replays import NEWEST

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
    if (number := whole_number(word, _MAX_DIGITS)) is None:
        what = f"'{word}' is neither all, none nor a whole number of up to {_MAX_DIGITS} digits"
        raise click.BadParameter(what)
    return number


def store_path(league: Path, store: Path | None) -> Path:
    """Return where a league's games are stored.

    Raises ArenaError if the league is a folder, or if neither it nor its store is there.
    """
    if store is None and league.is_dir():
        hint = "name the league.yaml in it"
        raise ArenaError("not a league, but a folder", str(league), hint)
    path = store or league.with_suffix(".sqlite")
    if len(os.fsencode(path.name)) > _MAX_NAME:
        what = f"the name of a store has at most {_MAX_NAME} bytes"
        raise ArenaError(what, str(path), "choose another with --store")
    if store is None and not league.exists() and not path.exists():
        there = [file.name for file in league.parent.glob("*.yaml")]
        hint = did_you_mean(league.name, there) if there else "name a league.yaml"
        raise ArenaError("no such file", str(league), hint)
    return path
