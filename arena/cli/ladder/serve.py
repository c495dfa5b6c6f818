"""`arena serve`: the web door of a ladder."""

from pathlib import Path
from typing import Any

import click

from arena.cli.exit_codes import OK
from arena.cli.ladder.argument import door_url
from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, say
from arena.io.errors import ArenaError
from arena.ladder.folder import existing

_MISSING = "pip install 'perudo-arena[serve]'"


@click.command()
@click.argument("ladder", type=PathType())
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8500,
    show_default=True,
    help="Port to listen at; 0 is any that is free.",
)
@click.option(
    "--url", default="", callback=door_url, help="Where browsers reach it, if that is elsewhere."
)
@click.option("--behind-proxy", is_flag=True, help="A proxy speaks HTTPS and is the only client.")
@click.option("--certificate", type=PathType(), help="File of a certificate, to speak HTTPS.")
@click.option("--key", type=PathType(), help="File of its key.")
@json_option
def command(ladder: Path, *, as_json: bool, **options: Any) -> int:
    """Open the web door of LADDER until Ctrl-C: upload bots, follow them, administrate.

    The ladder need not run: what is received is checked when it does.
    """
    folder = existing(ladder)
    try:
        from arena.ladder.web.run import Address, serve
    except ModuleNotFoundError as error:
        raise ArenaError(f"{error.name} is not installed", "arena serve", _MISSING) from None
    address = Address(**options)
    serve(folder, address, say)
    if as_json:
        print_json({"ladder": str(folder.root)})
    return OK
