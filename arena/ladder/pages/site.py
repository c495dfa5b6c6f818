"""What a ladder publishes, and when: its site for everybody, and each author's own pages.

Two copies of the site take turns: one is read, by the link `site`, while the other is written.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from arena.game.records import Conditions, Division, Fixture
from arena.io.errors import ArenaError
from arena.io.files import part_of
from arena.io.job import LAST, LATER, Job, JobDiedError, JobKeeper
from arena.io.text import stamp
from arena.ladder.book.book import Book
from arena.ladder.book.shown import published_boards
from arena.ladder.book.tables import PLAYING, SeasonRow, Version
from arena.ladder.config import Config
from arena.ladder.folder import Folder
from arena.ladder.pages.private import write_private_pages
from arena.ladder.pages.ranks import keep_ranks
from arena.ladder.season.author_games import PlayedSeason
from arena.ladder.season.season import STORE
from arena.league.store.store import Store
from arena.league.terms.master_seed import withheld
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.pages.front import standings
from arena.publish.replays import AtMost, ReplayChoice
from arena.publish.site import publish
from arena.publish.site_state import StoreState, model_use
from arena.publish.stored.stored_games import checking, stored_games
from arena.ratings.league_ratings import by_division, rate_results

AT_DOOR = "site/"
"""Where the door serves the site, seen from its front page."""
_COPIES = ("a", "b")
_READABLE = 0o755
_SHARE = 20
"""Seconds between two publications for each second of the processor that one takes."""
_LONGEST = 300.0
"""Seconds between two publications, at most, as long as that takes little of a core."""
_LEAST_SHARE = 4
"""The same as `_SHARE` for publications that would take more than a fifth of a core otherwise."""
OVERTAKEN = "overtaken"
"""How the lines in the log begin."""
_RANKS = "ranks"
"""The fact that has what the last publication showed, as JSON."""
_NAMED = 3
"""How many of those who overtook a version are named, at most."""


def publish_all(folder: Folder, replays: int) -> float:
    """Publish what is stored now: the season's complete blocks, and the authors' own pages.

    At most `replays` games can be watched. Until a season has games, those of the season before it
    are shown. Returns the seconds of the processor that this process took so far.
    """
    with Book(folder) as book:
        seasons = book.seasons()
        number = seasons[-1].number
        with _newest_games(folder, number) as (shown, stored):
            season = stored and _by_authors_of_now(stored, book)
            current = folder.site.readlink().name if folder.site.is_symlink() else ""
            copy = _sites(folder) / next(name for name in _COPIES if name != current)
            if season:
                ranks = _write_site(season, copy, AtMost(replays), book, goes_on=shown == number)
                keep_ranks(folder, shown, ranks)
            copy.mkdir(mode=_READABLE, exist_ok=True)
            (copy / "seasons.json").write_text(_seasons(seasons), encoding="utf-8")
            if not (copy / "seasons").is_symlink():
                (copy / "seasons").symlink_to("../seasons")
            with part_of(folder.site) as link:
                link.symlink_to(copy.relative_to(folder.root))
            played = (
                PlayedSeason(season.store, season.conditions.variants, season.shown)
                if season and shown == number
                else PlayedSeason(None, {}, ())
            )
            write_private_pages(folder, book, number, played)
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pause(cost: float, least: float) -> float:
    """Return the seconds from one publication to the next, by the seconds of a core that one takes.

    Publications take a twentieth of a core at most, unless that would be less often than once in
    five minutes; and never more than a fifth.
    """
    return max(least, min(_SHARE * cost, max(_LONGEST, _LEAST_SHARE * cost)))


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
            _write_site(season, site, replays, book, goes_on=False)


class _Games(NamedTuple):
    """What is public of a season's store."""

    store: Store
    conditions: Conditions
    shown: Collection[str]
    """The ids of the fixtures that may be seen."""
    left: int
    """How many other fixtures are drawn."""


@contextmanager
def _newest_games(folder: Folder, number: int) -> Iterator[tuple[int, _Games | None]]:
    """Yield what is public of the season of a number, or of the one before it if it has no games.

    The number of the season comes first.
    """
    with _games_of(folder.season(number), secret=True) as stored:
        if stored or number == 1:
            yield number, stored
            return
    with _games_of(folder.season(number - 1), secret=False) as stored:
        yield number - 1, stored


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
        conditions = store.league
        if conditions is None:
            yield None
            return
        shown, left = _shown(store, secret=secret)
        yield _Games(store, withheld(conditions) if secret else conditions, shown, left)


def _by_authors_of_now(season: _Games, book: Book) -> _Games:
    """Return a season with the pseudonyms of authors who left: its records keep their names."""
    authors = {version.name: version.author for version in book.versions()}
    bots, struck = (
        tuple(replace(bot, author=authors.get(bot.name, bot.author)) for bot in of)
        for of in (season.conditions.bots, season.conditions.struck)
    )
    return season._replace(conditions=replace(season.conditions, bots=bots, struck=struck))


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


def _sites(folder: Folder) -> Path:
    sites = folder.root / "sites"
    (sites / "seasons").mkdir(mode=_READABLE, parents=True, exist_ok=True)
    return sites


def _write_site(
    season: _Games, site: Path, replays: ReplayChoice, book: Book, *, goes_on: bool
) -> dict[str, int]:
    """Write the site; returns the best rank that each version may have."""
    store = season.store
    conditions = season.conditions
    is_shown = season.shown.__contains__
    with (
        checking(store, conditions) as refuse_damaged,
        stored_games(store, conditions, is_shown) as games,
    ):
        ratings = rate_results(by_division(games.results), conditions.ratings, games.cached)
        refuse_damaged()
        publish(
            conditions,
            ratings,
            games,
            site,
            state=StoreState(
                games.root,
                season.left,
                store.quarantined(),
                goes_on=goes_on,
                models=model_use(store, is_shown) if conditions.models else {},
                door=AT_DOOR if goes_on else "",
                entered=[version.name for version in book.versions()],
            ),
            replays=replays,
        )
    main = standings(ratings)
    return {row.bot: row.best for row in main.rows} if main else {}


def in_complete_blocks(fixtures: Collection[Fixture], finished: Collection[str]) -> set[str]:
    """Return the ids of the fixtures whose whole block is finished."""
    missing = Counter[tuple[Division, int]]()
    for fixture in fixtures:
        missing[fixture.division, fixture.block] += fixture.id not in finished
    return {fixture.id for fixture in fixtures if not missing[fixture.division, fixture.block]}


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


class LadderState(NamedTuple):
    """What a ladder had when it was looked at: another state is published anew."""

    games: int
    events: int
    """The number of the last line of the log."""


class Publisher(JobKeeper):
    """Publishes what changed, in a process of its own; if that is ended, the site stays."""

    def __init__(self, folder: Folder, config: Config, book: Book, say: Callable[[str], None]):
        self.config = config
        self._folder = folder
        self._book = book
        self._say = say
        self._shown: LadderState | None = None
        self._begun_with: LadderState | None = None
        self._begun_at = 0.0
        """The moment that the publication which goes on will show, in seconds since 1970."""
        self._at_once = False
        self._at_once_from = 0.0
        """Before it, not even what is to be published at once is: the last publication failed."""

    def publish_at_once(self) -> None:
        """Publish what is stored now without the usual pause."""
        self._at_once = True

    def step(self, state: LadderState, *, asleep: bool) -> None:
        """Publish if the state is another than that which was published, and it is time.

        Games that were played before the ladder fell `asleep` are published at once.
        """
        if self._shown and asleep and state.games != self._shown.games:
            self._at_once = True
        if self._job:
            if self._job.is_over():
                self._take_result(self._job)
        elif state != self._shown and time.monotonic() >= self._begins_at:
            self._begun_with = state
            self._at_once = False
            self._begun_at = time.time()
            self._book.set_fact("publish_due_at", str(self._begun_at))
            publish = partial(publish_all, self._folder, self.config.caps.replays)
            cores = self.config.spare_cores
            self._job = Job(publish, niceness=LAST if cores else LATER, cores=cores)

    def next_at(self, state: LadderState) -> float | None:
        """Return when the next publication begins, in whole seconds since 1970; None if not."""
        if state == self._shown:
            return None
        return float(round(time.time() + max(0.0, self._begins_at - time.monotonic())))

    @property
    def at_work(self) -> bool:
        """Whether a publication goes on."""
        return self._job is not None

    @property
    def _begins_at(self) -> float:
        return self._at_once_from if self._at_once else self._not_before

    def _take_result(self, job: Job) -> None:
        self._job = None
        try:
            cost: float = job.result()
        except JobDiedError:
            self._failed("the publication died; it is tried again")
        except ArenaError as error:
            self._failed(f"nothing was published: {error}")
        else:
            self._at_once_from = time.monotonic()
            least = self.config.file.intervals.publish
            self._not_before = self._at_once_from + pause(cost, least)
            self._shown = self._begun_with
            self._book.set_fact("published_at", str(self._begun_at))
            self._book.set_fact("publish_due_at", "")
            note_overtaken(self._folder.site, self._book)

    def _failed(self, text: str) -> None:
        self._say(text)
        self._not_before = time.monotonic() + self.config.file.intervals.publish
        self._at_once_from = self._not_before


class _RankRange(NamedTuple):
    """The best and the worst rank that a bot may have."""

    best: int
    worst: int


_Ranks = Mapping[str, Mapping[str, _RankRange]]
"""The ranks of bots, by division and bot."""
_decoded_ranks = msgspec.json.Decoder(dict[str, dict[str, _RankRange]]).decode


def note_overtaken(site: Path, book: Book) -> None:
    """Note which versions are clearly behind more others than at the last publication."""
    before = _decoded_ranks(book.facts().get(_RANKS, "{}"))
    now: dict[str, dict[str, _RankRange]] = {}
    for _, board in published_boards(site):
        division = f"{board.variant}, {board.players} players"
        now[division] = {row.bot: _RankRange(row.best, row.worst) for row in board.rows}
    versions = {version.name: version for version in book.versions(PLAYING)}
    with book.together():
        for version, text in _overtaken(before, now, versions):
            book.note(text, version.author, version.name)
        book.set_fact(_RANKS, msgspec.json.encode(now).decode())


def _overtaken(
    before: _Ranks, now: _Ranks, versions: Mapping[str, Version]
) -> Iterator[tuple[Version, str]]:
    """Yield the versions that others overtook, and what is said of it.

    A bot's best rank grows by one for each other that comes to be clearly ahead of it. Versions of
    the same author are not named.
    """
    for division, ranks in now.items():
        earlier = before.get(division, {})
        for name, (best, worst) in ranks.items():
            version = versions.get(name)
            if version is None or name not in earlier or best <= earlier[name].best:
                continue
            was_ahead = {bot for bot, rank in earlier.items() if rank.worst < earlier[name].best}
            ahead = [
                bot
                for bot, rank in ranks.items()
                if rank.worst < best
                and bot not in was_ahead
                and (bot not in versions or versions[bot].author != version.author)
            ]
            if ahead:
                place = f"rank {best} to {worst} of {len(ranks)}"
                by = ", ".join(ahead[:_NAMED])
                yield version, f"{OVERTAKEN}: by {by} at {division}: {place}"
