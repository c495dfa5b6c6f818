"""Visitors of a ladder play in a real browser: by touch on a telephone, and without scripts."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.ladder.folder import Folder
from tests.browser.test_door import SCHEMES, check, visiting
from tests.browser.test_pages import SCREENSHOTS
from tests.browser.test_play import dice_of, is_over, kind, moved, number
from tests.ladder import club as clubs
from tests.ladder.club import running
from tests.ladder.web.doors import Door, door_of
from tests.ladder.web.test_guests import GUESTS, lays_tables
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MOVES = ("dudo", "pass", "skip", "next", "bid 1 2")


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    club = clubs.make(tmp_path_factory.mktemp("guests"), **GUESTS, guests=2)
    for name in ("ann", "bob"):
        clubs.admitted(club, name)
    with running(club) as ladder, door_of(Folder(club)) as door:
        ladder.until(lambda: clubs.is_asleep(club, "ann@1", "bob@1"))
        ladder.until(lambda: lays_tables(club))
        yield door
        assert ladder.stop() == 0


def sit_down(page: Page, door: Door) -> None:
    page.goto(f"{door.base}/play")
    page.get_by_label("ann@1").check()
    page.get_by_label("bob@1").check()
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#game")


def play(page: Page) -> None:
    """Make careless moves until the game is over."""
    while not is_over(page):
        if kind(page) in {"turn", "calza"}:
            assert [bool(dice) for dice in dice_of(page)] == [True, False, False]
        before = number(page)
        buttons = [page.locator(f'button[value="{move}"]') for move in MOVES]
        next(button for button in buttons if button.count()).click()
        moved(page, before)


def check_replay(page: Page) -> None:
    """Follow the link to the replay of the game."""
    page.get_by_role("link", name="Replay of").click()
    expect(page.locator("#title")).to_contain_text("ann")


def test_a_visitor_plays_on_a_telephone_and_axe_finds_nothing(door: Door, browser: Browser) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with visiting(browser, **PHONE) as page:
        look(page, f"{door.base}/play")
        sit_down(page, door)
        page.screenshot(path=SCREENSHOTS / "door-play-390.png")
        address = page.url
        look(page, address)
        play(page)
        page.get_by_role("button", name="Leave the table").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The table is closed")
        check_replay(page)
        look(page, address)
        check_replay(page)


def test_a_visitor_leaves_a_game_that_goes_on_without_scripts(door: Door, browser: Browser) -> None:
    with visiting(browser, java_script_enabled=False, **PHONE) as page:
        sit_down(page, door)
        page.get_by_text("Leave", exact=True).click()
        page.get_by_role("button", name="Leave;").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The table is closed")


def look(page: Page, address: str) -> None:
    """Look at a page in one of the schemes, or in both if nothing is sampled."""
    for scheme in sample(SCHEMES, 1, f"scheme of {address.rpartition('/')[2]}"):
        page.emulate_media(color_scheme=scheme)
        check(page, address)
