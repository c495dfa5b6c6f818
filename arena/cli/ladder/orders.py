"""`arena ladder invite`, `rest`, `strike` and so on: what an operator orders."""

from pathlib import Path

import click

from arena.cli.groups import WholeHelpGroup
from arena.cli.ladder.door import door_url, folder_argument
from arena.cli.options import PathType, json_option, printable
from arena.cli.output import harmless, print_json, print_result
from arena.course.roster import read_roster
from arena.io.errors import ArenaError
from arena.ladder.book.book import Book, named_version
from arena.ladder.book.tables import Action
from arena.ladder.door import access
from arena.ladder.door.access import Scope
from arena.ladder.door.address import noted_address
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing, is_running
from arena.ladder.new import operator

why_option = click.option("--why", default="", callback=printable, help="The reason, for the log.")


@click.command()
@folder_argument
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option("--roster", type=PathType(), help="CSV file with their names in the column id.")
@click.option("--admin", is_flag=True, help="Let them administrate, for 12 hours.")
@click.option(
    "--url",
    default="",
    callback=door_url,
    help="Where browsers reach the door [default: where it was opened last].",
)
@json_option
def invite(
    ladder: Path,
    names: tuple[str, ...],
    roster: Path | None,
    url: str,
    *,
    admin: bool,
    as_json: bool,
) -> None:
    """Let authors submit bots to LADDER, and print a link to its web door for each NAME.

    A link is valid for 14 days and for one browser. Whoever is invited again gets
    another one, and those before are not valid any more.
    """
    folder = existing(ladder)
    invited = [*names, *(student.id for student in (read_roster(roster) if roster else ()))]
    if not invited:
        raise ArenaError("nobody is invited", "NAME...", "name somebody, or give --roster FILE")
    with Door(folder) as door:
        door.check_authors(invited)
    scope = Scope.ADMINISTRATOR if admin else Scope.AUTHOR
    links = {}
    door_at = url or noted_address(folder)
    for name in invited:
        secret, new = access.invite(folder, name, scope, by=operator())
        links[name] = f"{door_at}/link/{secret}"
        if not as_json:
            said = "may submit now" if new else "could submit already"
            click.echo(harmless(f"{name} {said}: {links[name]}"))
    if as_json:
        print_json(links)


@click.command()
@folder_argument
@click.argument("name")
@json_option
def revoke(ladder: Path, name: str, *, as_json: bool) -> None:
    """Make all links, sessions and tokens of the author NAME of LADDER invalid, at once."""
    folder = existing(ladder)
    with Door(folder) as door:
        author = door.author(name).name
    with access.Secrets(folder, writes=True) as kept:
        count = kept.revoke(author, by=operator())
    line = f"{author}: {count} links, sessions and tokens are invalid now"
    print_result({"author": author, "revoked": count}, line, as_json=as_json)


def _order(ladder: Path, what: Action, version: str, why: str, *, as_json: bool) -> None:
    """Leave an order for the ladder, and say when it is carried out."""
    folder = existing(ladder)
    with Book(folder) as book, Door(folder, writes=True) as door:
        target = named_version(door.versions(book), version, folder) if version else None
        number = door.order(operator(), what, target, why)
    _ordered(folder, number, what, as_json=as_json, version=target.name if target else "")


def _ordered(
    folder: Folder, number: int, what: Action, *, as_json: bool, **about: str | int
) -> None:
    words = " ".join(map(str, about.values()))
    when = "" if is_running(folder) else "done when the ladder runs; "
    line = f"ordered: {what} {words}; {when}arena ladder log {folder.root} has the answer"
    print_result({"order": number, "what": what, **about}, line, as_json=as_json)


def _about_version(what: Action, about: str) -> click.Command:
    @click.command(what.value, help=about)
    @folder_argument
    @click.argument("version")
    @why_option
    @json_option
    def order(ladder: Path, version: str, why: str, *, as_json: bool) -> None:
        _order(ladder, what, version, why, as_json=as_json)

    return order


approve = _about_version(
    Action.APPROVE, "Let VERSION (name@3) of LADDER play: it passed its check."
)
rest = _about_version(Action.REST, "Let VERSION (name@3) of LADDER pause until it is resumed.")
resume = _about_version(Action.RESUME, "Let a resting VERSION of LADDER play again.")
strike = _about_version(Action.STRIKE, "Remove VERSION of LADDER; its games no longer count.")
recheck = _about_version(Action.RECHECK, "Check VERSION of LADDER again.")


@click.command()
@folder_argument
@click.argument("author")
@click.argument("uploads", type=int)
@why_option
@json_option
def quota(ladder: Path, author: str, uploads: int, why: str, *, as_json: bool) -> None:
    """Let AUTHOR make UPLOADS submissions to LADDER in 24 hours, whatever ladder.yaml says."""
    folder = existing(ladder)
    with Door(folder, writes=True) as door:
        name = door.author(author).name
        number = door.order_quota(operator(), name, uploads, why)
    what = Action.QUOTA
    _ordered(folder, number, what, as_json=as_json, author=name, uploads=uploads)


@click.group(cls=WholeHelpGroup)
def season() -> None:
    """Close the season that is open."""


@season.command()
@folder_argument
@why_option
@json_option
def close(ladder: Path, why: str, *, as_json: bool) -> None:
    """Close the season of LADDER: its seed and root are published, and the next one begins."""
    _order(ladder, Action.CLOSE_SEASON, "", why, as_json=as_json)


@click.command()
@folder_argument
@click.argument("target", type=PathType())
@click.option(
    "--verify", is_flag=True, help="Read the copy again; the web door shows when that was."
)
@json_option
def backup(ladder: Path, target: Path, *, verify: bool, as_json: bool) -> None:
    """Copy LADDER to the new folder TARGET, even while it runs. The copy holds its secrets."""
    from arena.ladder.backup import backup as copy

    _copied(copy(existing(ladder), target, verify=verify), as_json=as_json)


@click.command()
@click.argument("source", type=PathType())
@click.argument("target", type=PathType())
@json_option
def restore(source: Path, target: Path, *, as_json: bool) -> None:
    """Make the new folder TARGET a ladder again, from the backup SOURCE."""
    from arena.ladder.backup import restore as put_back

    _copied(put_back(source, target), as_json=as_json)


def _copied(folder: Folder, *, as_json: bool) -> None:
    with Book(folder) as book:
        count = len(book.versions())
    value = {"folder": str(folder.root), "versions": count}
    print_result(value, f"{folder.root}: {count} versions", as_json=as_json)
