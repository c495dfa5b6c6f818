"""A phone, held upright and lying: the table, the bid and what one clicks are in view at once."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from arena.author.web_table.person import WebPerson
from arena.author.web_table.server import TableServer, serving
from arena.game.records import BidMade
from arena.game.rules.books import variant
from arena.game.rules.round import Raises
from arena.game.rules.view import SeatBid
from arena.ladder.book.book import Book
from arena.ladder.book.shown import LIVE_GAME_FACT, LiveGame, RoundBegun
from arena.ladder.folder import Folder
from tests.author.web_table.test_person import HELLO, turn
from tests.browser.replaying import show
from tests.browser.test_door import assess
from tests.ladder.web.doors import door_of, ladder
from tests.publish.in_memory import write_site
from tests.support import factory
from tests.support import played_games as games

PHONES = ((390, 844), (844, 390))
HIDDEN = """selector => [...document.querySelectorAll(selector)].filter(one => {
  const box = one.getBoundingClientRect();
  const down = box.top >= 0 && box.bottom <= innerHeight;
  const across = box.left >= 0 && box.right <= innerWidth;
  return !(down && across && box.width && one.checkVisibility());
}).map(one => one.outerHTML)"""
NAMES = ("one@1", "n" * 32 + "@123", "three@1", "four@1", "five@1", "six@1")


@pytest.fixture(params=PHONES, ids=["upright", "lying"])
def phone(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, height = request.param
    page = browser.new_page(viewport={"width": width, "height": height}, has_touch=True)
    yield page
    page.close()


def in_view(page: Page, *wanted: str) -> None:
    """Check that all of these are there, and in view without scrolling."""
    for one in (".table", ".middle .bid", *wanted):
        assert page.locator(one).count(), one
        assert page.evaluate(HIDDEN, one) == [], one
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of two, four and six."""
    rules = variant("bga", {})
    sizes = (2, 4, 6)
    played = [games.fixture(at, "bga", rules, NAMES[:size], 1) for at, size in enumerate(sizes)]
    league = factory.league(NAMES, variants={"bga": rules}, players=sizes)
    folder = tmp_path_factory.mktemp("sizes")
    return write_site(league, factory.ratings(played), played, folder, replays="all").parent


@pytest.mark.parametrize("fixture", [0, 1, 2])
def test_replay(phone: Page, site: Path, fixture: int) -> None:
    show(phone, site, f"#{fixture}.0.1&see=all")
    in_view(phone, ".controls button", "#slider", "#now")


@pytest.mark.slow
@pytest.mark.parametrize("players", [4, 6])
def test_table_of_a_person(phone: Page, players: int) -> None:
    with asked(players) as address:
        phone.goto(address)
        phone.wait_for_selector(".bids")
        in_view(phone, "#now", ".bids:not(details *) button", ".calls button")


@contextmanager
def asked(players: int) -> Iterator[str]:
    """Serve the table of a person who is to raise a bid, and sees the odds."""
    person = WebPerson(lambda: None)
    person.meet(NAMES[:players])
    person.hear(replace(HELLO, seats=players))
    request = turn(
        alive=tuple(range(players)),
        bids=[SeatBid(0, 2, 4)],
        raises=tuple(Raises(face, 2, 5 * players) for face in range(1, 7)),
    )
    table = Thread(target=person.decide, args=[request])
    with serving(TableServer(person)) as server:
        table.start()
        shown = person.shown(0, 10)
        person.act(shown.number if shown else 0, "odds")
        yield server.url
        shown = person.shown()
        person.act(shown.number if shown else 0, "dudo")
        table.join()


@pytest.mark.slow
def test_live_game(phone: Page, tmp_path: Path) -> None:
    with door_of(ladder(tmp_path)) as door:
        for players in (2, 6):
            show_live(door.folder, players)
            phone.goto(f"{door.base}/live")
            phone.wait_for_selector(f".p{players}")
            in_view(phone, "#now", "[data-live-pause]")


@pytest.mark.slow
def test_highlights_while_a_ladder_sleeps(phone: Page, site: Path, tmp_path: Path) -> None:
    with door_of(ladder(tmp_path)) as door:
        door.folder.site.symlink_to(site)
        phone.goto(f"{door.base}/live")
        tour = phone.frame_locator(".tour")
        expect(tour.locator("#why")).to_contain_text("Highlight 1 of ")
        assert phone.evaluate(HIDDEN, ".tour") == []
        assess(phone, "highlights")
        [frame] = phone.frames[1:]
        for one in (".table", "#why", "#play", "#whole"):
            assert frame.evaluate(HIDDEN, one) == [], one


def show_live(folder: Folder, players: int) -> None:
    now = time.time()
    game = LiveGame(
        id=str(players),
        variant="bga",
        seats=NAMES[:players],
        marks=("h0 m0",) * players,
        began=now,
        events=(RoundBegun(None, (5,) * players), BidMade(0, 2, 3), BidMade(1, 3, 1)),
        shown_at=(now - 3, now - 2, now - 1),
    )
    with Book(folder, writes=True) as book:
        book.set_fact(LIVE_GAME_FACT, msgspec.json.encode(game).decode())
