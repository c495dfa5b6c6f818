"""`arena animate`: a stored game as an animated picture."""

from pathlib import Path

import click

from arena.author.rerun import stored_fixture
from arena.cli.options import PathType, json_option, league_argument, store_option, store_path
from arena.cli.output import print_json, say
from arena.io.files import write_file
from arena.league.store.store import Store
from arena.publish.replay_steps import replay

_MAX_NUMBER = 10**9


@click.command()
@league_argument
@click.argument("fixture", type=click.IntRange(0, _MAX_NUMBER))
@click.argument("game", type=click.IntRange(0, _MAX_NUMBER))
@store_option
@click.option(
    "--last",
    type=click.IntRange(1, _MAX_NUMBER),
    metavar="N",
    help="Show the last N rounds alone.",
)
@click.option(
    "-o",
    "--into",
    "output",
    type=PathType(dir_okay=False),
    help="The file to write [default: game-FIXTURE-GAME.gif].",
)
@json_option
def command(
    league: Path,
    fixture: int,
    game: int,
    store: Path | None,
    last: int | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Write a game of LEAGUE as an animated picture (GIF), to share it.

    FIXTURE and GAME are counted from 0, as in the address of a replay.
    """
    # numpy is slow to import.
    from arena.publish.pages.animation import animation

    with Store(store_path(league, store)) as stored:
        played = stored_fixture(stored, fixture, game)
        rules = stored.conditions().variants[played.fixture.variant]
    [record] = [record for record in played.games if record.game == game]
    seats = played.fixture.seats
    told = replay(record, seats, rules, played.fixture.max_rounds)
    target = output or Path(f"game-{fixture}-{game}.gif")
    write_file(target, animation(told, seats, last), 0o644)
    if as_json:
        print_json({"animation": str(target)})
    say(f"animation: {target}")
