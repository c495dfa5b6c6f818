"""The administration in a real browser: nothing happens by accident, and all fits."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door.access import Scope
from arena.ladder.door.door import Door as LadderDoor
from tests.browser.test_door import WIDTHS, WINDOWS, check, link, log_in, show_in, visiting
from tests.browser.test_pages import SCREENSHOTS
from tests.ladder.web.doors import Door, door_of, ladder, uploads
from tests.support.sampling import paired

pytestmark = pytest.mark.slow

VERSIONS = 25
SCREENS = 4
"""That the page of so many may take."""
LONG = "x" * 300


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A door whose ladder has a version that plays."""
    with door_of(ladder(tmp_path)) as door:
        enter(door, "bot-0")
        yield door


def enter(door: Door, *bots: str) -> None:
    """Let versions of ann play."""
    token = door.token("ann")
    with Book(door.folder, writes=True) as book:
        for bot in bots:
            assert door.put(bot, bot.encode(), token).status == 201
            book.add(uploads(door)[-1], State.QUEUED, "it came")
            book.set_state(book.version(f"{bot}@1"), State.RATED, LONG)


def orders(door: Door) -> list[tuple[str, str]]:
    with LadderDoor(door.folder) as opened:
        return [(order.what, order.why) for order in opened.orders()]


@pytest.mark.parametrize("scripts", [True, False])
def test_enter_in_a_field_orders_nothing(browser: Browser, door: Door, scripts: bool) -> None:
    with visiting(browser, java_script_enabled=scripts) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        for path in ("administration/versions/bot-0@1", "administration/people/ann"):
            page.goto(f"{door.base}/{path}")
            fields = page.locator("main form[method=post] input:visible")
            assert fields.count() >= 3
            for number in range(fields.count()):
                field = fields.nth(number)
                field.fill("7" if field.get_attribute("type") == "number" else "a note")
                field.press("Enter")
            # Had anything been sent, this would come after it.
            page.goto(f"{door.base}/administration")
        page.get_by_label("Name of an author").fill("carl")
        page.get_by_label("Name of an author").press("Enter")
        page.goto(f"{door.base}/administration")
        assert orders(door) == []
        with LadderDoor(door.folder) as opened:
            assert "carl" not in {author.name for author in opened.authors()}


def table_height(page: Page, address: str) -> float:
    page.goto(address)
    box = page.get_by_role("region", name="Table of versions").bounding_box()
    assert box
    return box["height"]


def test_a_version_takes_one_line(browser: Browser, door: Door) -> None:
    address = f"{door.base}/administration"
    with visiting(browser) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        before = {}
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            before[width] = table_height(page, address)
        enter(door, *(f"bot-{number}" for number in range(1, VERSIONS)))
        for width, head_and_row in before.items():
            page.set_viewport_size({"width": width, "height": 900})
            rows = table_height(page, address) - head_and_row
            assert rows / (VERSIONS - 1) < 0.75 * head_and_row
            assert page.evaluate("document.documentElement.scrollHeight") < SCREENS * 900


def test_the_desk_fits_and_axe_finds_nothing(browser: Browser, door: Door) -> None:
    enter(door, *(f"a-bot-with-a-long-name-0123456-{number}" for number in range(3)))
    with Book(door.folder, writes=True) as book:
        book.open_season(1, b"{}", "c")
    paths = (
        "administration",
        "administration?q=none",
        "administration/versions/bot-0@1",
        "administration/people/ann",
    )
    with visiting(browser) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        for path, window in paired(paths, WINDOWS, "pages of the desk"):
            show_in(page, window)
            check(page, f"{door.base}/{path}")
        page.goto(f"{door.base}/administration")
        name = SCREENSHOTS / "administration.jpg"
        page.screenshot(path=name, full_page=True, type="jpeg", quality=80)


def test_a_version_is_struck_without_scripts(browser: Browser, door: Door) -> None:
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        page.goto(f"{door.base}/administration")
        page.get_by_label("Name of a version").fill("bot-0")
        page.get_by_label("Name of a version").press("Enter")  # it only looks
        page.get_by_role("link", name="bot-0@1").click()
        page.get_by_role("button", name="Strike").click()
        expect(page.get_by_role("alert")).to_contain_text("Type bot-0@1.")
        page.get_by_label("Type bot-0@1 to confirm").fill("bot-0@1")
        page.get_by_label("Why, for striking bot-0@1").fill("it cheats")
        page.get_by_role("button", name="Strike").click()
        page.wait_for_url("**/administration/versions/bot-0@1")
        expect(page.get_by_role("alert")).to_have_count(0)
    assert orders(door) == [("strike", "it cheats")]


def test_the_desk_follows_the_ladder_and_keeps_what_is_typed(browser: Browser, door: Door) -> None:
    with visiting(browser) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        page.goto(f"{door.base}/administration")
        page.get_by_label("Name of an author").fill("ca")
        enter(door, "bot-1")
        expect(page.get_by_role("link", name="bot-1@1")).to_be_visible()
        with Book(door.folder, writes=True) as book:
            book.set_state(book.version("bot-1@1"), State.RESTING, "asked by ann")
        expect(page.get_by_role("region", name="Table of versions")).to_contain_text("asked by ann")
        expect(page.get_by_label("Name of an author")).to_have_value("ca")
        page.get_by_label("Name of an author").fill("carl")
        page.get_by_role("button", name="Invite").click()
        expect(page.locator("[data-link]")).to_contain_text(f"{door.base}/link/")
