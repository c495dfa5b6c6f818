"""`arena serve`: the web door of a ladder."""

from pathlib import Path
from typing import Any

import click

from arena.cli.ladder.argument import address_of, door_options, folder_argument
from arena.cli.options import json_option
from arena.cli.output import print_json, say
from arena.ladder.folder import existing


@click.command()
@folder_argument
@door_options
@json_option
def command(ladder: Path, *, as_json: bool, **options: Any) -> None:
    """Open the web door of LADDER until Ctrl-C: upload bots, follow them, administrate.

    The ladder need not run: what is received is checked when it does.
    """
    folder, address = existing(ladder), address_of(options)
    from arena.ladder.web.run import serve

    serve(folder, address, say)
    if as_json:
        print_json({"ladder": str(folder.root)})
