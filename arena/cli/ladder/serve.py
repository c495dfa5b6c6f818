"""`arena serve`: the web door of a ladder."""

from pathlib import Path
from typing import Any

import click

from arena.cli.exit_codes import OK
from arena.cli.ladder.argument import address_of, door_options
from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, say
from arena.ladder.folder import existing


@click.command()
@click.argument("ladder", type=PathType())
@door_options
@json_option
def command(ladder: Path, *, as_json: bool, **options: Any) -> int:
    """Open the web door of LADDER until Ctrl-C: upload bots, follow them, administrate.

    The ladder need not run: what is received is checked when it does.
    """
    folder, address = existing(ladder), address_of(options)
    from arena.ladder.web.run import serve

    serve(folder, address, say)
    if as_json:
        print_json({"ladder": str(folder.root)})
    return OK
