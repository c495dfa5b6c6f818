"""`arena card`: the rank of a bot in a league as a picture."""

import shutil
from pathlib import Path

import click

from arena.cli.options import (
    PathType,
    json_option,
    league_argument,
    site_option,
    store_option,
    store_path,
)
from arena.cli.output import print_json, reporting, say
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import os_errors
from arena.league.changes import version_of
from arena.league.store.store import Store
from arena.publish.links import links
from arena.publish.report import ReportRequest, report


@click.command()
@league_argument
@click.argument("bot")
@store_option
@site_option
@click.option(
    "-o",
    "--into",
    "output",
    type=PathType(dir_okay=False),
    help="The file to write [default: the name of the bot with the ending .svg].",
)
@json_option
def command(
    league: Path, bot: str, store: Path | None, site: Path, output: Path | None, *, as_json: bool
) -> None:
    """Write the rank of BOT in LEAGUE as a picture (SVG), for a README or a profile.

    The report is written as by `arena report`: the picture is one of its files, with the rank of
    the newest version. On a ladder it is at /site/cards/ of the door.
    """
    path, name = store_path(league, store), version_of(bot)[0]
    with reporting() as tell:
        made = report(ReportRequest(league, path, site), tell)
    with Store(path) as stored:
        addresses = links(stored.conditions(), made.ratings.boards)
    if name not in addresses.cards:
        hint = did_you_mean(name, addresses.cards)
        raise ArenaError("no bot of the league has this name", name, hint)
    card = site / addresses.card(name)
    if not card.is_file():
        raise ArenaError("it is not rated", name, "a fault in every game leaves none to rate")
    target = output or Path(card.name)
    with os_errors("the card cannot be written", target, "name a file in a folder of yours"):
        shutil.copyfile(card, target)
    if as_json:
        print_json({"card": str(target)})
    say(f"card: {target}")
