"""What only an author reads: how their versions were checked, compared and played.

A folder for each author, replaced as a site is: readers meet no half of a page.
"""

import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tarfile import TarError
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arena.author.coach.words import at_table, did, named
from arena.game.records import GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.io import shipped
from arena.io.files import read_json
from arena.io.text import stamp
from arena.ladder.book.book import Book
from arena.ladder.book.shown import PublishedRow, published_boards
from arena.ladder.book.tables import PLAYING, Comparison, Event, Version, decoded_check
from arena.ladder.folder import Folder, file_stem, make_shared
from arena.ladder.season.author_games import NEWEST, OwnGame, OwnGames, PlayedSeason, stderr_of
from arena.ladder.season.season import TwinResult
from arena.playstats.coach.coach import Coach, Judgement, Leak
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.publish.charts import Chart, rating_history
from arena.publish.data.play import HistoryRow
from arena.publish.data.results import HeadToHeadRow
from arena.publish.replay_steps import Replay, deciders_of, replay, words_of
from arena.publish.site_folder import FRONT, File, locked_site, replace_site
from arena.publish.templates import environment

_MOST_BYTES = 65_536
"""Bytes of a file whose lines are compared, at most."""
_MOST_LINES = 1_500
"""Lines of a file that are compared, at most."""
_MOST_FILES = 20
"""Files whose lines are shown, at most."""
_MOST_SHOWN = 400
"""Lines that are shown of a file."""
_WIDTH = 300
"""Characters that are shown of a line."""
_LEAKS = 3
_WORST = 10
_OPPONENTS = 5
"""Those that beat a version most often."""
_STYLE = "style.css"
_JUDGING = 5.0
"""Seconds of a publication after which no more decisions are judged: the next one goes on."""


class ChangedFile(Struct, frozen=True):
    """A file that is not in both archives, or is not the same."""

    name: str
    word: str
    """`added`, `removed` or `changed`."""
    lines: Sequence[str]
    """The lines of a unified diff; empty if the file is large or no text."""
    more: bool
    """Whether there are more lines."""


def changes(old: Path, new: Path) -> list[ChangedFile]:
    """Compare two canonical archives; raises OSError if one is not there."""
    before, after = _files(old), _files(new)
    names = sorted(name for name in before | after if before.get(name) != after.get(name))
    return [_changed(name, before, after, at < _MOST_FILES) for at, name in enumerate(names)]


def _files(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        files = {entry.name: tar.extractfile(entry) for entry in tar if entry.isfile()}
        return {name: file.read() for name, file in files.items() if file}


def _changed(
    name: str, before: Mapping[str, bytes], after: Mapping[str, bytes], shown: bool
) -> ChangedFile:
    if name not in before:
        word = "added"
    elif name not in after:
        word = "removed"
    else:
        word = "changed"
    old = _lines(before.get(name, b""))
    new = _lines(after.get(name, b""))
    if not shown or old is None or new is None:
        return ChangedFile(name, word, [], more=False)
    diff = islice(unified_diff(old, new, lineterm=""), 2, None)
    lines = [line.expandtabs(4)[:_WIDTH] for line in islice(diff, _MOST_SHOWN)]
    return ChangedFile(name, word, lines, more=next(diff, None) is not None)


def _lines(content: bytes) -> list[str] | None:
    """Return the lines of a text; None if the bytes are no text, or too many."""
    if len(content) > _MOST_BYTES or b"\0" in content:
        return None
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= _MOST_LINES else None


class Why(Struct, frozen=True):
    """What the page shows."""

    version: str
    judged: Judgement
    leaks: Sequence[Leak]
    worst: Sequence[Decision]
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named
    at_table: Callable[[Decision], str] = at_table


def why(version: str, fixtures: Iterable[tuple[PlayedFixture, Rules]]) -> Why | None:
    """Judge some fixtures of a version; None if it decided nothing in them."""
    coach = Coach(version)
    for played, rules in fixtures:
        coach.add(played, rules)
    if not coach.games:
        return None
    judged = coach.judgement()
    return Why(version, judged, judged.leaks[:_LEAKS], judged.worst[:_WORST])


_Row = TypeVar("_Row", bound=Struct)


class _Table(Struct, Generic[_Row], frozen=True):
    rows: list[_Row]


class Standing(Struct, frozen=True):
    """How a version stands at the tables of a rule book and a size."""

    variant: str
    players: int
    place: PublishedRow
    of: int
    """Bots at these tables."""
    history: Sequence[HistoryRow]
    beaten_by: Sequence[HeadToHeadRow]
    """Who finished ahead of it in more than half of their games, the worst first."""

    @property
    def chart(self) -> Chart | None:
        """The curve of its rating, if there are points enough."""
        return rating_history(self.history, "the mean of the field") if self.history else None


def standings(site: Path) -> dict[str, list[Standing]]:
    """Return how each version stands on a published site; what cannot be read is left out."""
    found = defaultdict[str, list[Standing]](list)
    for division, board in published_boards(site):
        histories = _by_bot(site / f"data/history-{division}.json", HistoryRow)
        duels = _by_bot(site / f"data/head-to-head-{division}.json", HeadToHeadRow)
        for place in board.rows:
            bot = place.bot
            lost = [duel for duel in duels[bot] if duel.share < 0.5]
            found[bot].append(
                Standing(
                    variant=board.variant,
                    players=board.players,
                    place=place,
                    of=len(board.rows),
                    history=histories[bot],
                    beaten_by=sorted(lost, key=lambda duel: duel.share)[:_OPPONENTS],
                )
            )
    return found


def _by_bot(path: Path, kind: type[_Row]) -> dict[str, list[_Row]]:
    rows = defaultdict[str, list[_Row]](list)
    table = read_json(path, _Table[kind])  # type: ignore[valid-type]
    for row in table.rows if table else ():
        rows[row.bot].append(row)  # type: ignore[attr-defined]
    return rows


_twins = msgspec.json.Decoder(TwinResult).decode


class _VersionRow(NamedTuple):
    """A version in the table of all."""

    version: Version
    games: int
    faulted: int
    comparison: Comparison | None


class _Page(NamedTuple):
    """All that the page of a version shows, but for the faults in games."""

    version: Version
    checks: Sequence[bytes]
    comparison: Comparison | None
    faults: Sequence[tuple[int, int]]
    newest: Sequence[OwnGame]
    """The newest first; empty if the version plays no more."""
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
    with book.snapshot():
        for version in book.versions():
            by_author[version.author].append(version)
        ladder = _Ladder(folder, book, season, played)
    for author, versions in by_author.items():
        path = folder.private / author
        make_shared(path)
        with locked_site(path) as existing:
            replace_site(path, _Author(author, versions[::-1], ladder, existing).files())


class _Ladder:
    """What the pages of all authors are made of."""

    def __init__(self, folder: Folder, book: Book, season: int, played: PlayedSeason) -> None:
        self.folder = folder
        self.book = book
        self.season = season
        self.played = played
        self.compared = book.comparisons()
        self.standings = standings(folder.site)
        self.judging = 0.0
        """Seconds that went into judging decisions."""
        self.events = defaultdict[str, list[Event]](list)
        """The log of each version."""
        for event in book.events():
            self.events[event.version].append(event)

    def judged(self, milestone: int, fixtures: Sequence[int]) -> str:
        """Return the key of what is said of the decisions in some fixtures."""
        return _hash((self.season, milestone, fixtures))


class _Author:
    """The pages of one author; those whose key is in `existing`, by path, are not made again."""

    def __init__(
        self, name: str, versions: Sequence[Version], ladder: _Ladder, existing: Mapping[str, str]
    ) -> None:
        self._name = name
        self._versions = versions
        self._ladder = ladder
        self._existing = existing
        self._played = ladder.played
        self._judged: dict[str, Why | None] = {}
        """Why versions lose, as it is written in two forms."""

    def files(self) -> Iterator[File]:
        """Yield every file."""
        yield File(_STYLE, (shipped.folder("reports") / _STYLE).read_text(encoding="utf-8"))
        games: dict[int, str] = {}
        rows = []
        for version in self._versions:
            own = self._played.by_version[version.name]
            page = self._page(version, own)
            rows.append(_VersionRow(version, own.games, own.faulted, page.comparison))
            games |= page.pages
            yield from self._explanations(page)
            yield from self._version_files(page)
        for fixture, path in games.items():
            yield self._file(path, str(fixture), partial(self._game_page, fixture))
        compared = [
            (row.version, row.comparison.predecessor, _twins(row.comparison.result))
            for row in rows
            if row.comparison
        ]
        front = _rendered("ladder_author.html", author=self._name, rows=rows, compared=compared)
        yield File(FRONT, front)

    def _file(self, path: str, key: str, make: Callable[[], str]) -> File:
        """Return a file, made unless one with its key is there."""
        there = path in self._existing and self._existing[path] == key
        return File(path, None if there else make(), key)

    def _page(self, version: Version, own: OwnGames) -> _Page:
        newest = own.newest() if version.state in PLAYING else []
        looked_at = [index for index in own.looked_at if self._played.has_log(index)]
        key = self._ladder.judged(own.milestone, looked_at)
        is_judged = self._existing.get(f"{file_stem(version.name)}.why.html") == key
        if not is_judged and self._ladder.judging >= _JUDGING:
            looked_at = []
        fixtures = [
            *(game.fixture for game in newest),
            *(fixture for fixture, _ in own.faults),
            *looked_at,
        ]
        return _Page(
            version=version,
            checks=[check.result for check in self._ladder.book.checks(version) if check.result],
            comparison=self._ladder.compared.get(version.id),
            faults=[*own.faults],
            newest=newest,
            pages={
                fixture: f"games/{self._ladder.season}-{fixture}.html"
                for fixture in fixtures
                if self._played.has_log(fixture)
            },
            events=self._ladder.events[version.name],
            standings=self._ladder.standings.get(version.name, ()),
            milestone=own.milestone if looked_at else 0,
            looked_at=looked_at,
            before=self._before(version),
        )

    def _before(self, version: Version) -> Version | None:
        """Return the version before one whose files are there."""
        earlier = [
            other
            for other in self._versions
            if other.bot == version.bot and other.number < version.number and other.digest
        ]
        return max(earlier, key=lambda other: other.number) if version.digest and earlier else None

    def _explanations(self, page: _Page) -> Iterator[File]:
        """Yield why a version loses, and what it changed, each made once for what it is about."""
        stem = file_stem(page.version.name)
        if page.milestone:
            key = self._ladder.judged(page.milestone, page.looked_at)
            yield self._file(f"{stem}.why.html", key, partial(self._why, page))
            yield self._file(f"{stem}.why.json", key, partial(self._why_as_data, page))
        if before := page.before:
            key = _hash((before.digest, page.version.digest))
            make = partial(self._changes, before, page.version)
            yield self._file(f"{stem}.changes.html", key, make)

    def _version_files(self, page: _Page) -> Iterator[File]:
        """Yield the page of a version, its checks and faults as data, and its newest games."""
        name = page.version.name
        key = page.key
        stem = file_stem(name)
        shown_at = f"{stem}.html"
        data_at = f"{stem}.json"
        yield self._file(f"{stem}.games.jsonl", key, partial(self._games_as_data, page))
        if self._existing.get(shown_at) == self._existing.get(data_at) == key:
            yield File(shown_at, None, key)
            yield File(data_at, None, key)
            return
        faults = list(self._played.faults(name))
        checks = list(map(decoded_check, page.checks))
        twins = page.comparison and _twins(page.comparison.result)
        shown = _rendered(
            "ladder_version.html", page=page, most=NEWEST, twins=twins, checks=checks, faults=faults
        )
        data = {
            "checks": checks,
            "faults": [fault._asdict() for fault in faults],
            "version": name,
        }
        yield File(shown_at, shown, key)
        yield File(data_at, msgspec.json.format(msgspec.json.encode(data), indent=1), key)

    def _why(self, page: _Page) -> str:
        return _rendered(
            "ladder_why.html",
            version=page.version.name,
            why=self._judge(page),
            milestone=page.milestone,
            pages=page.pages,
        )

    def _why_as_data(self, page: _Page) -> str:
        judged = self._judge(page)
        data = {
            "version": page.version.name,
            "milestone": page.milestone,
            "judged": judged.judged if judged else None,
        }
        return msgspec.json.format(msgspec.json.encode(data), indent=1).decode()

    def _judge(self, page: _Page) -> Why | None:
        """Return why a version loses, judged once."""
        name = page.version.name
        if name in self._judged:
            return self._judged[name]
        variants = self._played.variants
        fixtures = (self._played.fixture(index) for index in page.looked_at)
        began = time.process_time()
        judged = why(name, ((played, variants[played.fixture.variant]) for played in fixtures))
        self._ladder.judging += time.process_time() - began
        self._judged[name] = judged
        return judged

    def _changes(self, before: Version, version: Version) -> str:
        archive = self._ladder.folder.version
        try:
            files = changes(archive(before.digest), archive(version.digest))
        except (OSError, TarError):
            files = []
        return _rendered(
            "ladder_changes.html", files=files, version=version.name, before=before.name
        )

    def _game_page(self, index: int) -> str:
        """Return the page of a fixture: its games in words, and what the author's bots wrote."""
        played = self._played.fixture(index)
        fixture = played.fixture
        mine = {version.name for version in self._versions}
        stderr = {
            bot: stderr_of(played, seat) for seat, bot in enumerate(fixture.seats) if bot in mine
        }
        games = [self._replay(played, game) for game in played.games[-NEWEST:]]
        return _rendered(
            "ladder_game.html", fixture=fixture, games=games, stderr=stderr, most=NEWEST
        )

    def _replay(self, played: PlayedFixture, game: GameRecord) -> Replay:
        """Return a game step by step, with what the models of the author's bots wrote."""
        fixture = played.fixture
        mine = {version.name for version in self._versions}
        own = [one for one in played.exchanges if fixture.seats[one.seat] in mine]
        return replay(
            game,
            fixture.seats,
            self._played.variants[fixture.variant],
            fixture.max_rounds,
            words_of(own, game.game, {one.model for one in own}),
            deciders_of(played.decisions_by, game.game),
        )

    def _games_as_data(self, page: _Page) -> str:
        """Return the newest games of a version as JSON lines, the newest first."""
        lines = []
        for own in page.newest:
            if not self._played.has_log(own.fixture):
                continue
            played = self._played.fixture(own.fixture)
            record = next(one for one in played.games if one.game == own.game)
            head = {
                "fixture": own.fixture,
                "variant": own.variant,
                "seats": own.seats,
                "seat": played.fixture.seats.index(page.version.name),
            }
            game = {**head, **asdict(self._replay(played, record))}
            lines.append(f"{msgspec.json.encode(game).decode()}\n")
        return "".join(lines)


def _hash(value: object) -> str:
    return sha256(msgspec.msgpack.encode(value)).hexdigest()


def _rendered(template: str, **model: object) -> str:
    page = environment().overlay()
    page.filters = {**page.filters, "stamp": stamp, "file_stem": file_stem}
    return page.get_template(template).render(model)
