"""`arena backup`: copy a stored league, even while it is played."""

from pathlib import Path

import click

from arena.cli.exit_codes import OK
from arena.cli.options import PathType, json_option, league_argument, store_option, store_path
from arena.cli.output import harmless, print_json
from arena.league.store.backup import backup
from arena.league.store.logs import logs_path


@click.command()
@league_argument
@click.argument("file", type=PathType(dir_okay=False))
@store_option
@json_option
def command(league: Path, file: Path, store: Path | None, *, as_json: bool) -> int:
    """Copy the games of LEAGUE to FILE, and their logs beside it, even while it is played.

    The copy is a store: name it to other commands with --store FILE.
    """
    fixtures = backup(store_path(league, store), file)
    if as_json:
        print_json({"fixtures": fixtures, "files": [str(file), str(logs_path(file))]})
    else:
        click.echo(harmless(f"{fixtures} fixtures: {file}, {logs_path(file)}"))
    return OK
