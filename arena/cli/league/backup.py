"""`arena backup`: copy a stored league, even while it is played."""

from pathlib import Path

import click

from arena.cli.options import PathType, json_option, league_argument, store_option, store_path
from arena.cli.output import print_result
from arena.league.store.backup import backup
from arena.league.store.logs import logs_path


@click.command()
@league_argument
@click.argument("file", type=PathType(dir_okay=False))
@store_option
@json_option
def command(league: Path, file: Path, store: Path | None, *, as_json: bool) -> None:
    """Copy the games of LEAGUE to FILE, and their logs beside it, even while it is played.

    The copy is a store: name it to other commands with --store FILE.
    """
    fixtures = backup(store_path(league, store), file)
    files = [str(file), str(logs_path(file))]
    line = f"{fixtures} fixtures: {', '.join(files)}"
    print_result({"fixtures": fixtures, "files": files}, line, as_json=as_json)
