"""`arena check`: start a bot, play it against itself, say what is wrong."""

from pathlib import Path

import click
from msgspec.structs import replace

from arena.cli.options import PathType, json_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say
from arena.match.preparation import CheckedBot, check_bot
from arena.match.transcript import transcript
from arena.perudo.rules import variant
from arena.sandboxes.base import Sandbox
from arena.sandboxes.registry import AUTO, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.bot import Bot, StagedBot, check_trust, runtimes_of
from arena.submissions.manifest import load_bot
from arena.submissions.staging import stage

_LINES = 20
"""Lines shown of the end of a bot's or its build's output."""


@click.command()
@click.argument("folders", metavar="BOT...", nargs=-1, required=True, type=PathType())
@sandbox_option
@trust_option
@click.option(
    "--transcript",
    "variant_name",
    metavar="VARIANT",
    help="Instead, have the BOTs play one game and print the conversation.",
)
@json_option
def command(
    folders: tuple[Path, ...],
    sandbox: str | None,
    variant_name: str | None,
    *,
    trust_bots: bool,
    as_json: bool,
) -> int:
    """Play each BOT (a folder with a bot.yaml, or an archive) against itself under all rule books.

    Prints its faults and the end of its standard error; the exit code is 1 if there are faults.
    The output of its build is always shown.
    """
    bots = [load_bot(folder) for folder in folders]
    chosen = make_sandbox(sandbox or AUTO, runtimes_of(bots))
    check_trust(chosen, bots, trusted=trust_bots)
    builds: dict[str, str] = {}

    def on_build(bot: Bot, output: str) -> None:
        builds[bot.name] = output
        for line in () if as_json else output.splitlines()[-_LINES:]:
            say(f"{bot.name}: build: {line}")

    with run_folder() as runs:
        staged = [stage(bot, runs, chosen, on_build) for bot in bots]
        if variant_name:
            return _print_transcript(staged, chosen, variant_name)
        checked = [
            replace(check_bot(bot, chosen), build=builds.get(bot.name, "")) for bot in staged
        ]
    if as_json:
        print_json(checked)
    else:
        say(f"sandbox: {chosen.name}")
        for bot in checked:
            _print(bot)
    return 1 if any(bot.faults for bot in checked) else 0


def _print_transcript(bots: list[StagedBot], sandbox: Sandbox, variant_name: str) -> int:
    seats = bots if len(bots) > 1 else bots * 2
    for line in transcript(seats, variant(variant_name, {}, calza=True), sandbox):
        click.echo(harmless(line))
    return 0


def _print(checked: CheckedBot) -> None:
    verdict = f"{len(checked.faults)} faults" if checked.faults else "ok"
    played = f"{checked.games} games, {checked.decisions} decisions"
    click.echo(harmless(f"{checked.bot}: {verdict} ({played})"))
    for line in checked.faults:
        click.echo(harmless(f"  {line}"))
    for line in checked.stderr.splitlines()[-_LINES:] if checked.faults else ():
        click.echo(harmless(f"  stderr: {line}"))
