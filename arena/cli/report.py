"""`arena report`: write the site of a stored league."""

from pathlib import Path

import click

from arena.cli.options import (
    json_option,
    league_argument,
    site_option,
    store_option,
    store_path,
)
from arena.cli.output import print_json, ratings_data, say, say_suspicions
from arena.cli.replays import replays_option
from arena.errors import ArenaError
from arena.league.config import load_ratings
from arena.league.course import Course
from arena.publish.kept import Choice
from arena.publish.site import write_site
from arena.ratings.standings import rate_league
from arena.records import LeagueInfo, RatingsInfo
from arena.store.store import Store


@click.command()
@league_argument
@store_option
@site_option
@replays_option
@json_option
def command(league: Path, store: Path | None, site: Path, *, replays: Choice, as_json: bool) -> int:
    """Write the report of LEAGUE from its stored games, finished or not."""
    with Store(store_path(league, store)) as kept:
        info = kept.league
        if info is None:
            raise ArenaError("nothing was played yet", str(kept.path), f"arena run {league}")
        course = Course(info)
        played = [one for one in kept.played() if course.counts(one.fixture)]
        root = kept.root()
        results = (one for one in kept.results() if course.counts(one.fixture))
        ratings = rate_league(results, _options(league, info))
        aside = [one for one in kept.aside() if course.counts(one.fixture)]
        index = write_site(info, ratings, played, site, aside=aside, root=root, replays=replays)
    if as_json:
        print_json({"site": str(index), "root": root, **ratings_data(ratings)})
    say_suspicions(ratings, index)
    say(f"report: {index}")
    return 0


def _options(league: Path, info: LeagueInfo) -> RatingsInfo:
    """Return what the league asks of its ratings now: they may change after the games."""
    if not league.is_file():
        return info.ratings
    return load_ratings(league, [bot.name for bot in info.bots])
