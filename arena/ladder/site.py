"""What a ladder publishes: its site for everybody, and each author's own pages.

Two copies of the site take turns: one is read, by the link `site`, while the other is written.
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.ladder.book import Book
from arena.ladder.folder import Folder
from arena.ladder.private import write_private_pages
from arena.ladder.season import STORE
from arena.ladder.tables import SeasonRow
from arena.ladder.times import stamp
from arena.league.master_seed import withheld
from arena.league.progress import LeagueProgress
from arena.league.schedule import Schedule
from arena.publish.replay.selection import NEWEST
from arena.publish.site import StoreState, publish
from arena.publish.stored_games import StoredGames
from arena.ratings.standings import by_division, rate_results
from arena.records import Division, Fixture
from arena.store.store import Store

_COPIES = ("a", "b")
_READABLE = 0o755


class Published(Struct, frozen=True):
    """What was published, and how long it took."""

    seconds: float
    games: int


def publish_all(folder: Folder) -> Published:
    """Publish what is stored now: the season's complete blocks, and the authors' own pages."""
    began = time.monotonic()
    with Book(folder) as book:
        season = book.seasons()[-1]
        games = _publish_site(folder, season, book.seasons())
        write_private_pages(folder, book)
    return Published(time.monotonic() - began, games)


def publish_closed(folder: Folder, number: int) -> None:
    """Publish the last report of a closed season, with its seed, in a folder of its own."""
    store = folder.season(number) / STORE
    _write_site(store, _sites(folder) / "seasons" / str(number), secret=False)


def _publish_site(folder: Folder, season: SeasonRow, seasons: Sequence[SeasonRow]) -> int:
    sites = _sites(folder)
    current = folder.site.readlink().name if folder.site.is_symlink() else ""
    copy = sites / next(name for name in _COPIES if name != current)
    games = _write_site(folder.season(season.number) / STORE, copy, secret=True)
    copy.mkdir(mode=_READABLE, exist_ok=True)
    (copy / "seasons.json").write_text(_seasons(seasons), encoding="utf-8")
    if not (copy / "seasons").is_symlink():
        (copy / "seasons").symlink_to("../seasons")
    link = folder.root / ".site.part"
    link.unlink(missing_ok=True)
    link.symlink_to(copy.relative_to(folder.root))
    link.replace(folder.site)
    return games


def _sites(folder: Folder) -> Path:
    sites = folder.root / "sites"
    (sites / "seasons").mkdir(mode=_READABLE, parents=True, exist_ok=True)
    return sites


def _write_site(store_path: Path, site: Path, *, secret: bool) -> int:
    """Write the report of a store; returns how many games it has.

    While the season is open its seed is `secret`, and so are blocks that are not complete: whoever
    saw one of their games would know the dice of the others.
    """
    if not store_path.exists():
        return 0
    with Store(store_path) as store:
        info = store.league
        if info is None:
            return 0
        schedule = Schedule(info)
        progress, complete = LeagueProgress(schedule), _complete(schedule, store.finished())
        shown = complete if secret else {one.id for one in schedule.fixtures}
        games = StoredGames(store, info, shown.__contains__)
        for result in games.results:
            progress.add(result)
        publish(
            withheld(info) if secret else info,
            rate_results(by_division(games.results), info.ratings),
            games,
            site,
            state=StoreState(games.root, len(progress.due()), store.quarantined()),
            replays=NEWEST,
        )
    return sum(len(result.games) for result in games.results)


def _complete(schedule: Schedule, finished: set[str]) -> set[str]:
    """Return the fixtures of complete blocks."""
    missing = Counter[tuple[Division, int]]()
    for one in schedule.fixtures:
        missing[_block(one)] += one.id not in finished
    return {one.id for one in schedule.fixtures if not missing[_block(one)]}


def _block(fixture: Fixture) -> tuple[Division, int]:
    return fixture.division, fixture.block


def _seasons(seasons: Sequence[SeasonRow]) -> str:
    """Return what is public of all seasons, as JSON."""
    rows = [
        {
            "season": one.number,
            "opened_at": stamp(one.opened_at),
            "commitment": one.commitment,
            "closed_at": one.closed_at and stamp(one.closed_at),
            "seed": one.seed or None,
            "root": one.root or None,
        }
        for one in seasons
    ]
    return json.dumps(rows, indent=1) + "\n"
