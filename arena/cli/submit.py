"""`arena submit`: give a bot to a ladder, and hear what becomes of it."""

from pathlib import Path

import click

from arena.cli.main import FINDINGS, OK
from arena.cli.options import PathType, json_option, printable
from arena.cli.output import harmless, print_json
from arena.ladder.folder import existing
from arena.ladder.new import operator
from arena.ladder.submit import Received, follow, state_of, submit
from arena.ladder.tables import State
from arena.ladder.times import stamp


@click.command()
@click.argument("bot", type=PathType())
@click.option(
    "--to", "ladder", type=PathType(), required=True, help="Folder of a ladder on this machine."
)
@click.option(
    "--author", callback=printable, help="Who submits it [default: your name on this machine]."
)
@click.option("--no-wait", is_flag=True, help="Do not wait for its check.")
@json_option
def command(bot: Path, ladder: Path, author: str | None, *, no_wait: bool, as_json: bool) -> int:
    """Submit BOT (a folder with a bot.yaml, an archive) as a new version to a ladder.

    Once it says `received`, the submission is on the disk and will be checked, whatever happens to
    the ladder. The same files again are the same version. The exit code is 1 if it is refused.
    """
    folder = existing(ladder)
    received = submit(folder, bot, author or operator())
    version = received.upload.version
    if not as_json:
        _say(received)
    for event in () if no_wait else follow(folder, version):
        if not as_json and not event.text.startswith("received"):
            click.echo(harmless(event.text))
    state = state_of(folder, version)
    if as_json:
        print_json({**received.upload._asdict(), "version": version, "state": state})
    return FINDINGS if state is State.REFUSED else OK


def _say(received: Received) -> None:
    upload, left = received.upload, received.allowance
    again = "" if received.new else " (before: these are the same files)"
    when = stamp(upload.received_at)
    click.echo(harmless(f"received {upload.version} sha256 {upload.sha256} {when}{again}"))
    window = f"; the next is free again at {stamp(left.frees_at)}" if left.frees_at else ""
    click.echo(f"{left.left} of {left.of} submissions left{window}")
