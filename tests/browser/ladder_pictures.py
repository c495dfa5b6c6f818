"""The pictures of the web door in the manual: a small ladder while games are played."""

from pathlib import Path

from playwright.sync_api import Browser, Page

from arena.ladder.door.access import Scope
from arena.ladder.folder import Folder
from tests.browser.test_door import link, log_in, visiting
from tests.cli.command import ROOT, run
from tests.ladder import club as clubs
from tests.ladder.web.doors import Door, door_of

FIELD = {"honest": "ada", "odds": "blaise", "bluffer": "emil", "memory": "ada", "sh-minimal": "ken"}
SIZE = {"width": 1200, "height": 820}
PHONE = {"width": 390, "height": 844}
TERMS = {"games": 10, "blocks": 2000, "workers": 1, "ratings": {}, "intervals": {"publish": 5.0}}


def take(browser: Browser, folder: Path, pictures: Path) -> None:
    """Photograph the front page, a refused version, the administration, and a table to play at."""
    club = clubs.make(folder, guests=2, humans=True, **TERMS)
    with clubs.running(club) as ladder, door_of(Folder(club)) as door:
        for bot, author in FIELD.items():
            link(door, author)
            words = ("--to", club, "--no-wait", "--author", author)
            assert run("submit", ROOT / "sample_bots" / bot, *words, cwd=club).code == 0
        link(door, "ann")
        sent = clubs.submitted(club, "crash", "import sys\nsys.exit(1 / 0)\n", author="ann")
        assert sent.code == 0
        ladder.until(lambda: [*clubs.states(club).values()].count("rated") == len(FIELD))
        ladder.until(lambda: b"standings" in door.ask("/").body)
        with visiting(browser, viewport=SIZE) as page:
            _take_pages(page, door, pictures)
        with visiting(browser, viewport=PHONE, has_touch=True) as page:
            _take_table(page, door, pictures)
        ladder.stop()


def _take_pages(page: Page, door: Door, pictures: Path) -> None:
    page.goto(door.base)
    page.locator("[data-live-game] .table").wait_for()
    page.screenshot(path=pictures / "front.png")
    log_in(page, link(door, "ann"))
    page.goto(f"{door.base}/versions/crash@1")
    page.screenshot(path=pictures / "refused.png")
    page.goto(f"{door.base}/account")
    page.get_by_role("button", name="Log out").click()
    log_in(page, link(door, "root", Scope.ADMINISTRATOR))
    page.goto(f"{door.base}/administration")
    page.screenshot(path=pictures / "administration.png")


def _take_table(page: Page, door: Door, pictures: Path) -> None:
    page.goto(f"{door.base}/play")
    page.get_by_label("odds@1").check()
    page.get_by_label("bluffer@1").check()
    page.get_by_role("button", name="Sit down").click()
    page.locator("button[value^=bid]").first.wait_for()
    page.screenshot(path=pictures / "table.png")
