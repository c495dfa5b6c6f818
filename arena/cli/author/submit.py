"""`arena submit`: give a bot to a ladder, and hear what becomes of it."""

from pathlib import Path

import click
from msgspec.structs import asdict

from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.options import PathType, json_option, printable
from arena.cli.output import harmless, print_json
from arena.io.errors import ArenaError
from arena.ladder.book.tables import WAITING, CheckResult, State
from arena.ladder.door.api import Receipt, VersionInfo, receipt_of
from arena.ladder.door.remote import Remote, is_url, read_token
from arena.ladder.door.submit import follow, result_of, state_of, submit
from arena.ladder.folder import existing
from arena.ladder.new import operator


@click.command()
@click.argument("bot", type=PathType())
@click.option(
    "--to", "ladder", required=True, help="Folder of a ladder on this machine, or https://..."
)
@click.option(
    "--author", callback=printable, help="Who submits it [default: your name on this machine]."
)
@click.option("--note", default="", callback=printable, help="A line of yours on this version.")
@click.option("--no-wait", is_flag=True, help="Do not wait for its check.")
@json_option
def command(
    bot: Path, ladder: str, author: str | None, note: str, *, no_wait: bool, as_json: bool
) -> int:
    """Submit BOT (a folder with a bot.yaml, an archive, sample:NAME) as a new version to a ladder.

    Once it says `received`, the submission is on the disk and will be checked, whatever happens to
    the ladder. The same files again are the same version. The exit code is 1 if it is refused.

    The web door of a ladder (https://...) asks for a token, in ARENA_TOKEN or in the file
    ~/.config/arena/token with mode 0600: its page `Account` makes one.
    """
    if is_url(ladder):
        return _submit_remotely((bot, note), ladder, author, no_wait=no_wait, as_json=as_json)
    folder = existing(PathType().convert(ladder, None, None))
    received = submit(folder, bot, author or operator(), note)
    version = received.upload.version
    if not as_json:
        _say(receipt_of(*received))
    for event in () if no_wait else follow(folder, version):
        if not as_json and not event.text.startswith("received"):
            click.echo(harmless(event.text))
    state = state_of(folder, version)
    result = result_of(folder, received.upload.id)
    if as_json:
        upload = received.upload._asdict()
        print_json({**upload, "version": version, "state": state, "check": result})
    elif state is State.REFUSED:
        _say_output(result)
    return FINDINGS if state is State.REFUSED else OK


def _submit_remotely(
    sent: tuple[Path, str], url: str, author: str | None, *, no_wait: bool, as_json: bool
) -> int:
    if author:
        raise ArenaError("a door knows who submits by the token", "--author", "leave it out")
    door = Remote(url, read_token())
    received = door.submit(*sent)
    state = State.QUEUED
    if not as_json:
        _say(received)
    for told in () if no_wait else door.follow(received.version):
        if isinstance(told, VersionInfo):
            state = told.state
        elif not as_json and not told.text.startswith("received"):
            click.echo(harmless(told.text))
    result = None if state in WAITING else door.check_result(received.version)
    if as_json:
        print_json({**asdict(received), "state": state, "check": result})
    elif state is State.REFUSED:
        _say_output(result)
    return FINDINGS if state is State.REFUSED else OK


def _say_output(result: CheckResult | None) -> None:
    """Print what a refused bot and its build wrote."""
    if result is None:
        return
    stderr = next((fault.stderr for fault in result.faults if fault.stderr), result.stderr)
    for name, text in (("build", result.build), ("stderr", stderr)):
        for line in text.splitlines():
            click.echo(harmless(f"  {name}: {line}"))


def _say(received: Receipt) -> None:
    again = "" if received.new else " (before: these are the same files)"
    digest = f"sha256 {received.sha256} {received.received_at}"
    click.echo(harmless(f"received {received.version} {digest}{again}"))
    left, frees_at = received.quota, received.quota.frees_at
    window = f"; the next is free again at {frees_at}" if frees_at else ""
    click.echo(harmless(f"{left.left} of {left.of} submissions left{window}"))
