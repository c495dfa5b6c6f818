"""`arena serve`: the web door of a ladder; and the arguments that commands of an operator share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, say
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.ladder.door.address import door_address
from arena.ladder.folder import existing

if TYPE_CHECKING:  # it needs the extra `serve`
    from arena.ladder.web.run import Address

folder_argument = click.argument("ladder", type=PathType())
"""The folder of a ladder."""


def door_url(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Return the address of a door, or "": ArenaError for one to which no browser could go."""
    return door_address(url, "--url").geturl() if url else ""


_DOOR_OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at."),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8500,
        show_default=True,
        help="Port to listen at; 0 is any that is free.",
    ),
    click.option(
        "--url",
        default="",
        callback=door_url,
        help="Where browsers reach it, if that is elsewhere; it may end with a path.",
    ),
    click.option(
        "--behind-proxy", is_flag=True, help="A proxy speaks HTTPS and is the only client."
    ),
    click.option("--certificate", type=PathType(), help="File of a certificate, to speak HTTPS."),
    click.option("--key", type=PathType(), help="File of its key."),
)


def door_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a web door."""
    for option in reversed(_DOOR_OPTIONS):
        command = option(command)
    return command


def address_of(options: dict[str, Any]) -> "Address":
    """Return where a door listens; raises ArenaError if it cannot be served here."""
    try:
        from arena.ladder.web.run import Address
    except ModuleNotFoundError as error:
        hint = shipped.how_to_install("serve")
        raise ArenaError(f"{error.name} is not installed", "the web door", hint) from None
    return Address(**options)


def check_no_door(options: dict[str, Any]) -> None:
    """Raise ArenaError if an option of a web door was given where none is opened."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise ArenaError(f"{option} is for the web door", "arena ladder run", "add --serve")


@click.command()
@folder_argument
@door_options
@json_option
def serve_(ladder: Path, *, as_json: bool, **options: Any) -> None:
    """Open the web door of LADDER until Ctrl-C: upload bots, follow them, administrate.

    The ladder need not run: what is received is checked when it does.
    """
    folder, address = existing(ladder), address_of(options)
    from arena.ladder.web.run import serve

    serve(folder, address, say)
    if as_json:
        print_json({"ladder": str(folder.root)})
