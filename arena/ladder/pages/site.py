"""What a ladder publishes: its site for everybody, and each author's own pages.

Two copies of the site take turns: one is read, by the link `site`, while the other is written.
"""

import json
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Division, Fixture, LeagueInfo
from arena.io.files import part_of
from arena.io.numbers import stamp
from arena.ladder.book.book import Book
from arena.ladder.book.tables import SeasonRow
from arena.ladder.folder import Folder
from arena.ladder.pages.private import write_private_pages
from arena.ladder.season.author_games import PlayedSeason
from arena.ladder.season.season import STORE
from arena.league.store.store import Store
from arena.league.terms.master_seed import withheld
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.replay.selection import AtMost, ReplayChoice
from arena.publish.site import publish
from arena.publish.site_state import StoreState
from arena.publish.stored.model_use import model_use
from arena.publish.stored.stored_games import checking, stored_games
from arena.ratings.league_ratings import by_division, rate_results

AT_DOOR = "/site/"
"""Where the door serves the site."""
_COPIES = ("a", "b")
_READABLE = 0o755


class Publication(Struct, frozen=True):
    """How long a publication took."""

    seconds: float


def publish_all(folder: Folder, replays: int) -> Publication:
    """Publish what is stored now: the season's complete blocks, and the authors' own pages.

    At most so many games can be watched.
    """
    began = time.monotonic()
    with Book(folder) as book:
        seasons = book.seasons()
        number = seasons[-1].number
        with _games_of(folder.season(number), secret=True) as stored:
            season = stored and _by_authors_of_now(stored, book)
            _publish_site(folder, seasons, season, AtMost(replays))
            played = (
                PlayedSeason(season.store, season.info.variants, season.shown)
                if season
                else PlayedSeason(None, {}, ())
            )
            write_private_pages(folder, book, number, played)
    return Publication(time.monotonic() - began)


def publish_closed(folder: Folder, number: int, replays: int) -> None:
    """Publish the last report of a closed season, with its seed, in a folder of its own.

    The games of the season before it can no longer be watched.
    """
    _publish_closed(folder, number, AtMost(replays))
    if number > 1:
        _publish_closed(folder, number - 1, "none")


def _publish_closed(folder: Folder, number: int, replays: ReplayChoice) -> None:
    with Book(folder) as book, _games_of(folder.season(number), secret=False) as stored:
        if stored:
            season = _by_authors_of_now(stored, book)
            site = _sites(folder) / "seasons" / str(number)
            _write_site(season, site, replays, goes_on=False)


class _Games(NamedTuple):
    """What is public of a season's store."""

    store: Store
    info: LeagueInfo
    shown: Collection[str]
    """The ids of the fixtures that may be seen."""
    left: int
    """How many others are drawn."""


@contextmanager
def _games_of(season: Path, *, secret: bool) -> Iterator[_Games | None]:
    """Yield what is public of a season; None if nothing was played.

    While the season is open its seed is `secret`, and so are blocks that are not complete: whoever
    saw one of their games would know the dice of the others.
    """
    path = season / STORE
    if not path.exists():
        yield None
        return
    with Store(path) as store:
        info = store.league
        if info is None:
            yield None
            return
        shown, left = _shown(store, secret=secret)
        yield _Games(store, withheld(info) if secret else info, shown, left)


def _by_authors_of_now(season: _Games, book: Book) -> _Games:
    """Return a season with the pseudonyms of authors who left: its records keep their names."""
    authors = {version.name: version.author for version in book.versions()}
    info = season.info
    bots, struck = (
        tuple(replace(bot, author=authors.get(bot.name, bot.author)) for bot in of)
        for of in (info.bots, info.struck)
    )
    return season._replace(info=replace(info, bots=bots, struck=struck))


def _shown(store: Store, *, secret: bool) -> tuple[Collection[str], int]:
    """Return the ids of the fixtures that may be seen, and how many others are drawn.

    The schedule is not kept: it takes as much memory as all results.
    """
    fixtures, finished = schedule_of(store).fixtures, store.finished()
    if secret:
        shown = in_complete_blocks(fixtures, finished)
    else:
        shown = finished.intersection(fixture.id for fixture in fixtures)
    return shown, len(fixtures) - len(shown)


def _publish_site(
    folder: Folder, seasons: Sequence[SeasonRow], season: _Games | None, replays: ReplayChoice
) -> None:
    sites = _sites(folder)
    current = folder.site.readlink().name if folder.site.is_symlink() else ""
    copy = sites / next(name for name in _COPIES if name != current)
    if season:
        _write_site(season, copy, replays, goes_on=True)
    copy.mkdir(mode=_READABLE, exist_ok=True)
    (copy / "seasons.json").write_text(_seasons(seasons), encoding="utf-8")
    if not (copy / "seasons").is_symlink():
        (copy / "seasons").symlink_to("../seasons")
    with part_of(folder.site) as link:
        link.symlink_to(copy.relative_to(folder.root))


def _sites(folder: Folder) -> Path:
    sites = folder.root / "sites"
    (sites / "seasons").mkdir(mode=_READABLE, parents=True, exist_ok=True)
    return sites


def _write_site(season: _Games, site: Path, replays: ReplayChoice, *, goes_on: bool) -> None:
    store, info, shown, left = season
    with (
        checking(store, info) as refuse_damaged,
        stored_games(store, info, shown.__contains__) as games,
    ):
        ratings = rate_results(by_division(games.results), info.ratings, games.cached)
        refuse_damaged()
        publish(
            info,
            ratings,
            games,
            site,
            state=StoreState(
                games.root,
                left,
                store.quarantined(),
                goes_on=goes_on,
                models=model_use(store, shown.__contains__) if info.models else {},
                door=AT_DOOR if goes_on else "",
            ),
            replays=replays,
        )


def in_complete_blocks(fixtures: Collection[Fixture], finished: Collection[str]) -> set[str]:
    """Return the ids of the fixtures whose whole block is finished."""
    missing = Counter[tuple[Division, int]]()
    for fixture in fixtures:
        missing[_block(fixture)] += fixture.id not in finished
    return {fixture.id for fixture in fixtures if not missing[_block(fixture)]}


def _block(fixture: Fixture) -> tuple[Division, int]:
    return fixture.division, fixture.block


def _seasons(seasons: Sequence[SeasonRow]) -> str:
    """Return what is public of all seasons, as JSON."""
    rows = [
        {
            "season": season.number,
            "opened_at": stamp(season.opened_at),
            "commitment": season.commitment,
            "closed_at": season.closed_at and stamp(season.closed_at),
            "seed": season.seed or None,
            "root": season.root or None,
        }
        for season in seasons
    ]
    return json.dumps(rows, indent=1) + "\n"
