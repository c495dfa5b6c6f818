"""What only an author reads: how their versions were checked, and why they are what they are."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.ladder.book import Book
from arena.ladder.checking import CheckResult, decoded
from arena.ladder.folder import Folder, make_private, write_durably
from arena.ladder.tables import Version
from arena.ladder.times import stamp
from arena.publish.pages.templates import environment
from arena.records import Faulted, PlayedFixture
from arena.store.store import Store

PAGE = "index.html"
_NEWEST = 20
"""Faults that are shown of each version."""
_STDERR = 4_096
"""Characters of standard error that are shown with each, the end."""


class GameFault(NamedTuple):
    """A fault of a version in a game that counts."""

    fixture: int
    """The fixture's place in the schedule, from 0."""
    game: int
    """From 0."""
    what: str
    stderr: str


Faults = Mapping[str, Sequence[GameFault]]


def faults_by_bot(store: Store, shown: Collection[str]) -> Faults:
    """Return the newest faults of each version, in the fixtures that may be seen."""
    found = defaultdict[str, deque[GameFault]](lambda: deque(maxlen=_NEWEST))
    for result in store.results():
        if result.fixture.id in shown and any(game.faulted for game in result.games):
            [played] = store.played(result.fixture.index, result.fixture.index)
            for bot, fault in _faults(played):
                found[bot].append(fault)
    return {bot: list(faults)[::-1] for bot, faults in found.items()}


def _faults(played: PlayedFixture) -> Iterator[tuple[str, GameFault]]:
    for game in played.games:
        for event in game.events:
            if isinstance(event, Faulted):
                stderr = played.stderr[event.seat][-_STDERR:] if played.stderr else ""
                what = f"{event.cause}: {event.detail}"
                fault = GameFault(played.fixture.index, game.game, what, stderr)
                yield played.fixture.seats[event.seat], fault


def write_private_pages(folder: Folder, book: Book, faults: Faults) -> None:
    """Write `private/<author>/index.html` for each author with a version."""
    by_author = defaultdict[str, list[Version]](list)
    for version in book.versions():
        by_author[version.author].append(version)
    for author, versions in by_author.items():
        page = _page(author, versions[::-1], book, faults).encode()
        path = folder.private / author / PAGE
        make_private(path.parent)
        if not path.exists() or path.read_bytes() != page:
            write_durably(path, page)


def _page(author: str, versions: Sequence[Version], book: Book, faults: Faults) -> str:
    shown = [
        (one, _results(one, book), faults.get(one.name, ()), book.events(one.name))
        for one in versions
    ]
    page = environment().overlay()
    page.filters = {**page.filters, "stamp": stamp}
    return page.get_template("ladder_author.html").render(author=author, versions=shown)


def _results(version: Version, book: Book) -> list[CheckResult]:
    return [decoded(check.result) for check in book.checks(version) if check.result]
