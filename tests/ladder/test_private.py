"""What only an author reads: faults with the lines asked and answered, comparisons, own games."""

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from arena.game.records import Faulted, Fixture, PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.ladder.book.tables import State
from arena.ladder.config import Keep
from arena.ladder.pages.private import write_private_pages
from arena.ladder.season.author_games import PlayedSeason
from arena.ladder.season.field import settle
from arena.ladder.season.season import TwinResult
from arena.league.keeping.prune import prune
from arena.league.store.store import Store
from arena.league.table.play_fixture import play_fixture
from arena.ratings.two_versions import Paired
from tests.ladder.desk import Desk
from tests.league.table.test_recorded_seat import RememberingSeats
from tests.publish.pages import broken_links, tree
from tests.support import factory, records

BOTS = ("one@1", "two@1")
BOOK = {"bga": VARIANTS["bga"]}
ASKED: dict[tuple[int, int], str] = {}
"""The last line that seat 0 was asked, by fixture and game."""


def played(index: int) -> PlayedFixture:
    """Return a fixture in which bots often bid too much."""
    fixture = Fixture(f"f{index}", index, "bga", BOTS, f"seed {index}", 4)
    with RememberingSeats(2, Random(index), 0.05) as seats:
        found = play_fixture(fixture, BOOK["bga"], seats)
    for game in found.games:
        told = [one for one in seats.told(0, game.game) if json.loads(one)["type"] == "turn"]
        ASKED[index, game.game] = told[-1].decode().strip() if told else ""
    answered = tuple((n, seat, f"line {index} {n} {seat}") for n in range(4) for seat in range(2))
    return replace(found, stderr=(f"one says {index}", f"two says {index}"), answered=answered)


FIXTURES = [played(index) for index in range(4)]
FAULTS = [
    (one.fixture.index, game.game)
    for one in FIXTURES
    for game in one.games
    if any(isinstance(event, Faulted) and event.seat == 0 for event in game.events)
]


@contextmanager
def season(folder: Path) -> Iterator[Store]:
    league = factory.league(BOTS, variants=BOOK, players=(2,))
    with Store(records.stored(folder / "league.sqlite", league, FIXTURES), create=True) as store:
        yield store


@pytest.fixture
def club(desk: Desk) -> Desk:
    """Return a ladder of two authors with a version each, which are rated."""
    for author, bot in (("ann", "one"), ("bob", "two")):
        version = desk.book.version(desk.submit(author, bot))
        desk.book.set_state(version, State.RATED, "it played")
    return desk


def write(club: Desk, store: Store, shown: range = range(4)) -> Path:
    """Write the pages of complete blocks; returns the folder of ann."""
    ids = {f"f{index}" for index in shown}
    write_private_pages(club.folder, club.book, 1, PlayedSeason(store, BOOK, ids))
    return club.folder.private / "ann"


def times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def text(folder: Path) -> str:
    return html.unescape("\n".join(path.read_text() for path in folder.rglob("*.html")))


def test_a_fault_in_a_game_is_shown_with_the_lines_that_were_asked_and_answered(
    club: Desk, tmp_path: Path
) -> None:
    assert len(FAULTS) > 2
    with season(tmp_path) as store:
        ann = write(club, store)
    shown, data = text(ann), json.loads((ann / "one@1.json").read_text())
    assert [(one["fixture"], one["game"]) for one in data["faults"]] == FAULTS[::-1]
    assert all(ASKED[one["fixture"], one["game"]] == one["asked"] for one in data["faults"])
    assert all(one["answered"].startswith("line ") for one in data["faults"])
    for index, game in FAULTS:
        assert ASKED[index, game] in shown
        assert f"<pre>line {index} {game} 0</pre>" in shown
        assert f"games/1-{index}.html#game-{game + 1}" in shown
    assert shown.count("illegal_action: ") == len(FAULTS)
    assert shown.count("<dt>answered</dt>") == len(FAULTS)


def test_pages_hold_the_authors_own_standard_error_and_nobody_elses(
    club: Desk, tmp_path: Path
) -> None:
    with season(tmp_path) as store:
        ann = text(write(club, store))
    bob = text(club.folder.private / "bob")
    assert "one says 0" in ann
    assert "two says 0" in bob
    assert "two says" not in ann
    assert "one says" not in bob
    assert (club.folder.private / "bob").stat().st_mode & 0o077 == 0


def test_games_are_told_once_their_block_is_complete(club: Desk, tmp_path: Path) -> None:
    with season(tmp_path) as store:
        ann = write(club, store, range(2))
        assert {path.name for path in ann.glob("games/*")} == {"1-0.html", "1-1.html"}
        assert "fixture 2" not in text(ann)
        assert broken_links(ann) == []
        write(club, store)
        assert {path.name for path in ann.glob("games/*")} == {f"1-{n}.html" for n in range(4)}
    assert broken_links(ann) == []
    assert "calls dudo" in (ann / "games/1-0.html").read_text()


def test_games_whose_logs_were_pruned_are_listed_and_not_told(club: Desk, tmp_path: Path) -> None:
    with season(tmp_path) as store:
        prune(store, 0)
        ann = write(club, store)
    assert "fixture 3, game 4" in text(ann)
    assert not (ann / "games").exists()
    assert broken_links(ann) == []


def test_pages_that_did_not_change_are_left_alone(club: Desk, tmp_path: Path) -> None:
    with season(tmp_path) as store:
        ann = write(club, store)
        before = times(ann)
        contents = tree(ann)
        write(club, store)
    assert times(ann) == before
    assert tree(ann) == contents


def test_versions_are_compared_in_a_table(club: Desk, tmp_path: Path) -> None:
    new, old = club.book.version(club.submit("ann", "one", b"2")), club.book.version("one@1")
    share = Paired(old=0.4, new=0.5, difference=0.1, low=-0.01, high=0.21, above=0.971)
    settle(club.book, new, old, TwinResult(400, share), Keep.LATEST)
    with season(tmp_path) as store:
        ann = write(club, store)
    front = " ".join((ann / "index.html").read_text().split())
    for cell in ("50.0 %", "40.0 %", "+10.0", "\N{MINUS SIGN}1.0 to +21.0", "97.1 %", "400"):
        assert f">{cell}<" in front, cell
    assert "twin games" not in text(club.folder.private / "bob").lower()
