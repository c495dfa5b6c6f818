"""Visitors who play against the field: what they may do, and what they cannot."""

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from arena.ladder.book.book import Book
from arena.ladder.door.access import id_of
from arena.ladder.door.guest_spool import FACT, GuestPage, GuestSpool, strength
from arena.ladder.folder import Folder
from arena.publish.links import identities
from tests.e2e.live import processes, wait_until
from tests.ladder import club as clubs
from tests.ladder.club import Running, running
from tests.ladder.web.doors import PATIENT, SAME_SITE, Answer, Door, door_of, ladder
from tests.ladder.web.standings import play as standings_play
from tests.ladder.web.standings import row
from tests.support.hands import hands_in

DICE = 2
PATIENT_HOUSE = replace(PATIENT, new_tables=1_000)
GUESTS: dict[str, Any] = {
    "humans": True,
    "blocks": 1,
    "intervals": {"publish": 600.0},
    "variants": [{"variant": "bga", "starting_dice": DICE}],
}
"""A ladder that publishes late, and whose games against visitors are short."""
FORM = {"Content-Type": "application/x-www-form-urlencoded", **SAME_SITE}


def post(door: Door, path: str, **fields: str) -> Answer:
    return door.ask(path, "POST", urlencode(fields), **FORM)


def sit_down(door: Door, *names: str) -> str:
    """Ask for a table; returns its address."""
    answer = post(door, "/play", **dict.fromkeys(names, "on"))
    assert answer.status == 303, answer.body
    return answer.headers["location"]


def number_of(page: str) -> str:
    [number] = re.findall(r'data-number="(\d+)"', page)
    return str(number)


def moves_of(page: str) -> list[str]:
    """Return what the buttons below the table send."""
    return re.findall(r'<button name="move" value="([^"]+)"', page.partition("</form>")[0])


def page_of(door: Door, table: str) -> str:
    return door.ask(table).body.decode()


def is_laid(door: Door, table: str) -> bool:
    return "data-number" in page_of(door, table)


def play(door: Door, table: str) -> str:
    """Play by the first button until the game is over; returns the last page."""
    wait_until(lambda: is_laid(door, table))
    while True:
        wait_until(lambda: moves_of(page_of(door, table)))
        page = page_of(door, table)
        moves = moves_of(page)
        if "again" in moves:
            return page
        choice = next((move for move in ("dudo", "skip", "pass") if move in moves), moves[:1])
        answer = post(
            door,
            table,
            number=number_of(page),
            move=choice if isinstance(choice, str) else moves[0],
        )
        assert answer.status == 303


def leave(door: Door, table: str) -> None:
    """Leave a table, and wait until that is done."""
    wait_until(lambda: is_laid(door, table))
    assert post(door, table, number="0", move="leave").status == 303
    wait_until(lambda: "The table is closed" in page_of(door, table))
    assert door.ask(f"{table}?after=1").status == 410


def lays_tables(club: Path) -> bool:
    """Tell whether the process has begun that lays tables: it lays none that were asked for before.

    It begins by making the folder of their pages.
    """
    return Folder(club).guests.is_dir()


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder that sleeps: ann plays against people, bob's author does not want it."""
    club = clubs.make(tmp_path_factory.mktemp("guests"), **GUESTS, guests=2)
    clubs.admitted(club, "ann")
    clubs.admitted(club, "bob", humans=False)
    return club


@pytest.fixture(scope="module")
def open_house(club: Path) -> Iterator[tuple[Running, Door]]:
    with running(club) as house, door_of(Folder(club), PATIENT_HOUSE) as door:
        house.until(lambda: clubs.is_asleep(club, "ann@1", "bob@1"))
        house.until(lambda: lays_tables(club))
        yield house, door
        assert house.stop() == 0


@pytest.mark.slow
def test_a_visitor_plays_a_game_without_scripts_and_shares_its_replay(
    open_house: tuple[Running, Door], club: Path
) -> None:
    _, door = open_house
    stored = clubs.store_of(club).read_bytes()
    assert b"bob@1" not in door.ask("/play").body.partition(b"</form>")[0]
    table = sit_down(door, "ann@1")
    last = play(door, table)
    [replay] = re.findall(r'href="(?:\.\./\.\.)?(/played/[^"]+)"', last)
    assert table.split("/")[2] not in replay
    assert door.ask(replay).status == 200
    [mark] = re.findall(r'<i class="(h. m.)"></i><bdi>ann</bdi></span>', last)
    assert mark == identities(["ann"], ["ann@1", "bob@1"])["ann"].classes
    bots = door.ask(replay.replace("replay.html", "bots.html")).body.decode()
    assert f'<i class="{mark}"></i><a class="bot" href="bots/ann.html">' in bots
    [(games, ahead)] = strength(Folder(club)).values()
    assert games == 1
    assert ahead in {0, 1}
    assert b"People against bots" in door.ask("/play").body
    assert clubs.store_of(club).read_bytes() == stored
    shared = door.ask(replay).body.decode()
    assert "A visitor against <bdi>ann@1</bdi>" in shared
    assert 'href="/play?with=ann@1"' in shared
    assert '<a class="brand" href="/">' in shared
    answer = post(door, table, number=number_of(last), move="again")
    assert answer.status == 303
    again = answer.headers["location"]
    assert again != table
    leave(door, again)
    assert replay in page_of(door, table)


@pytest.mark.slow
def test_the_page_has_no_dice_but_the_visitors_own(open_house: tuple[Running, Door]) -> None:
    _, door = open_house
    table = sit_down(door, "ann@1")
    wait_until(lambda: is_laid(door, table))
    wait_until(lambda: moves_of(page_of(door, table)))
    assert sorted(map(len, hands_in(page_of(door, table)))) == [0, DICE]
    leave(door, table)


NOT_THERE: tuple[dict[str, str], ...] = (
    {"move": "bid 99 9"},
    {"move": "bid 1"},
    {"number": "999999999", "move": "dudo"},
    {"move": "../../x"},
)


@pytest.mark.slow
def test_moves_that_are_not_there_change_nothing(open_house: tuple[Running, Door]) -> None:
    _, door = open_house
    table = sit_down(door, "ann@1")
    wait_until(lambda: moves_of(page_of(door, table)))
    before = page_of(door, table)
    for fields in NOT_THERE:
        assert post(door, table, **{"number": number_of(before), **fields}).status == 303
        assert page_of(door, table) == before, fields
    leave(door, table)


@pytest.mark.slow
def test_there_are_as_many_tables_as_places(open_house: tuple[Running, Door]) -> None:
    _, door = open_house
    tables = [sit_down(door, "ann@1"), sit_down(door, "ann@1")]
    refused = post(door, "/play", **{"ann@1": "on"})
    assert refused.status == 503
    assert refused.headers["retry-after"] == "60"
    assert b"places are taken" in refused.body
    for table in tables:
        leave(door, table)
    post(door, sit_down(door, "ann@1"), number="0", move="leave")


@pytest.mark.slow
def test_tables_end_with_the_ladder_and_new_ones_are_laid_by_the_next(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, **GUESTS, guests=1)
    clubs.admitted(club, "ann")
    with door_of(Folder(club)) as door:
        with running(club) as house:
            house.until(lambda: b"ann@1" in door.ask("/play").body and lays_tables(club))
            table = sit_down(door, "ann@1")
            house.until(lambda: is_laid(door, table))
            family = house.children()
            house.kill()
        wait_until(lambda: not family or not ({*family} & processes().keys()))
        with running(club) as house:
            house.until(lambda: "The ladder was started again." in page_of(door, table))
            again = ""

            def sits() -> bool:
                nonlocal again
                answer = post(door, "/play", **{"ann@1": "on"})
                again = answer.headers.get("location", "")
                return bool(again)

            house.until(sits)
            house.until(lambda: is_laid(door, again))
            parents = {one.parent for one in processes().values() if "bot.py" in one.command}
            [keeper] = parents.intersection(house.children())
            os.kill(keeper, signal.SIGKILL)
            house.until(lambda: not is_laid(door, again))
            assert house.stop() == 0


def offered(folder: Folder, *names: str) -> None:
    """Let versions agree to play, as a ladder does."""
    with Book(folder, writes=True) as book:
        book.set_fact(FACT, json.dumps(names))


def test_a_ladder_without_places_offers_none(own_door: Door) -> None:
    offered(own_door.folder, "ann@1")
    assert b"no tables for visitors" in own_door.ask("/play").body
    assert post(own_door, "/play", **{"ann@1": "on"}).status == 409


@pytest.mark.parametrize(
    ("marked", "seated"),
    [
        ((), ["bot3@1"]),
        (("none@1", "<script>alert(1)</script>"), ["bot3@1"]),
        (("ann@1", "ann@2"), ["ann@1"]),
        (tuple(f"bot{number}@1" for number in range(6)), [f"bot{n}@1" for n in (4, 3, 2, 1, 0)]),
    ],
    ids=["nobody", "hostile", "twice", "many"],
)
def test_a_choice_that_cannot_be_meant_is_mended(
    tmp_path: Path, marked: tuple[str, ...], seated: list[str]
) -> None:
    folder = ladder(tmp_path, guests=1)
    offered(folder, "ann@1", "ann@2", *(f"bot{number}@1" for number in range(6)))
    with door_of(folder) as door:
        secret = sit_down(door, *marked).split("/")[2]
        asked = GuestSpool(folder).asked_for(id_of(secret))
        assert asked
        assert [*asked.versions] == seated


def test_the_offer_says_how_strong_they_are_and_marks_a_first_rival(tmp_path: Path) -> None:
    folder = ladder(tmp_path, guests=1)
    offered(folder, "two@1", "one@1", "six@1", "new@1")
    styles = [{"bot": "one@1", "bids": 100, "bluffs": 30}, {"bot": "six@1", "bids": 9, "bluffs": 0}]
    (folder.site / "data").mkdir(parents=True)
    (folder.site / "data/style.json").write_text(json.dumps({"rows": styles}))
    with door_of(folder) as door, Book(folder, writes=True) as book:
        rows = [row("one@1", 1, 1, 0.7), row("two@1", 2, 2, 0.6), row("six@1", 3, 3, 0.2)]
        standings_play(book, folder, *rows)
        wait_until(lambda: b"rank 1 of 3" in door.ask("/play").body)
        page = door.ask("/play").body.decode().partition("</form>")[0]
        told = [re.sub(r"<[^>]+>", "", line).strip() for line in re.findall("<li>.*", page)]
        assert told == [
            "one@1 rank 1 of 3, bluffs often",
            "two@1 rank 2 of 3",
            "six@1 rank 3 of 3, hardly bluffs a good first rival",
            "new@1 new here",
        ]
        assert re.findall('name="([^"]+)" checked', page) == ["six@1"]
        chosen = door.ask("/play?with=two@1&with=none@1").body.decode()
        assert re.findall('name="([^"]+)" checked', chosen) == ["two@1"]


def test_an_address_has_a_few_tables_and_asks_for_a_few(tmp_path: Path) -> None:
    folder = ladder(tmp_path, guests=50)
    offered(folder, "ann@1")
    with door_of(folder) as door:
        found = [post(door, "/play", **{"ann@1": "on"}).status for _ in range(PATIENT.tables + 1)]
        assert found == [303] * PATIENT.tables + [429]
        for id_ in [*door_tables(folder)]:
            GuestSpool(folder).begin()
            GuestSpool(folder).show(id_, GuestPage(why="over"))
        found = [post(door, "/play", **{"ann@1": "on"}).status for _ in range(12)]
        assert 429 in found


def test_places_are_given_once_to_many_who_come_at_once(tmp_path: Path) -> None:
    folder = ladder(tmp_path, guests=5)
    offered(folder, "ann@1")
    limits = replace(PATIENT, new_tables=1_000, tables=1_000)
    with door_of(folder, limits) as door, ThreadPoolExecutor(20) as crowd:
        asked = [crowd.submit(post, door, "/play", **{"ann@1": "on"}) for _ in range(60)]
        statuses = Counter(one.result().status for one in asked)
        assert statuses == {303: 5, 503: 55}
        assert len(door_tables(folder)) == 5


def door_tables(folder: Folder) -> list[str]:
    return [path.name for path in (folder.door.parent / "guests").iterdir()]


@pytest.fixture(scope="module")
def seated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Door, str]]:
    """The door of a ladder that does not run, and a table that was asked for."""
    folder = ladder(tmp_path_factory.mktemp("seated"), guests=1)
    offered(folder, "ann@1")
    with door_of(folder) as door:
        yield door, sit_down(door, "ann@1")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_table_needs_its_secret(seated: tuple[Door, str], method: str) -> None:
    door, table = seated
    [id_] = door_tables(door.folder)
    assert id_ == id_of(table.split("/")[2])
    for wrong in ("wrong", id_, "..", "%2e%2e", "a%00b", "x" * 5_000):
        answer = door.ask(f"/play/{wrong}/", method, "number=1&move=dudo", **FORM)
        assert answer.status in {400, 404, 405, 414}
    assert b"being laid" in door.ask(table).body


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"number": "-1", "move": "x"},
        {"number": "1" * 12, "move": "dudo"},
        {"number": "1", "move": "a\nb"},
        {"number": "1", "move": "x" * 21},
        {"number": "\u0661", "move": "dudo"},
    ],
)
def test_only_clicks_are_taken(seated: tuple[Door, str], fields: dict[str, str]) -> None:
    door, table = seated
    assert post(door, table, **fields).status == 400


def test_clicks_take_bounded_room(seated: tuple[Door, str]) -> None:
    door, table = seated
    [id_] = door_tables(door.folder)
    clicks = door.folder.door.parent / "guests" / id_ / "clicks"
    clicks.write_bytes(b"1 x\n" * 17_000)
    size = clicks.stat().st_size
    assert post(door, table, number="1", move="dudo").status == 429
    assert clicks.stat().st_size == size


def test_a_page_of_another_site_cannot_click(seated: tuple[Door, str]) -> None:
    door, table = seated
    headers = {**FORM, "Sec-Fetch-Site": "cross-site"}
    assert door.ask(table, "POST", "number=1&move=dudo", **headers).status == 403


def test_of_a_game_the_site_alone_can_be_seen(seated: tuple[Door, str]) -> None:
    door, _ = seated
    site = door.folder.guests / "games" / ("a" * 64) / "site"
    site.mkdir(parents=True)
    (site / "replay.html").write_text("the replay")
    (site.parent / "league.sqlite").write_text("the dice")
    assert door.ask(f"/played/{'a' * 64}/replay.html").body == b"the replay"
    for path in ("../league.sqlite", "..%2fleague.sqlite", "%00", "", "site/../../x", "data/none"):
        answer = door.ask(f"/played/{'a' * 64}/{path}")
        assert answer.status in {400, 404}, path
        assert b"the dice" not in answer.body, path
