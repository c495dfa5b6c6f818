"""`arena check`: start a bot, play it against itself, say what is wrong."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

import click

from arena.bots.choose import AUTO, check_trust, make_sandbox
from arena.bots.manifest import load_bot
from arena.bots.stage import stage
from arena.cli.options import json_option, sandbox_option, trust_option
from arena.cli.output import harmless, print_json, say
from arena.match.check import Checked, check_bot


@click.command()
@click.argument(
    "folders", metavar="BOT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@sandbox_option
@trust_option
@json_option
def command(
    folders: tuple[Path, ...], sandbox: str | None, *, trust_bots: bool, as_json: bool
) -> int:
    """Play each BOT (a folder with a bot.yaml) against itself under all four variants.

    Prints what it did wrong, with what it wrote to standard error; exit code 1 if anything.
    """
    bots = [load_bot(folder) for folder in folders]
    box = make_sandbox(sandbox or AUTO)
    check_trust(box, bots, trusted=trust_bots)
    runs = Path(mkdtemp(prefix="perudo-arena-"))
    runs.chmod(0o755)
    try:
        found = [check_bot(stage(bot, runs, box), box) for bot in bots]
    finally:
        shutil.rmtree(runs, ignore_errors=True)
    if as_json:
        print_json(found)
    else:
        say(f"sandbox: {box.name}")
        for checked in found:
            _print(checked)
    return 1 if any(checked.faults for checked in found) else 0


def _print(checked: Checked) -> None:
    verdict = f"{len(checked.faults)} faults" if checked.faults else "ok"
    played = f"{checked.games} games, {checked.decisions} decisions"
    click.echo(harmless(f"{checked.bot}: {verdict} ({played})"))
    for line in checked.faults:
        click.echo(harmless(f"  {line}"))
    for line in checked.stderr.splitlines()[-20:] if checked.faults else ():
        click.echo(harmless(f"  stderr: {line}"))
