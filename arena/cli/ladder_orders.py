"""`arena ladder invite`, `rest`, `strike` and so on: what an operator orders."""

from pathlib import Path

import click

from arena.cli.ladder import command, folder_argument
from arena.cli.main import OK
from arena.cli.options import PathType, json_option, printable
from arena.cli.output import harmless, print_json
from arena.ladder.book import Book
from arena.ladder.door import Door
from arena.ladder.folder import Folder, existing, is_running
from arena.ladder.new import operator
from arena.ladder.tables import Action

why_option = click.option("--why", default="", callback=printable, help="The reason, for the log.")


@command.command()
@folder_argument
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@json_option
def invite(ladder: Path, names: tuple[str, ...], *, as_json: bool) -> int:
    """Let the authors NAME... submit bots to LADDER."""
    with Door(existing(ladder), writes=True) as door:
        new = {name: door.invite(name) for name in names}
    if as_json:
        print_json(new)
    for name, is_new in () if as_json else new.items():
        click.echo(harmless(f"{name} {'may submit now' if is_new else 'could submit already'}"))
    return OK


def _order(ladder: Path, what: Action, version: str, why: str, *, as_json: bool) -> int:
    """Leave an order for the ladder, and say when it is carried out."""
    folder = existing(ladder)
    found = None
    if version:
        with Book(folder) as book:
            found = book.version(version)
    with Door(folder, writes=True) as door:
        number = door.order(operator(), what, found, why)
    if as_json:
        print_json({"order": number, "what": what, "version": found.name if found else ""})
    else:
        click.echo(harmless(f"ordered: {what} {found.name if found else ''}; {_when(folder)}"))
    return OK


def _when(folder: Folder) -> str:
    answer = f"arena ladder log {folder.root} has the answer"
    return answer if is_running(folder) else f"done when the ladder runs; {answer}"


def _about_version(what: Action, about: str) -> None:
    @command.command(what.value, help=about)
    @folder_argument
    @click.argument("version")
    @why_option
    @json_option
    def order(ladder: Path, version: str, why: str, *, as_json: bool) -> int:
        return _order(ladder, what, version, why, as_json=as_json)


_about_version(Action.REST, "Let VERSION (name@3) of LADDER play no more.")
_about_version(Action.RESUME, "Let a resting VERSION of LADDER play again.")
_about_version(Action.STRIKE, "Take VERSION of LADDER out for good.")
_about_version(Action.RECHECK, "Check VERSION of LADDER again.")


@command.group()
def season() -> None:
    """Close the season that is open."""


@season.command()
@folder_argument
@why_option
@json_option
def close(ladder: Path, why: str, *, as_json: bool) -> int:
    """Close the season of LADDER: its seed and root are published, and the next one begins."""
    return _order(ladder, Action.CLOSE_SEASON, "", why, as_json=as_json)


@command.command()
@folder_argument
@click.argument("target", type=PathType())
@json_option
def backup(ladder: Path, target: Path, *, as_json: bool) -> int:
    """Copy LADDER to the new folder TARGET, even while it runs. The copy holds its secrets."""
    from arena.ladder.backup import backup as copy

    return _copied(copy(existing(ladder), target), as_json=as_json)


@command.command()
@click.argument("source", type=PathType())
@click.argument("target", type=PathType())
@json_option
def restore(source: Path, target: Path, *, as_json: bool) -> int:
    """Make the new folder TARGET a ladder again, from the backup SOURCE."""
    from arena.ladder.backup import restore as put_back

    return _copied(put_back(source, target), as_json=as_json)


def _copied(folder: Folder, *, as_json: bool) -> int:
    with Book(folder) as book:
        count = len(book.versions())
    if as_json:
        print_json({"folder": str(folder.root), "versions": count})
    else:
        click.echo(harmless(f"{folder.root}: {count} versions"))
    return OK
