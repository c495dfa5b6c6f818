"""The standings as games are played, in a process of its own beside the ladder."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Conditions, FixtureResult
from arena.io.errors import ArenaError
from arena.io.files import stat_of
from arena.io.job import Job, JobDiedError, JobKeeper
from arena.ladder.book.book import Book
from arena.ladder.book.shown import Live, LiveResult, LiveRow, Winner, write_live
from arena.ladder.config import Config
from arena.ladder.folder import Folder
from arena.ladder.pages.ranks import ranks_moved
from arena.ladder.pages.site import AT_DOOR
from arena.ladder.season.season import STORE
from arena.league.store.store import Store
from arena.publish.links import Identity, Links, identities, links, marked_links, marked_names
from arena.publish.pages.front import (
    Front,
    description,
    first_standings,
    main_page,
    progress,
)
from arena.publish.stored.stored_games import rated_results_at
from arena.publish.templates import render
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import Ratings, by_division, rate_results

_LOOK = 0.5
"""Seconds between looks at the store."""
_SHARE = 10
"""How many times as long as they take there is from one computing of the standings to the next."""
_LEAST = 1.0
_MOST = 60.0
"""Seconds from one computing to the next, at least and at most."""
_RECENT = 6
"""How many of the tables that were played last are told."""
_MINUTE = 60.0
_AGAIN = 60.0
"""Seconds after which what died is begun again."""


def pause(cost: float) -> float:
    """Return the seconds from one computing of the standings to the next, by what one takes.

    They take a tenth of a core at most, unless that would be less often than once a minute.
    """
    return min(max(_LEAST, _SHARE * cost), _MOST)


class StandingsKeeper(JobKeeper):
    """Has the standings of a season computed while it is played; what was written stays."""

    def __init__(self, folder: Folder, config: Config, say: Callable[[str], None]) -> None:
        self.config = config
        self._folder = folder
        self._say = say
        self.season = 0

    def step(self) -> None:
        """Begin, or begin again what died."""
        if self._job is None:
            if time.monotonic() >= self._not_before:
                keep = partial(keep_standings, self._folder, self.season)
                self._job = Job(keep, cores=self.config.spare_cores)
        elif self._job.is_over():
            self._not_before = time.monotonic() + _AGAIN
            try:
                self._job.result()
            except (ArenaError, JobDiedError) as error:
                self._say(f"the live standings stopped, and are tried again: {error}")
            self._job = None


def keep_standings(folder: Folder, season: int) -> None:
    """Write the standings of a season whenever games were played, until the process is ended."""
    standings = LiveStandings(folder, season)
    while True:
        began = time.process_time()
        changed = standings.read()
        cost = time.process_time() - began
        if standings.rate() or changed or standings.fell_silent():
            standings.write()
        time.sleep(min(max(_LOOK, _SHARE * cost), _MOST))


class LiveStandings:
    """The standings of a season, which follow its store."""

    def __init__(self, folder: Folder, season: int) -> None:
        self._folder = folder
        self._season = season
        self._store = folder.season(season) / STORE
        self._seen: object = None
        """The state of the store that was read."""
        self._conditions: Conditions | None = None
        self._results = _Results()
        self._memory: dict[str, tuple[bytes, bytes]] = {}
        self._live: Live | None = None
        self._rated: object = None
        """The state of the store that is in the standings."""
        self._published: object = None
        """The site to which they link."""
        self._next = 0.0
        """When they may be computed again, by the monotonic clock."""

    def read(self) -> bool:
        """Read what is new in the store; tell whether anything is."""
        files = map(stat_of, (self._store, Path(f"{self._store}-wal")))
        seen = [file and (file.st_mtime_ns, file.st_size) for file in files]
        if seen == self._seen:
            return False
        with Store(self._store) as store:
            if conditions := store.league:
                self._results.read(store, conditions)
            self._conditions = conditions
        self._seen = seen
        return True

    def rate(self) -> bool:
        """Compute the standings if games were played and it is time; tell whether they were.

        After a publication they link to what is new there, at once.
        """
        published = self._published_at()
        is_same = published == self._published
        if self._conditions is None or (
            is_same and (self._rated == self._seen or time.monotonic() < self._next)
        ):
            return False
        began = time.monotonic()
        self._published = published
        self._live, self._rated = self._computed(self._conditions), self._seen
        self._next = began + pause(self._live.seconds)
        return True

    def _published_at(self) -> int:
        """Return when the link to the site was made, in nanoseconds since 1970; 0 without one."""
        try:
            return self._folder.site.lstat().st_mtime_ns
        except OSError:
            return 0

    def fell_silent(self) -> bool:
        """Tell whether games were played in the minute before the last look, and none since."""
        written = self._live.per_minute if self._live else 0
        return written > 0 and self._results.per_minute(time.time()) == 0

    def write(self) -> None:
        """Write the standings and what was played last."""
        if self._live:
            self._live = replace(
                self._live,
                recent=list(self._results.recent),
                per_minute=self._results.per_minute(time.time()),
            )
            write_live(self._folder, self._live)

    def _computed(self, conditions: Conditions) -> Live:
        began, at = time.process_time(), time.time()
        struck = {bot.name for bot in conditions.struck}
        results = [*self._results.without(struck)]
        ratings = rate_results(by_division(results), conditions.ratings, self._remember, brief=True)
        page = _page(ratings, results, conditions, self._folder)
        rows = page.front.main.rows if page.front.main else ()
        provisional = conditions.ratings.provisional
        return Live(
            season=self._season,
            at=at,
            games=sum(len(result.games) for result in results),
            rows=[
                LiveRow(
                    version=row.bot,
                    provisional=row.games < provisional,
                    **{name: getattr(row, name) for name in _SAME},
                )
                for row in rows
            ],
            sentence=description(page.front.progress, page.front.main, len(rows)),
            verdict=render("front_verdict.html", page) if rows else "",
            table=render("front_table.html", page) if rows else "",
            cards=render("front_cards.html", page) if len(ratings.boards) > 1 else "",
            seconds=time.process_time() - began,
            per_minute=0,
            recent=(),
        )

    def _remember(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        if (kept := self._memory.get(name)) is None or kept[0] != key:
            kept = self._memory[name] = key, make()
        return kept[1]


_SAME = ("best", "worst", "may_be_first", "low", "share", "high", "games")
"""The fields of a `LiveRow` that a `StandingRow` has, too."""


class _Page(Struct, frozen=True):
    """The names that the templates of the standings know."""

    front: Front
    all: str
    league: Conditions
    links: Links
    boards: list[Leaderboard]
    marked: Mapping[str, Markup]
    identities: Mapping[str, Identity]
    moved: Mapping[str, int]
    """How many ranks a bot gained, or lost, in the last days."""
    root: str = AT_DOOR


def _page(
    ratings: Ratings, results: list[FixtureResult], conditions: Conditions, folder: Folder
) -> _Page:
    """Return what the templates know; they link only to pages that are published."""
    site = folder.site
    with Book(folder) as book:
        entered = [version.name for version in book.versions()]
    front = first_standings(ratings, progress(results, 0, goes_on=True))
    where = links(conditions, ratings.boards)
    marks = identities((bot.name for bot in conditions.bots), entered)
    linked = marked_links(marks, where, AT_DOOR)
    marked = {
        bot: linked[bot] if (site / where.bot(bot)).is_file() else name
        for bot, name in marked_names(marks).items()
    }
    cards = [
        replace(card, linked=(site / where.table(card.board)).is_file()) for card in front.cards
    ]
    main = main_page(ratings, where)
    return _Page(
        front=replace(front, cards=cards),
        all=main if (site / main).is_file() else "",
        league=conditions,
        links=where,
        boards=[*ratings.boards],
        marked=marked,
        identities=marks,
        moved=ranks_moved(
            folder, {row.bot: row.best for row in front.main.rows} if front.main else {}
        ),
    )


class _Results:
    """The results of a season, as far as they were read."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, FixtureResult]] = {}
        """By position, with what changes if the fixture does."""
        self._times = deque[tuple[float, int]]()
        """When the fixtures of the last minute were stored, and their games."""
        self.recent = deque[LiveResult](maxlen=_RECENT)

    def read(self, store: Store, conditions: Conditions) -> None:
        """Read what is new."""
        hashes = {
            fixture.position: fixture.hash
            for fixture in store.hashes()
            if self._known.get(fixture.position, (b"",))[0] != fixture.hash
        }
        new = sorted(rated_results_at(store, conditions.variants, hashes), key=_stored_at)
        for result in new:
            position = result.fixture.index
            self._known[position] = hashes[position], result
            self._times.append((_stored_at(result), len(result.games)))
            self.recent.appendleft(_in_short(result))

    def without(self, struck: Iterable[str]) -> Iterator[FixtureResult]:
        """Yield the results of tables at which none of these sat."""
        out = frozenset(struck)
        results = (result for _, result in self._known.values())
        return (result for result in results if out.isdisjoint(result.fixture.seats))

    def per_minute(self, now: float) -> int:
        """Return how many games were stored in the last minute."""
        while self._times and self._times[0][0] < now - _MINUTE:
            self._times.popleft()
        return sum(games for _, games in self._times)


def _stored_at(result: FixtureResult) -> float:
    return result.stored_at or 0.0


def _in_short(result: FixtureResult) -> LiveResult:
    wins = [game.places.index(1) for game in result.games]
    seats = [Winner(bot, wins.count(seat)) for seat, bot in enumerate(result.fixture.seats)]
    return LiveResult(
        at=_stored_at(result),
        variant=result.fixture.variant,
        players=len(seats),
        games=len(result.games),
        seats=sorted(seats, key=lambda winner: -winner.games),
    )
