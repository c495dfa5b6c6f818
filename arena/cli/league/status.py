"""`arena status`: how far a league has come, also while it runs."""

from pathlib import Path

import click
from msgspec.structs import astuple

from arena.cli.options import json_option, league_argument, store_option, store_path
from arena.cli.output import harmless, print_columns, print_json
from arena.league.keeping.status import Status, status
from arena.league.schedule.playoff import playoff_in_words
from arena.league.store.store import Store
from arena.league.store.store_file import is_locked


@click.command()
@league_argument
@store_option
@json_option
def command(league: Path, store: Path | None, *, as_json: bool) -> None:
    """Show how much of LEAGUE is stored, how fast it is played, its faults and what comes next.

    Also works while `arena run` is playing it.
    """
    path = store_path(league, store)
    playing = is_locked(path)
    with Store(path) as stored:
        state = status(stored, playing=playing)
    if as_json:
        print_json(state)
    else:
        _print_status(state)


def _print_status(status: Status) -> None:
    state = "finished" if status.finished else "stopped; arena run goes on with it"
    if status.playing:
        state = "an arena is playing it"
    speed = ""
    if status.games_per_second is not None:
        when = "" if status.playing else " when it was last played"
        speed = f", {status.games_per_second:.1f} games/s{when}"
    faults = ", ".join(f"{cause} {count}" for cause, count in status.faults.items())
    games = f"{status.games} of {status.scheduled_games} games"
    lines = [
        f"{status.name}: {state}",
        f"{status.fixtures} of {status.scheduled} fixtures, {games}{speed}",
        f"faults: {faults or 'none'}",
    ]
    if status.playoff:
        lines.append(playoff_in_words(status.playoff))
    if status.not_counting:
        lines.append(f"{status.not_counting} stored fixtures no longer count")
    for line in lines:
        click.echo(harmless(line))
    click.echo()
    rows = [
        [f"{variant}, {players} players", *map(str, numbers)]
        for variant, players, *numbers in map(astuple, status.divisions)
    ]
    print_columns(["table", "fixtures", "of", "games", "faults"], rows)
    for fixture in status.next:
        seats = ", ".join(fixture.seats)
        click.echo(harmless(f"next: fixture {fixture.index}, {fixture.variant}: {seats}"))
