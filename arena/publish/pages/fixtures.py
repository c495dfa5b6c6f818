"""Page models of the list of fixtures: the result of each fixture, page by page and as data.

A page holds a stretch of the schedule, played or not: one more fixture changes one page.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from arena.publish.data.results import FixtureResultRow
from arena.publish.links import Identity, Links
from arena.publish.site_folder import File
from arena.publish.text import one_line, script
from arena.ratings.leaderboard_rows import Leaderboard

PAGE = 200
"""Fixtures of the schedule that a page holds: position // PAGE is the page's number."""
SHARD = 2000
"""Fixtures of the schedule that are searched at a time."""
NEWEST_SHOWN = 50
"""Fixtures that the page of the search shows before anything is asked for."""


class FixturePage(Struct, frozen=True):
    """One page of the list, and the numbers of its neighbours."""

    number: int
    fixtures: list[FixtureResultRow]
    before: int | None
    after: int | None

    @property
    def first(self) -> int:
        """The first position that belongs on the page."""
        return self.number * PAGE

    @property
    def last(self) -> int:
        """The last position that belongs on the page."""
        return self.first + PAGE - 1


class ListPage(Struct, frozen=True):
    """A page of the list, by the name that its template uses."""

    part: FixturePage


class SearchPage(Struct, frozen=True):
    """The page of the search."""

    pages: list[FixturePage]
    newest: list[FixtureResultRow]
    """The last fixtures, the newest first."""
    upset: float
    """A game is an upset if its winner was less likely than this to win."""


def pages(fixtures: Sequence[FixtureResultRow]) -> list[FixturePage]:
    """Return the pages of the list; fixtures are in schedule order, and no page is empty."""
    parts = _parted(fixtures, PAGE)
    numbers = [None, *parts, None]
    return [
        FixturePage(number, part, numbers[at], numbers[at + 2])
        for at, (number, part) in enumerate(parts.items())
    ]


def _parted(fixtures: Iterable[FixtureResultRow], size: int) -> dict[int, list[FixtureResultRow]]:
    parts = groupby(fixtures, lambda fixture: fixture.index // size)
    return {number: list(part) for number, part in parts}


class RankedSeat(Struct, frozen=True):
    """A bot's result in a fixture, as a card shows it."""

    bot: str
    wins: int
    place: float
    """Its mean place, rounded to what is shown."""
    luck: float | None
    """How lucky the bot was, in wins; None where it is not measured."""


def ranked(fixture: FixtureResultRow) -> list[RankedSeat]:
    """Return the bots of a fixture, the best mean place first, then by seat."""
    luck = (None,) * fixture.players if fixture.luck is None else (fixture.luck, -fixture.luck)
    columns = fixture.seats, fixture.wins, fixture.places, luck
    seats = (
        RankedSeat(bot, wins, round(place, 2), lucky)
        for bot, wins, place, lucky in zip(*columns, strict=True)
    )
    return sorted(seats, key=lambda seat: seat.place)


class SearchEntry(Struct, frozen=True, array_like=True):
    """A fixture in a search shard; bots and tables are positions in the shard's lists."""

    index: int
    table: int
    seats: tuple[int, ...]
    games: int
    wins: tuple[int, ...]
    places: tuple[float, ...]
    """Rounded to what pages show."""
    faults: int
    upsets: int
    luck: float | None
    """The luck of seat 0, in wins, rounded to what pages show."""
    watch: int
    """How many games can be watched."""
    watch_first: int


class SearchShard(Struct, frozen=True):
    """A stretch of the schedule to search in."""

    bots: list[str]
    """File names of their pages, without folder and suffix."""
    tables: list[str]
    entries: list[SearchEntry]


class SearchIndex(Struct, frozen=True):
    """The index of a search, which is loaded before any shard."""

    bots: dict[str, str]
    """Names to show, by the file names of their pages."""
    marks: dict[str, str]
    """The classes of their marks."""
    tables: dict[str, tuple[str, int]]
    """Variants and players, by id."""
    shards: list[int]
    fixtures: int


def search_files(
    fixtures: Sequence[FixtureResultRow],
    marks: Mapping[str, Identity],
    boards: Sequence[Leaderboard],
    links: Links,
) -> Iterator[File]:
    """Yield every script that the search loads."""
    parts = _parted(fixtures, SHARD)
    index = SearchIndex(
        marks={links.bots[bot]: mark.classes for bot, mark in marks.items()},
        bots={links.bots[bot]: one_line(bot) for bot in marks},
        tables={
            links.division_id(board.division): (one_line(board.variant), board.players)
            for board in boards
        },
        shards=list(parts),
        fixtures=len(fixtures),
    )
    yield File("fixtures/index.js", script("index", index))
    for number, part in parts.items():
        yield File(f"fixtures/{number}.js", script(str(number), _shard(part, links)))


def _shard(fixtures: Sequence[FixtureResultRow], links: Links) -> SearchShard:
    names = dict.fromkeys(bot for fixture in fixtures for bot in fixture.seats)
    bots = {bot: number for number, bot in enumerate(names)}
    tables = dict.fromkeys(fixture.division for fixture in fixtures)
    divisions = {division: number for number, division in enumerate(tables)}
    return SearchShard(
        bots=[links.bots[bot] for bot in bots],
        tables=[links.division_id(division) for division in divisions],
        entries=[
            SearchEntry(
                index=fixture.index,
                table=divisions[fixture.division],
                seats=tuple(bots[bot] for bot in fixture.seats),
                games=fixture.games,
                wins=fixture.wins,
                places=tuple(round(place, 2) for place in fixture.places),
                faults=sum(fixture.faults),
                upsets=fixture.upsets,
                luck=None if fixture.luck is None else round(fixture.luck, 1),
                watch=len(fixture.watch),
                watch_first=fixture.watch[0] if fixture.watch else 0,
            )
            for fixture in fixtures
        ],
    )
