"""`arena mend`: drop what is damaged of a stored league, so that it can be played again."""

from pathlib import Path

import click

from arena.cli.exit_codes import OK
from arena.cli.options import json_option, league_argument, store_option, store_path
from arena.cli.output import harmless, print_json
from arena.league.keeping.mend import mend


@click.command()
@league_argument
@store_option
@json_option
def command(league: Path, store: Path | None, *, as_json: bool) -> int:
    """Drop the damaged fixtures of LEAGUE; `arena run` plays them again.

    Does the same for fixtures that are gone. The damaged store is kept beside the mended one.
    """
    mended = mend(store_path(league, store))
    if as_json:
        print_json(mended)
        return OK
    if mended.aside is None:
        click.echo(f"{mended.kept} fixtures are sound: there is nothing to mend")
        return OK
    click.echo(
        f"{mended.kept} fixtures are sound, {len(mended.dropped)} were damaged"
        f" and {mended.lost} gone: play what is missing with arena run"
    )
    if mended.dropped:
        click.echo(harmless(f"dropped: {', '.join(mended.dropped)}"))
    click.echo(harmless(f"the damaged store is kept: {mended.aside}"))
    return OK
