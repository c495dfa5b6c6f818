"""The list of fixtures: the result of each fixture, which page it is on, what the search loads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.game.records import (
    Cause,
    Conditions,
    Faulted,
    FixtureResult,
)
from arena.publish.data.results import FixtureResultRow, fixture_row, fixture_rows
from arena.publish.links import Links, identities, links
from arena.publish.pages import fixtures
from arena.publish.pages.fixtures import PAGE, SHARD, pages, search_files
from arena.publish.replays import select_replays
from arena.publish.text import counted, fixed, signed
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import Favourites
from tests.publish.crowd import crowd
from tests.publish.in_memory import InMemory, write_site
from tests.publish.pages import XHTML, broken_links, content, document, tree
from tests.support import factory, records
from tests.support.ratings import board, leaderboard_row


def searched(
    fixtures: Sequence[FixtureResultRow],
    conditions: Conditions,
    boards: Sequence[Leaderboard],
    address: Links,
) -> dict[str, str]:
    """The scripts of the search, by path."""
    marks = identities(bot.name for bot in conditions.bots)
    files = search_files(fixtures, marks, boards, address)
    return {file.path: str(file.content) for file in files}


def played(seats: tuple[str, ...], *ends: tuple[tuple[int, ...], tuple[int, ...]]) -> FixtureResult:
    """Return the result of fixture 7 in which games end like that: places, and who faulted."""
    fixture = records.fixture(seats, len(ends), index=7)
    games = [records.result(fixture, [places], faulted).games[0] for places, faulted in ends]
    return replace(records.result(fixture, []), games=games)


def unpacked(script: str) -> Any:
    return json.loads(content(script))


def one(index: int) -> FixtureResultRow:
    return FixtureResultRow(
        index, "bga", 2, ("a", "b"), 4, (3, 1), (1.25, 1.75), (0, 0), 0, 0.25, ()
    )


def test_a_fixture_is_counted_seat_by_seat() -> None:
    ends = ((1, 2, 3), ()), ((2, 1, 3), (2,)), ((1, 3, 2), (1, 2))
    found = fixture_row(played(("a", "b", "c"), *ends), {}, Favourites([]), {})
    assert (found.index, found.games, found.wins) == (7, 3, (2, 1, 0))
    assert found.places == pytest.approx((4 / 3, 2, 8 / 3))
    assert (found.faults, found.upsets, found.watch) == ((0, 1, 2), 0, ())


def test_the_luck_of_a_fixture_is_that_of_its_games() -> None:
    fixture = played(("a", "b"), ((1, 2), ()), ((2, 1), ()))
    assert fixture_row(fixture, {}, Favourites([]), {7: 0.375}).luck == 0.375
    assert fixture_row(fixture, {}, Favourites([]), {}).luck is None


def test_wins_of_a_bot_that_was_unlikely_to_win_are_upsets() -> None:
    fixture = played(("strong", "weak"), ((2, 1), ()), ((1, 2), ()), ((2, 1), ()))
    rows = leaderboard_row("strong", 15.0, 0.5), leaderboard_row("weak", -15.0, 0.5)
    assert fixture_row(fixture, {}, Favourites([board(*rows)]), {}).upsets == 2


def test_fixtures_have_their_faults_and_replays() -> None:
    _, ratings, played = factory.sample()
    expected = Favourites(ratings.boards)
    selection = select_replays(factory.results(played), expected, 0)
    found = fixture_rows(reversed(factory.results(played)), selection, expected, {})
    assert [one.index for one in found] == [0, 1, 2, 3, 4]
    assert [one.faults for one in found] == [(0, 0), (0, 2), (1, 0), (0, 0, 0), (0, 0, 0)]
    assert set(found[1].watch) >= {1, 2}


def test_a_fixture_without_games_is_not_listed() -> None:
    _, ratings, played = factory.sample()
    empty = factory.results([replace(played[0], games=[])])
    assert fixture_rows(empty, {}, Favourites(ratings.boards), {}) == []


def test_page_number_depends_on_the_schedule_only() -> None:
    at = [0, PAGE - 1, PAGE, 5 * PAGE + 3]
    found = pages([one(index) for index in at])
    assert [(part.number, [m.index for m in part.fixtures]) for part in found] == [
        (0, [0, PAGE - 1]),
        (1, [PAGE]),
        (5, [5 * PAGE + 3]),
    ]
    assert [(part.before, part.after) for part in found] == [(None, 1), (0, 5), (1, None)]
    assert (found[2].first, found[2].last) == (5 * PAGE, 6 * PAGE - 1)
    assert pages([]) == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hundred and sixty fixtures at tables of two and three: two pages."""
    return write_site(
        *crowd(10, 13, (("bga", 2), ("house", 3)), 2), tmp_path_factory.mktemp("site"), replays=3
    ).parent


def cards(path: Path) -> list[list[str]]:
    """The words of each card: its table, its number, a line for each bot, what else there is."""
    [listed] = [one for one in document(path).iter(f"{XHTML}ul") if one.get("id") == "fixtures"]
    found = []
    for card in listed:
        head, seats, last = card
        lines = [words(head[0]), words(head[1]), *map(words, seats), *map(words, last)]
        found.append(lines)
    return found


def words(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def number(card: list[str]) -> int:
    return int(card[1].split("rerun ")[1])


@pytest.mark.slow
def test_every_fixture_is_on_one_page_and_the_newest_are_on_the_first(site: Path) -> None:
    listed = [cards(site / f"fixtures/{part}.html") for part in range(2)]
    assert [list(map(number, found)) for found in listed] == [
        list(range(PAGE)),
        list(range(PAGE, 260)),
    ]
    assert listed[0][7][1] == "fixture 8, rerun 7"
    newest = cards(site / "fixtures.html")
    assert newest == listed[1][: -fixtures.NEWEST_SHOWN - 1 : -1]
    assert broken_links(site) == []


@pytest.mark.slow
def test_a_card_has_the_bots_in_order_of_their_places(site: Path) -> None:
    league, ratings, played = crowd(10, 13, (("bga", 2), ("house", 3)), 2)
    source = InMemory(played, league.variants)
    found = fixture_rows(source.results, {}, Favourites(ratings.boards), source.summary.luck)
    for part, index in ((0, 0), (1, 59)):
        card = cards(site / f"fixtures/{part}.html")[index]
        expected = found[part * PAGE + index]
        assert card[0] == f"{expected.variant}, {expected.players} players"
        lines = []
        for seat, (bot, wins, place) in enumerate(
            zip(expected.seats, expected.wins, expected.places, strict=True)
        ):
            luck = (
                ""
                if expected.luck is None
                else f", luck {signed((1, -1)[seat] * expected.luck, 1)}"
            )
            told = f"{bot} {counted(wins, 'win')}, mean place {fixed(place)}{luck}"
            lines.append((round(place, 2), seat, told))
        assert (expected.luck is None) == (expected.players > 2)
        assert card[2 : 2 + expected.players] == [told for _, _, told in sorted(lines)]
        assert card[2 + expected.players].startswith("2 games")


def test_pages_are_chained(site: Path) -> None:
    def related(number: int) -> dict[str, str]:
        links = document(site / f"fixtures/{number}.html").iter("{http://www.w3.org/1999/xhtml}a")
        return {link.get("rel"): link.get("href") for link in links if link.get("rel")}

    assert related(0) == {"next": "../fixtures/1.html"}
    assert related(1) == {"prev": "../fixtures/0.html"}


@pytest.mark.slow
def test_one_more_fixture_changes_one_page(tmp_path: Path) -> None:
    league, ratings, played = crowd(10, 22, games=1)
    for name, count in (("before", 210), ("after", 211)):
        write_site(league, ratings, played[:count], tmp_path / name, replays="none")
    before, after = (tree(tmp_path / name) for name in ("before", "after"))
    changed = {name for name in after if before.get(name) != after[name]}
    assert {name for name in changed if name.startswith("fixtures/")} == {
        "fixtures/1.html",
        "fixtures/0.js",
        "fixtures/index.js",
    }


def test_search_index_matches_the_pages() -> None:
    league, ratings, played = factory.sample()
    expected = Favourites(ratings.boards)
    selection = select_replays(factory.results(played), expected, 0)
    luck = InMemory(played, league.variants).summary.luck
    found = fixture_rows(factory.results(played), selection, expected, luck)
    address = links(league, ratings.boards)
    files = searched(found, league, ratings.boards, address)
    assert list(files) == ["fixtures/index.js", "fixtures/0.js"]
    index, shard = (unpacked(script) for script in files.values())
    assert index["bots"] == {address.bots[bot.name]: bot.name for bot in league.bots}
    assert list(index["tables"].values()) == [["bga", 2], ["house rules", 3]]
    assert list(index["tables"]) == [
        address.division_id(board.division) for board in ratings.boards
    ]
    assert (index["shards"], index["fixtures"]) == ([0], 5)
    marks = identities(bot.name for bot in league.bots)
    assert index["marks"] == {address.bots[bot]: mark.classes for bot, mark in marks.items()}
    crashed = shard["entries"][1]
    assert [shard["bots"][seat] for seat in crashed[2]] == ["gamma", "delta"]
    assert shard["tables"][crashed[1]] == "bga-2p"
    assert (crashed[0], crashed[3], crashed[6]) == (1, 4, 2)
    assert crashed[8] == round(found[1].luck or 0, 1)
    assert crashed[9:] == [len(found[1].watch), found[1].watch[0]]


def test_search_of_a_long_league_is_split_into_shards() -> None:
    league, ratings, _ = factory.sample(("a", "b", "c", "d"))
    found = [one(index) for index in (0, SHARD - 1, SHARD, 3 * SHARD)]
    files = searched(found, league, ratings.boards, links(league, ratings.boards))
    assert list(files) == [f"fixtures/{name}.js" for name in ("index", 0, 1, 3)]
    assert unpacked(files["fixtures/index.js"])["shards"] == [0, 1, 3]


def test_names_cannot_end_the_script_that_holds_them(tmp_path: Path) -> None:
    names = ('</script><b>"', "\x1b[31m\udc80")
    fault = {0: Faulted(0, Cause.CRASH, "")}
    played = [factory.fixture(0, names, faults=fault)]
    write_site(factory.league(names), factory.ratings(played), played, tmp_path)
    script = (tmp_path / "fixtures/index.js").read_text()
    assert script.startswith('perudoShard("index", "')
    assert not set("<>'\x1b") & set(script)
    assert sorted(unpacked(script)["bots"].values()) == ['</script><b>"', r"\x1b[31m\u{dc80}"]
