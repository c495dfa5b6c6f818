"""`arena demo`: a ladder with the sample bots and its web door."""

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import click

from arena.cli.isolation import say_isolation
from arena.cli.ladder.argument import address_of
from arena.cli.ladder.running import in_thread
from arena.cli.options import PathType, json_option, say_program_folder
from arena.cli.output import print_json, say
from arena.io.container import own_address
from arena.ladder.config import load_config
from arena.ladder.demo import make_demo
from arena.ladder.folder import Folder, existing
from arena.ladder.status import status

if TYPE_CHECKING:  # it needs the extra `serve`
    from arena.ladder.web.run import Address


@click.command()
@click.argument("ladder", type=PathType(), default=Path("perudo-demo"))
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8500,
    show_default=True,
    help="Port of the web door.",
)
@json_option
def command(ladder: Path, port: int, *, as_json: bool) -> None:
    """Run a ladder with sample bots and its web door until Ctrl-C, and print your link to it.

    LADDER is a new folder, or that of an earlier demo, which goes on [default: perudo-demo].
    """
    own = {"host": own_address(), "port": port, "url": f"http://127.0.0.1:{port}"}
    address = address_of(own)
    folder = existing(ladder) if ladder.exists() else make_demo(ladder)
    say_program_folder()
    say_isolation(load_config(folder.config).file.sandbox)
    in_thread(partial(_run, folder, address))
    if as_json:
        print_json(status(folder))


def _run(folder: Folder, address: "Address", stop: Event) -> None:
    # Slow to import: a signal may come meanwhile.
    from arena.ladder.run import run_ladder

    run_ladder(folder, stop, say, _door(folder, address, stop))


@contextmanager
def _door(folder: Folder, address: "Address", stop: Event) -> Iterator[None]:
    from arena.ladder.web.door_process import door_process

    with door_process(folder, address, stop, say):
        _show_link(folder, address.base)
        yield


def _show_link(folder: Folder, url: str) -> None:
    """Invite whoever runs this as an administrator: each start makes a new link."""
    from arena.ladder.web.access import secrets

    secret, _ = secrets.invite(folder, "you", secrets.Scope.ADMINISTRATOR)
    link = f"{url}/link/{secret}"
    say(f"your link: {link}")
    say("submit a bot of your own: arena new my-bot --lang python")
    say("Ctrl-C ends it; the same command goes on with it")
    # A browser in the terminal returns only when it is left.
    Thread(target=webbrowser.open, args=[link], daemon=True).start()
