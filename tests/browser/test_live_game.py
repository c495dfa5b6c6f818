"""The game to watch in a real browser: with scripts and without, on a telephone and on a desk."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from arena.game.records import BidMade, Placed
from arena.ladder.book.book import Book
from arena.ladder.book.shown import LIVE_GAME_FACT, LiveGame, RoundBegun, WasCalled
from tests.browser.test_door import WINDOWS, check, show_in, visiting
from tests.browser.test_pages import SCREENSHOTS
from tests.ladder.web.doors import Door, door_of, ladder
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

LONG = "n" * 32 + "@123"
EVENTS = (
    RoundBegun(None, (5, 5, 1)),
    BidMade(0, 2, 3),
    BidMade(1, 3, 1),
    WasCalled(2, "dudo", 2, None),
    RoundBegun(2, (5, 5, 0), wild=False),
    Placed((1, 2, 3)),
)
DICE = (((1, 2, 3, 4, 5), (6, 6, 6, 6, 6), (1,)), ((1, 1, 1, 1, 1), (2, 2, 2, 2, 2), ()))


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with door_of(ladder(tmp_path)) as door:
        yield door


def show(door: Door, steps: int, *, dice: bool = False) -> None:
    """Let so many steps be over, and the others come in an hour."""
    now = time.time()
    game = LiveGame(
        id="1",
        variant="bga",
        seats=("one@1", LONG, "three@1"),
        marks=("h0 m0", "h1 m1", "h2 m2"),
        began=now,
        events=EVENTS,
        shown_at=tuple(now + (0 if step < steps else 3_600) for step in range(len(EVENTS))),
    )
    with Book(door.folder, writes=True) as book:
        shown = replace(game, dice=DICE) if dice else game
        book.set_fact(LIVE_GAME_FACT, msgspec.json.encode(shown).decode())


def test_a_game_goes_on_before_the_eyes_of_who_watches_it(door: Door, browser: Browser) -> None:
    show(door, 2)
    with visiting(browser) as page:
        page.goto(f"{door.base}/live")
        table, now = page.locator("[data-live-game]"), page.locator("#now")
        expect(now).to_have_text("one@1 bids 2 threes.")
        expect(table.locator(".hand use")).to_have_count(0)
        show(door, 4)
        expect(now).to_contain_text("three@1 loses a die")
        page.get_by_role("button", name="Pause").click()
        show(door, 6)
        page.get_by_role("button", name="Pause").click()
        show(door, 6, dice=True)
        expect(now).to_have_text("one@1 wins the game.")
        expect(table.locator(".hand use")).to_have_count(10)


def test_without_scripts_the_game_is_loaded_again(door: Door, browser: Browser) -> None:
    show(door, 1)
    with visiting(browser, java_script_enabled=False) as page:
        page.goto(f"{door.base}/live")
        expect(page.locator("#now")).to_have_text("Round 1: 11 dice.")
        show(door, 2)
        expect(page.locator("#now")).to_have_text("one@1 bids 2 threes.")


def test_the_game_fits_and_axe_finds_nothing(door: Door, browser: Browser) -> None:
    show(door, 4, dice=True)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with visiting(browser) as page:
        for width, scheme in sample(WINDOWS, 2, "the live game"):
            show_in(page, (width, scheme))
            check(page, f"{door.base}/live")
            page.screenshot(path=SCREENSHOTS / f"door-live-{width}-{scheme}.png")
