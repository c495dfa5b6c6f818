"""`arena perft`: count the bid sequences of a round."""

from typing import Literal

import click
from msgspec.structs import replace

from arena.cli.options import json_option
from arena.cli.output import print_result
from arena.game.rules.books import MAX_PLAYERS, MAX_STARTING_DICE, MIN_PLAYERS, variant
from arena.game.rules.perft import perft
from arena.game.rules.round import first_standing


@click.command()
@click.argument("variant_name", metavar="VARIANT")
@click.option(
    "--players",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    required=True,
    help="Players at the table.",
)
@click.option(
    "--starting-dice",
    type=click.IntRange(1, MAX_STARTING_DICE),
    required=True,
    help="Dice of each player.",
)
@click.option(
    "--round",
    "kind",
    type=click.Choice(["normal", "palifico"]),
    default="normal",
    show_default=True,
    help="Which round to count; a palifico round is the first of its game.",
)
@json_option
def command(
    variant_name: str,
    players: int,
    starting_dice: int,
    kind: Literal["normal", "palifico"],
    *,
    as_json: bool,
) -> None:
    """Count all non-empty bid sequences of a round of VARIANT from its opening.

    Calza is off, and quantities go up to the players x starting dice on the table. The count checks
    move generators against each other: what may be bid, whether or not a game gets there.
    """
    standing = first_standing(variant(variant_name, {}, starting_dice=starting_dice), players, 0)
    if kind == "palifico":
        standing = replace(standing, palifico_seat=0)
    count = perft(standing)
    shape = {"variant": variant_name, "players": players, "starting_dice": starting_dice}
    print_result({**shape, "round": kind, "sequences": count}, str(count), as_json=as_json)
