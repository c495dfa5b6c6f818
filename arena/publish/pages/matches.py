"""Page models of the list of matches: what came of each fixture, page by page and as data.

A page holds the fixtures of a stretch of the schedule, whatever is played before or after it: one
more fixture changes one page.
"""

import base64
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from arena.playstats.fixture_summary import FixtureSummary
from arena.publish.output.text import one_line
from arena.publish.pages.links import Links
from arena.publish.replay.selection import Selection, upsets
from arena.ratings.table import Leaderboard, Row
from arena.records import Fixture, GameResult, LeagueInfo

PAGE = 200
"""Fixtures of the schedule that a page holds: position // PAGE is the page's number."""
SHARD = 2000
"""Fixtures of the schedule that are searched at a time."""
NEWEST_SHOWN = 50
"""Fixtures that the first page of all shows before anything is asked for."""

Strengths = Mapping[tuple[str, int], dict[str, Row]]
"""The leaderboards by variant and table size, then by bot."""


class Match(Struct, frozen=True):
    """What came of one fixture; lists have an entry a seat."""

    index: int
    """The fixture's place in the schedule, from 0."""
    variant: str
    seats: tuple[str, ...]
    games: int
    wins: tuple[int, ...]
    places: tuple[float, ...]
    """Mean finishing places; 1 is best."""
    faults: tuple[int, ...]
    upsets: int
    """Games whose winner was unlikely to win, by the ratings now."""
    watch: tuple[int, ...] = ()
    """The games of which a replay is kept."""

    @property
    def most(self) -> int:
        """Return the most games that a seat won."""
        return max(self.wins)


def matches(
    played: Iterable[FixtureSummary], kept: Selection, boards: Sequence[Leaderboard]
) -> list[Match]:
    """Return what came of all fixtures of which a game was played, in schedule order."""
    rows = {
        (board.variant, board.players): {row.bot: row for row in board.rows} for board in boards
    }
    found = [match(one.fixture, one.games, kept, rows) for one in played if one.games]
    return sorted(found, key=lambda one: one.index)


def match(
    fixture: Fixture, games: Sequence[GameResult], kept: Selection, strengths: Strengths
) -> Match:
    """Return what came of a fixture of at least one game."""
    rows = strengths.get((fixture.variant, len(fixture.seats)), {})
    by_seat = list(zip(*(one.places for one in games), strict=True))
    wins = tuple(places.count(1) for places in by_seat)
    faults = Counter(seat for one in games for seat in one.faulted)
    upset = upsets(fixture.seats, rows)
    return Match(
        index=fixture.index,
        variant=fixture.variant,
        seats=fixture.seats,
        games=len(games),
        wins=wins,
        places=tuple(sum(places) / len(games) for places in by_seat),
        faults=tuple(faults[seat] for seat in range(len(by_seat))),
        upsets=sum(won for won, unlikely in zip(wins, upset, strict=True) if unlikely),
        watch=tuple(kept.get(fixture.index, ())),
    )


class Page(Struct, frozen=True):
    """One page of the list, and the numbers of its neighbours."""

    number: int
    matches: list[Match]
    before: int | None
    after: int | None

    @property
    def first(self) -> int:
        """Return the first position that belongs on the page."""
        return self.number * PAGE

    @property
    def last(self) -> int:
        """Return the last position that belongs on the page."""
        return self.first + PAGE - 1


def pages(found: Sequence[Match]) -> list[Page]:
    """Return the pages of the list; matches are in schedule order, and no page is empty."""
    parts = _parted(found, PAGE)
    numbers = [None, *parts, None]
    return [
        Page(number, part, numbers[at], numbers[at + 2])
        for at, (number, part) in enumerate(parts.items())
    ]


def _parted(found: Iterable[Match], size: int) -> dict[int, list[Match]]:
    return {number: list(part) for number, part in groupby(found, lambda one: one.index // size)}


class Entry(Struct, frozen=True, array_like=True):
    """A match as the data files of the search hold it; bots and tables are places in its lists."""

    index: int
    table: int
    seats: tuple[int, ...]
    games: int
    wins: tuple[int, ...]
    places: tuple[float, ...]
    """Rounded to what pages show."""
    faults: int
    upsets: int
    watch: int
    """How many replays are kept."""
    watch_first: int
    """The first game of which one is kept."""


class Shard(Struct, frozen=True):
    """A stretch of the schedule to search in."""

    bots: list[str]
    """File names of their pages, without folder and suffix."""
    tables: list[str]
    """Ids of leaderboards."""
    entries: list[Entry]


class Index(Struct, frozen=True):
    """What a search needs to know before any shard."""

    bots: dict[str, str]
    """Names to show, by the file names of their pages."""
    tables: dict[str, tuple[str, int]]
    """Variants and players, by id."""
    shards: list[int]
    seats: int
    """The most that a table has."""
    fixtures: int


def widest(found: Iterable[Match]) -> int:
    """Return the most seats that a table has."""
    return max((len(one.seats) for one in found), default=0)


def search_files(
    found: Sequence[Match], league: LeagueInfo, boards: Sequence[Leaderboard], links: Links
) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every script that the search loads."""
    parts = _parted(found, SHARD)
    index = Index(
        bots={links.bots[bot.name]: one_line(bot.name) for bot in league.bots},
        tables={links.table_id(one): (one_line(one.variant), one.players) for one in boards},
        shards=list(parts),
        seats=widest(found),
        fixtures=len(found),
    )
    yield "matches/index.js", _packed("index", index)
    for number, part in parts.items():
        yield f"matches/{number}.js", _packed(f"{number}", _shard(part, links))


def _shard(part: Sequence[Match], links: Links) -> Shard:
    bots = {bot: at for at, bot in enumerate(dict.fromkeys(b for one in part for b in one.seats))}
    kinds = dict.fromkeys((one.variant, len(one.seats)) for one in part)
    tables = {kind: at for at, kind in enumerate(kinds)}
    return Shard(
        bots=[links.bots[bot] for bot in bots],
        tables=[links.kind_id(*kind) for kind in tables],
        entries=[_entry(one, bots, tables) for one in part],
    )


def _entry(one: Match, bots: Mapping[str, int], tables: Mapping[tuple[str, int], int]) -> Entry:
    return Entry(
        index=one.index,
        table=tables[one.variant, len(one.seats)],
        seats=tuple(bots[bot] for bot in one.seats),
        games=one.games,
        wins=one.wins,
        places=tuple(round(place, 2) for place in one.places),
        faults=sum(one.faults),
        upsets=one.upsets,
        watch=len(one.watch),
        watch_first=one.watch[0] if one.watch else 0,
    )


def _packed(name: str, content: Index | Shard) -> str:
    """Return a script that hands over its content, in letters that cannot end it."""
    data = gzip.compress(msgspec.json.encode(content), compresslevel=6, mtime=0)
    return f'perudoMatches("{name}", "{base64.b64encode(data).decode()}");\n'
