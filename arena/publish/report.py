"""The report of a store: rate what counts, then write the site."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.league.progress import LeagueProgress
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.replay.selection import ReplayChoice
from arena.publish.site import publish
from arena.publish.stored_games import StoredGames, Submit
from arena.ratings.standings import Ratings, by_division, rate_results
from arena.records import LeagueInfo, QuarantinedFixture, RatingsInfo
from arena.store.store import Store


class Report(NamedTuple):
    """A report that was written."""

    front: Path
    """Its front page."""
    root: str
    """The hash that pins the store."""
    ratings: Ratings
    games: int
    left: int
    """Fixtures that are due and not stored; none are where the league is finished."""
    aside: list[QuarantinedFixture]
    """What could not be played."""

    def data(self) -> dict[str, object]:
        """Return what `--json` prints of it."""
        found = {"site": str(self.front), "root": self.root, **_ratings_data(self.ratings)}
        return {**found, "set_aside": self.aside}


def write_report(
    store: Store,
    info: LeagueInfo,
    options: RatingsInfo,
    site: Path,
    replays: ReplayChoice,
    *,
    names: Pseudonyms | None = None,
) -> Report:
    """Write the report of what counts in a store, perhaps without anybody's name."""
    with _without_collecting():
        return _write(store, info, options, site, replays, names)


def _write(
    store: Store,
    info: LeagueInfo,
    options: RatingsInfo,
    site: Path,
    replays: ReplayChoice,
    names: Pseudonyms | None,
) -> Report:
    course = LeagueProgress(info)
    fixtures = StoredGames(store, info, course.counts, _workers, names)
    for one in fixtures.digests:
        course.add(one)
    aside = [one for one in store.aside() if course.counts(one.fixture.id)]
    if names:
        aside = [names.aside(one) for one in aside]
        info, options = names.info(info), names.ratings(options)
    ratings = rate_results(by_division(fixtures.digests), options)
    root = fixtures.root
    front = publish(info, ratings, fixtures, site, aside=aside, root=root, replays=replays)
    games = sum(len(one.games) for one in fixtures.digests)
    return Report(front, root, ratings, games, len(course.due()), aside)


def _ratings_data(ratings: Ratings) -> dict[str, object]:
    """Return ratings as JSON can hold them; what is about pairs is in the site's data files."""
    return {
        "leaderboards": [
            {
                "variant": board.variant,
                "players": board.players,
                "blocks": board.blocks,
                "intervals_by": board.method,
                "dice_gain": board.dice_gain,
                "rows": board.rows,
            }
            for board in ratings.boards
        ],
        "overall": ratings.overall,
        "suspicions": ratings.suspicions,
    }


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Let the collector of cycles rest: among many small records it looks long and finds none."""
    gc.disable()
    try:
        yield
    finally:
        # What is left counts as old now, and is not looked through at once.
        gc.freeze()
        gc.unfreeze()
        gc.enable()


@contextmanager
def _workers(count: int) -> Iterator[Submit]:
    # Slow to import, and a small report needs none.
    from arena.league.workers import pool, start

    with pool(count, pin=False) as executor:
        yield partial(start, executor)
