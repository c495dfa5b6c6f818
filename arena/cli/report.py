"""`arena report`: write the site of a stored league."""

from pathlib import Path

import click

from arena.cli.options import json_option, league_argument, site_option, store_option, store_path
from arena.cli.output import boards_data, print_json, say
from arena.errors import ArenaError
from arena.league.course import Course
from arena.publish.site import write_site
from arena.ratings.table import leaderboards
from arena.store.store import Store


@click.command()
@league_argument
@store_option
@site_option
@json_option
def command(league: Path, store: Path | None, site: Path, *, as_json: bool) -> int:
    """Write the report of LEAGUE from its stored games, finished or not."""
    with Store(store_path(league, store)) as kept:
        info = kept.league
        if info is None:
            raise ArenaError("nothing was played yet", str(kept.path), f"arena run {league}")
        course = Course(info)
        played = [one for one in kept.played() if course.counts(one.fixture)]
        boards = leaderboards(played)
        index = write_site(info, boards, played, site)
    if as_json:
        print_json({"site": str(index), "leaderboards": boards_data(boards)})
    say(f"report: {index}")
    return 0
