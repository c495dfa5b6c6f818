"""`arena new`: begin a bot."""

from pathlib import Path
from shlex import quote

import click

from arena.bots.command import how_to_get
from arena.bots.kits import create
from arena.bots.runtimes import KITS, kit_meant
from arena.cli.options import PathType, json_option
from arena.cli.output import print_json, print_result
from arena.io.errors import ArenaError


@click.command()
@click.argument("folder", metavar="[FOLDER]", required=False, type=PathType())
@click.option(
    "--lang",
    "--kit",
    "language",
    default="python",
    show_default=True,
    metavar="LANGUAGE",
    help="One of those that --list shows.",
)
@click.option("--list", "list_kits", is_flag=True, help="List the kits.")
@json_option
def command(folder: Path | None, language: str, *, list_kits: bool, as_json: bool) -> None:
    """Make FOLDER, with a bot that already plays: one function of it is yours to edit.

    The bot is named like the folder. A helper file beside it talks to the arena, and needs nothing
    but the language itself.
    """
    if list_kits:
        lines = [f"{name:<12}{kit.title}" for name, kit in KITS.items()]
        print_result({name: kit.title for name, kit in KITS.items()}, *lines, as_json=as_json)
        return
    if folder is None:
        raise ArenaError("no folder to make", "arena new", "for example: arena new my-bot")
    language = kit_meant(language)
    bot = create(folder, language)
    kit = KITS[language]
    steps = {
        "edit": f"{folder / kit.edit}: {kit.part}",
        "test": f"cd {quote(str(folder))} && {kit.test}",
        "check": f"arena check {quote(str(folder))}",
    }
    if kit.needs:
        steps = {"needs": kit.needs} | steps
    if missing := bot.missing_program:
        steps = {"first": f"install {missing}: {how_to_get(bot.first_command, bot.folder)}"} | steps
    if as_json:
        print_json({"folder": str(bot.folder), "name": bot.name, "language": language} | steps)
        return
    click.echo(f"made {folder}, a bot in {kit.title} that already plays")
    for name, step in steps.items():
        click.echo(f"  {name:<6} {step}")
