"""The front page of a door and the site under its header, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from arena.ladder.book.book import Book
from arena.ladder.door.access import Requests, Scope
from arena.ladder.folder import Folder
from arena.ladder.pages.site import publish_all
from arena.ladder.pages.standings import LiveStandings
from tests.browser.test_door import WINDOWS, check, link, log_in, show_in, visiting
from tests.e2e.live import wait_until
from tests.ladder.conftest import club, copy  # noqa: F401 - fixtures
from tests.ladder.web.doors import Door, door_of, ladder
from tests.ladder.web.standings import play, row
from tests.support.sampling import paired

pytestmark = pytest.mark.slow

TOKYO = "Asia/Tokyo"
"""Nine hours before UTC, all year round."""
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def played(copy: Path) -> Iterator[Door]:  # noqa: F811 - a fixture
    """The door of a ladder that played, rated and published."""
    folder = Folder(copy)
    publish_all(folder, 100)
    live = LiveStandings(folder, 1)
    live.read()
    live.rate()
    live.write()
    with door_of(folder) as door:
        yield door


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with door_of(ladder(tmp_path)) as door:
        yield door


def test_pages_fit_and_axe_finds_nothing(browser: Browser, played: Door) -> None:
    with Requests(played.folder, writes=True) as requests:
        requests.add("zoe", "zoe@example.org", HOSTILE, 10)
    paths = (
        "",
        "welcome",
        "administration",
        "administration/requests",
        "private/ann/",
        "site/bots.html",
        "site/tables/bga-2p.html",
        "site/watch.html",
    )
    with visiting(browser) as page:
        page.goto(played.base)
        check(page, f"{played.base}/")
        check(page, f"{played.base}/welcome")
        log_in(page, link(played, "root", Scope.ADMINISTRATOR))
        for path, window in paired(paths, WINDOWS, "pages of a ladder that plays"):
            show_in(page, window)
            check(page, f"{played.base}/{path}")


def test_the_standings_move_while_somebody_looks(browser: Browser, door: Door) -> None:
    with Book(door.folder, writes=True) as book, visiting(browser) as page:
        page.goto(door.base)
        expect(page.get_by_role("heading", level=1)).to_have_text("No games have been played yet")
        play(book, door.folder, row("one@1", 1, 1, 0.7))
        expect(page.get_by_role("heading", level=1)).to_have_text("one@1 leads")
        expect(page.locator(".recent")).to_contain_text("two@1")
        play(book, door.folder, row("two@1", 1, 1, 0.7), games=1_210)
        expect(page.get_by_role("heading", level=1)).to_have_text("two@1 leads")


def test_the_front_page_says_the_same_without_scripts(browser: Browser, door: Door) -> None:
    options = {"java_script_enabled": False, "timezone_id": TOKYO}
    with Book(door.folder, writes=True) as book, visiting(browser, **options) as page:
        play(book, door.folder, row("one@1", 1, 1, 0.7))
        wait_until(lambda: b"one@1 leads" in door.ask("/").body)
        page.goto(door.base)
        expect(page.get_by_text("one@1 leads").first).to_be_visible()
        assert page.locator("meta[http-equiv=refresh]").count() == 1  # it reloads by itself
        assert page.locator(".recent time").first.inner_text().endswith(" UTC")
        assert "Times are UTC." in page.locator("footer").inner_text()


def test_times_are_in_the_zone_of_the_reader_with_utc_beside(browser: Browser, door: Door) -> None:
    noon = 1_795_521_600.0
    with Book(door.folder, writes=True) as book:
        play(book, door.folder, row("one@1", 1, 1, 0.7), at=noon)
        with visiting(browser, timezone_id=TOKYO) as page:
            page.goto(door.base)
            computed = page.locator("[data-live-part=standings] time")
            expect(computed).to_have_text("2026-11-24 21:00:00 (12:00 UTC)")
            play(book, door.folder, row("two@1", 1, 1, 0.7), at=noon + 60)
            expect(computed).to_have_text("2026-11-24 21:01:00 (12:01 UTC)")
            assert TOKYO in page.locator("footer").inner_text()


def test_an_invitation_is_asked_for_and_approved(browser: Browser, door: Door) -> None:
    with visiting(browser, java_script_enabled=False) as page:
        page.goto(door.base)
        page.get_by_role("link", name="Ask for an invitation").click()
        page.get_by_label("Your name here").fill("zoe")
        page.get_by_label("Who you are").fill("I have a bot")
        page.get_by_role("button", name="Ask for an invitation").click()
        expect(page.get_by_role("status")).to_contain_text("waits for the operator")
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        page.get_by_role("link", name="Administration").click()
        page.get_by_role("link", name="1 person asks for an invitation").click()
        page.get_by_role("button", name="Approve zoe").click()
        handed = page.locator("[data-link]").inner_text()
        expect(page.get_by_text("None waits.")).to_be_visible()
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, handed)
        expect(page.locator("header .leave")).to_contain_text("zoe")


def test_anybody_joins_an_open_ladder(browser: Browser, tmp_path: Path) -> None:
    folder = ladder(tmp_path, door={"open": True})
    with door_of(folder) as door, visiting(browser) as page:
        page.goto(f"{door.base}/welcome")
        page.get_by_label("Your name here").fill("zoe")
        page.get_by_role("button", name="Join").click()
        page.get_by_role("button", name="Enter as zoe").click()
        page.wait_for_url("**/me")


def test_the_site_under_the_header_of_the_door_works(browser: Browser, played: Door) -> None:
    with visiting(browser) as page:
        log_in(page, link(played, "ann"))
        page.get_by_role("link", name="Watch", exact=True).click()
        page.locator("main a[href*='replay.html']").first.click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.locator("main svg").count()
        page.get_by_role("link", name="Bots", exact=True).click()
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url(f"{played.base}/")
        expect(page.get_by_role("button", name="Log out")).to_have_count(0)


def test_the_kit_of_each_language_can_be_downloaded(browser: Browser, door: Door) -> None:
    with visiting(browser, accept_downloads=True) as page:
        page.goto(f"{door.base}/welcome")
        links = page.locator(".kits a")
        names = set[str]()
        for number in range(links.count()):
            with page.expect_download() as started:
                links.nth(number).click()
            names.add(started.value.suggested_filename)
    assert all(re.fullmatch(r"my-bot-[a-z-]+\.zip", name) for name in names)
    assert len(names) > 5
