"""`arena check`: start a bot, play it against itself, say what is wrong."""

from pathlib import Path

import click
from msgspec.structs import replace

from arena.cli.options import json_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say
from arena.match.selfplay import CheckedBot, check_bot
from arena.match.transcript import transcript
from arena.perudo.rules import variant
from arena.sandboxes.base import Sandbox
from arena.sandboxes.registry import AUTO, make_sandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.manifest import Bot, load_bot
from arena.submissions.staging import check_trust, runtimes_of, stage

_LINES = 20
"""Lines that are shown of what a bot or its build wrote, the last ones."""


@click.command()
@click.argument(
    "folders", metavar="BOT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@sandbox_option
@trust_option
@click.option(
    "--transcript",
    "variant_name",
    metavar="VARIANT",
    help="Instead, let the BOTs play one game and print all that is said.",
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
    """Play each BOT (a folder with a bot.yaml, or an archive) against itself in all four variants.

    Prints what it did wrong, with what it wrote to standard error; exit code 1 if anything. What
    its build wrote is shown in any case.
    """
    bots = [load_bot(folder) for folder in folders]
    box = make_sandbox(sandbox or AUTO, runtimes_of(bots))
    check_trust(box, bots, trusted=trust_bots)
    builds: dict[str, str] = {}

    def told(bot: Bot, output: str) -> None:
        builds[bot.name] = output
        if not as_json:
            _print_build(bot, output)

    with run_folder() as runs:
        staged = [stage(bot, runs, box, told) for bot in bots]
        if variant_name:
            return _print_transcript(staged, box, variant_name)
        found = [replace(check_bot(bot, box), build=builds.get(bot.name, "")) for bot in staged]
    if as_json:
        print_json(found)
    else:
        say(f"sandbox: {box.name}")
        for checked in found:
            _print(checked)
    return 1 if any(checked.faults for checked in found) else 0


def _print_transcript(bots: list[Bot], sandbox: Sandbox, variant_name: str) -> int:
    """Print one game; a single bot plays against itself."""
    seats = bots if len(bots) > 1 else bots * 2
    for line in transcript(seats, variant(variant_name, {}, calza=True), sandbox):
        click.echo(harmless(line))
    return 0


def _print_build(bot: Bot, output: str) -> None:
    for line in output.splitlines()[-_LINES:]:
        say(f"{bot.name}: build: {line}")


def _print(checked: CheckedBot) -> None:
    verdict = f"{len(checked.faults)} faults" if checked.faults else "ok"
    played = f"{checked.games} games, {checked.decisions} decisions"
    click.echo(harmless(f"{checked.bot}: {verdict} ({played})"))
    for line in checked.faults:
        click.echo(harmless(f"  {line}"))
    for line in checked.stderr.splitlines()[-_LINES:] if checked.faults else ():
        click.echo(harmless(f"  stderr: {line}"))
