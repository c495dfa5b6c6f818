"""What only an author reads: how their versions were checked, compared and played.

A folder for each author, replaced as a site is: readers meet no half of a page.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from tarfile import TarError
from typing import NamedTuple

import msgspec

from arena.io import shipped
from arena.io.numbers import stamp
from arena.ladder.book.book import Book
from arena.ladder.book.check_result import decoded
from arena.ladder.book.tables import PLAYING, Comparison, Event, Version
from arena.ladder.folder import Folder, make_shared
from arena.ladder.pages.changes import changes
from arena.ladder.pages.leaks import why
from arena.ladder.pages.version_ranks import Standing, standings
from arena.ladder.season.author_games import NEWEST, OwnGame, OwnGames, PlayedSeason, stderr_of
from arena.ladder.season.twins import TwinResult
from arena.publish.output.site_folder import FRONT, File, locked_site, replace_site
from arena.publish.pages.templates import environment
from arena.publish.replay.model_words import words_of
from arena.publish.replay.steps import replay

_STYLE = "style.css"
_JUDGING = 5.0
"""Seconds of a publication after which no more decisions are judged: the next one goes on."""
_twins = msgspec.json.Decoder(TwinResult).decode


class _Row(NamedTuple):
    """A version in the table of all."""

    version: Version
    games: int
    faulted: int
    comparison: Comparison | None


class _Page(NamedTuple):
    """What the page of a version is made of, beside the faults in games."""

    version: Version
    checks: Sequence[bytes]
    comparison: Comparison | None
    faults: Sequence[tuple[int, int]]
    newest: Sequence[OwnGame]
    """The newest first; none of a version that plays no more."""
    pages: Mapping[int, str]
    """The pages of fixtures, by index in the schedule."""
    events: Sequence[Event]
    standings: Sequence[Standing]
    milestone: int
    """The games that it had when its decisions were judged last; 0 if they never were."""
    looked_at: Sequence[int]
    """The fixtures that were looked at then, and can be read."""
    before: Version | None
    """The version whose files it changed."""

    @property
    def key(self) -> str:
        """A hash of all of it."""
        return _hash(self)


def write_private_pages(folder: Folder, book: Book, season: int, played: PlayedSeason) -> None:
    """Write `private/<author>/` for each author with a version.

    It has `index.html`, a page of each version, and the fixtures that these link to.
    """
    by_author = defaultdict[str, list[Version]](list)
    for version in book.versions():
        by_author[version.author].append(version)
    ladder = _Ladder(folder, book, season, played)
    for author, versions in by_author.items():
        path = folder.private / author
        make_shared(path)
        with locked_site(path) as existing:
            replace_site(path, _Author(author, versions[::-1], ladder).files(existing))


class _Ladder:
    """What the pages of all authors are made of."""

    def __init__(self, folder: Folder, book: Book, season: int, played: PlayedSeason) -> None:
        self.book, self.season, self.played = book, season, played
        self.folder, self.compared = folder, book.comparisons()
        self.standings = standings(folder.site)
        self.judging = 0.0
        """Seconds that went into judging decisions."""
        self.events = defaultdict[str, list[Event]](list)
        """By version."""
        for event in book.events():
            self.events[event.version].append(event)

    def judged(self, milestone: int, fixtures: Sequence[int]) -> str:
        """Return the key of what is said of the decisions in some fixtures."""
        return _hash((self.season, milestone, fixtures))


class _Author:
    """The pages of one author."""

    def __init__(self, name: str, versions: Sequence[Version], ladder: _Ladder) -> None:
        self._name, self._versions, self._ladder = name, versions, ladder
        self._played = ladder.played

    def files(self, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield every file; `existing` has the keys of those that are there, by path."""
        yield File(_STYLE, (shipped.folder("reports") / _STYLE).read_text(encoding="utf-8"))
        games: dict[int, str] = {}
        rows = []
        for version in self._versions:
            own = self._played.by_version[version.name]
            page = self._page(version, own, existing)
            rows.append(_Row(version, own.games, own.faulted, page.comparison))
            games |= page.pages
            yield from self._version_files(page, existing)
        for fixture, path in games.items():
            same = path in existing
            yield File(path, None if same else self._game_page(fixture), str(fixture))
        yield File(FRONT, self._front(rows))

    def _front(self, rows: Sequence[_Row]) -> str:
        compared = [
            (row.version, row.comparison.predecessor, _twins(row.comparison.result))
            for row in rows
            if row.comparison
        ]
        return _rendered("ladder_author.html", author=self._name, rows=rows, compared=compared)

    def _page(self, version: Version, own: OwnGames, existing: Mapping[str, str]) -> _Page:
        newest = own.newest() if version.state in PLAYING else []
        faults = [*own.faults]
        fixtures = dict.fromkeys(game.fixture for game in newest)
        fixtures |= dict.fromkeys(fixture for fixture, _ in faults)
        looked_at = [index for index in own.looked_at if self._played.has_log(index)]
        path, key = f"{version.name}.why.html", self._ladder.judged(own.milestone, looked_at)
        if existing.get(path) != key and self._ladder.judging >= _JUDGING:
            looked_at = []
        fixtures |= dict.fromkeys(looked_at)
        return _Page(
            version,
            [check.result for check in self._ladder.book.checks(version) if check.result],
            self._ladder.compared.get(version.id),
            faults,
            newest,
            dict(self._pages(fixtures)),
            self._ladder.events[version.name],
            self._ladder.standings.get(version.name, ()),
            own.milestone if looked_at else 0,
            looked_at,
            self._before(version),
        )

    def _before(self, version: Version) -> Version | None:
        """Return the version before one whose files are there."""
        earlier = [
            other
            for other in self._versions
            if other.bot == version.bot and other.number < version.number and other.digest
        ]
        return max(earlier, key=lambda other: other.number) if version.digest and earlier else None

    def _version_files(self, page: _Page, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield the page of a version, its checks and faults as data, and what explains it."""
        yield from self._explanations(page, existing)
        name, key = page.version.name, page.key
        paths = f"{name}.html", f"{name}.json"
        if all(existing.get(path) == key for path in paths):
            yield from (File(path, None, key) for path in paths)
            return
        faults = list(self._played.faults(name))
        common = {"checks": list(map(decoded, page.checks)), "faults": faults}
        twins = page.comparison and _twins(page.comparison.result)
        shown = _rendered("ladder_version.html", page=page, most=NEWEST, twins=twins, **common)
        data = {**common, "version": name, "faults": [fault._asdict() for fault in faults]}
        yield File(paths[0], shown, key)
        yield File(paths[1], msgspec.json.format(msgspec.json.encode(data), indent=1), key)

    def _explanations(self, page: _Page, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield why a version loses, and what it changed, each made once for what it is about."""
        name = page.version.name
        if page.milestone:
            key = self._ladder.judged(page.milestone, page.looked_at)
            path = f"{name}.why.html"
            yield File(path, None if existing.get(path) == key else self._why(page), key)
        if page.before:
            key = _hash((page.before.digest, page.version.digest))
            path = f"{name}.changes.html"
            same = existing.get(path) == key
            yield File(path, None if same else self._changes(page.before, page.version), key)

    def _why(self, page: _Page) -> str:
        name, variants = page.version.name, self._played.variants
        fixtures = (self._played.fixture(index) for index in page.looked_at)
        began = time.process_time()
        judged = why(name, ((played, variants[played.fixture.variant]) for played in fixtures))
        self._ladder.judging += time.process_time() - began
        about = {"why": judged, "milestone": page.milestone, "pages": page.pages}
        return _rendered("ladder_why.html", version=name, **about)

    def _changes(self, before: Version, version: Version) -> str:
        of = self._ladder.folder.version
        try:
            files = changes(of(before.digest), of(version.digest))
        except (OSError, TarError):
            files = []
        about = {"version": version.name, "before": before.name}
        return _rendered("ladder_changes.html", files=files, **about)

    def _pages(self, fixtures: Iterable[int]) -> Iterator[tuple[int, str]]:
        for fixture in fixtures:
            if self._played.has_log(fixture):
                yield fixture, f"games/{self._ladder.season}-{fixture}.html"

    def _game_page(self, index: int) -> str:
        """Return the page of a fixture: its games in words, and what the author's bots wrote."""
        played = self._played.fixture(index)
        mine = {version.name for version in self._versions}
        stderr = {
            bot: stderr_of(played, seat)
            for seat, bot in enumerate(played.fixture.seats)
            if bot in mine
        }
        fixture = played.fixture
        rules, newest = self._played.variants[fixture.variant], played.games[-NEWEST:]
        own = [one for one in played.exchanges if fixture.seats[one.seat] in mine]
        models = {one.model for one in own}
        games = [
            replay(game, fixture.seats, rules, fixture.max_rounds, words_of(own, game.game, models))
            for game in newest
        ]
        return _rendered(
            "ladder_game.html", fixture=played.fixture, games=games, stderr=stderr, most=NEWEST
        )


def _hash(value: object) -> str:
    return sha256(msgspec.msgpack.encode(value)).hexdigest()


def _rendered(template: str, **model: object) -> str:
    page = environment().overlay()
    page.filters = {**page.filters, "stamp": stamp}
    return page.get_template(template).render(model)
