"""The Atom feed: valid, deterministic, and true to what reports said on the way."""

from datetime import datetime
from pathlib import Path
from random import Random
from xml.etree import ElementTree as Xml

import pytest
from msgspec.structs import replace

from arena.game.records import Conditions, GameRecord, PlayedFixture
from arena.publish.pages.feed import block_times, changes, checkpoints, feed, history, ranks
from tests.publish.in_memory import InMemory, write_site
from tests.publish.test_hostile import NAMES, NASTY
from tests.support import factory

ATOM = "{http://www.w3.org/2005/Atom}"
BOTS = ("alpha", "beta", "gamma")
START = 1_700_000_000
ONCE = {"id", "title", "updated"}
CHILDREN = {
    "feed": ONCE | {"author", "generator", "link", "entry"},
    "entry": ONCE | {"link", "category", "summary"},
}


def strong_first(blocks: int, names: tuple[str, ...] = BOTS) -> list[PlayedFixture]:
    """Blocks of three fixtures of 8 games each; the earlier in the list, the better the bot."""
    chance = Random("feed")
    pairs = [(names[0], names[1]), (names[1], names[2]), (names[2], names[0])]
    found = []
    for at in range(3 * blocks):
        seats = pairs[at % 3]
        better = names.index(seats[0]) < names.index(seats[1])
        wins = [(chance.random() < 0.75) == better for _ in range(8)]
        games = [GameRecord(n, (1, 2) if won else (2, 1), []) for n, won in enumerate(wins)]
        one = factory.fixture(at, seats)
        fixture = replace(one.fixture, block=at // 3, games=8)
        found.append(replace(one, fixture=fixture, games=games, stored_at=START + 60.0 * at))
    return found


def write(played: list[PlayedFixture], folder: Path, conditions: Conditions | None = None) -> Path:
    write_site(conditions or factory.league(BOTS), factory.ratings(played), played, folder)
    return folder / "feed.xml"


def parsed(path: Path) -> Xml.Element:
    return Xml.parse(path).getroot()  # noqa: S314 - we wrote it


def entries(path: Path) -> dict[str, dict[str, str]]:
    """The texts of each entry, by its id."""
    found = {}
    for entry in parsed(path).iter(f"{ATOM}entry"):
        texts = {child.tag.removeprefix(ATOM): child.text or "" for child in entry}
        found[texts["id"]] = texts
    return found


def check_atom(path: Path) -> None:
    """Check what RFC 4287 asks of the elements that are used here, and that there are no others."""
    root = parsed(path)
    assert root.tag == f"{ATOM}feed"
    parts = [root, *root.findall(f"{ATOM}entry")]
    for part in parts:
        names = [child.tag.removeprefix(ATOM) for child in part]
        assert set(names) <= CHILDREN[part.tag.removeprefix(ATOM)]
        assert all(names.count(name) == 1 for name in ONCE)
        updated = part.findtext(f"{ATOM}updated", "")
        assert updated.endswith("Z")
        assert datetime.fromisoformat(updated).tzinfo
        assert part.findtext(f"{ATOM}id", "").startswith("urn:uuid:")
        assert any(link.get("rel") == "alternate" for link in part.findall(f"{ATOM}link"))
    ids = [part.findtext(f"{ATOM}id") for part in parts]
    assert len(ids) == len(set(ids))
    assert root.findtext(f"{ATOM}author/{ATOM}name")


def test_it_is_valid_newest_first_and_its_links_resolve(tmp_path: Path) -> None:
    path = write(strong_first(5), tmp_path)
    check_atom(path)
    found = list(entries(path).values())
    assert found
    times = [one["updated"] for one in found]
    assert times == sorted(times, reverse=True)
    for link in parsed(path).iter(f"{ATOM}link"):
        assert (tmp_path / (link.get("href") or "nothing")).is_file()


def test_an_entry_is_what_two_reports_said(tmp_path: Path) -> None:
    """After 4 blocks, and after 8: each bot whose range differs has an entry, and no other."""
    played = strong_first(8)
    four, eight = (factory.ratings(part).boards[0] for part in (played[:12], played))
    before = {row.bot: ranks(row.best, row.worst) for row in four.rows}
    now = {row.bot: ranks(row.best, row.worst) for row in eight.rows}
    told = {
        one["title"]
        for one in entries(write(played, tmp_path)).values()
        if "after 8 it is" in one["summary"]
    }
    assert told == {
        f"{bot} (bga, 2 players): ranks {now[bot]}, before {before[bot]}"
        for bot in BOTS
        if now[bot] != before[bot]
    }
    assert told


def test_entries_stay_as_a_league_grows(tmp_path: Path) -> None:
    played = strong_first(16)
    early, late = (
        entries(write(part, tmp_path / str(len(part)))) for part in (played[:24], played)
    )
    assert early
    assert early.items() <= late.items()


def test_it_is_dated_by_the_last_fixture_of_its_blocks(tmp_path: Path) -> None:
    played = strong_first(8)
    dates = {
        one["updated"]
        for one in entries(write(played, tmp_path)).values()
        if "after 4 it is" in one["summary"]
    }
    assert dates == {datetime.fromtimestamp(START + 11 * 60).strftime("%Y-%m-%dT%H:%M:%SZ")}


def test_a_bot_that_comes_later_is_new() -> None:
    played = strong_first(4)
    early = [one for one in played if one.fixture.block or "gamma" not in one.fixture.seats]
    [board] = factory.ratings(early).boards
    league = factory.league(BOTS)
    course = list(history(board, InMemory(early, league.variants)))
    new = [one for one in changes(league, board, course, {}) if not one.was]
    assert [
        (one.bot, one.before.blocks, one.after.blocks, len(one.after.ranks)) for one in new
    ] == [("gamma", 1, 2, 3)]


def test_one_block_or_none_has_no_changes(tmp_path: Path) -> None:
    for played in ([], strong_first(1)):
        path = write(played, tmp_path / str(len(played)))
        check_atom(path)
        assert entries(path) == {}


def test_hostile_names_are_text(tmp_path: Path) -> None:
    league = factory.league(NAMES, name=NASTY)
    path = write(strong_first(8, NAMES[:3]), tmp_path, league)
    check_atom(path)
    assert any(one["title"].startswith(NAMES[0]) for one in entries(path).values())
    assert path.read_text().replace("\n", "").isprintable()


def test_without_times_it_is_as_old_as_can_be(tmp_path: Path) -> None:
    path = write([replace(one, stored_at=None) for one in strong_first(4)], tmp_path)
    check_atom(path)
    assert {one["updated"] for one in entries(path).values()} == {"1970-01-01T00:00:00Z"}


def test_there_are_not_more_entries_than_readers_want(monkeypatch: pytest.MonkeyPatch) -> None:
    played = strong_first(16)
    ratings, league = factory.ratings(played), factory.league(BOTS)
    monkeypatch.setattr("arena.publish.pages.feed.NEWEST", 2)
    source = InMemory(played, league.variants)
    found = feed(league, ratings.boards, source)
    assert len(found.entries) == 2


def test_looks_double() -> None:
    assert [checkpoints(n) for n in (0, 1, 2, 3, 8, 9)] == [
        [],
        [1],
        [1, 2],
        [1, 2, 3],
        [1, 2, 4, 8],
        [1, 2, 4, 8, 9],
    ]


def test_a_block_ends_with_its_last_game() -> None:
    fixtures = [one.fixture for one in strong_first(1) + strong_first(2)[3:]]
    assert block_times(fixtures, [1, 2], {0: 9.0, 1: 5.0, 4: 7.0}) == {1: 9.0, 2: 9.0}
    assert block_times(fixtures, [1, 2], {4: 7.0}) == {2: 7.0}
