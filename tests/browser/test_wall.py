"""What is thrown on the wall of a room: a final that plays by itself, and a class."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.ladder.door.access import Scope
from arena.ladder.door.classroom import keep_class, new_class
from tests.browser.conftest import address
from tests.browser.replaying import at
from tests.browser.test_door import WINDOWS, assess, check, link, log_in, show_in, visiting
from tests.cli.command import play_league, run
from tests.ladder.web.doors import door_of, ladder
from tests.support.copied_workers import copied_workers
from tests.support.made_once import made_once

pytestmark = pytest.mark.slow

SECOND = 1_000


def _play_final(folder: Path) -> None:
    with copied_workers():
        play_league(folder)
    ran = run("final", "league.yaml", "--pace", "0", "--wins", "1", "--into", "wall", cwd=folder)
    assert ran.code == 0, ran


@pytest.fixture
def wall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "final-on-the-wall", _play_final) / "wall"


def test_a_final_plays_by_itself_with_all_dice(page: Page, wall: Path) -> None:
    page.clock.install(time="2026-01-01T00:00:00Z")
    page.goto(address(wall / "index.html"))
    page.wait_for_selector("#replay:not([hidden])")
    page.clock.pause_at("2026-01-01T01:00:00Z")
    page.clock.run_for(5 * SECOND)
    assert page.text_content("#play") == "Pause"
    assert page.locator("#table svg.shown").count() > 5
    page.keyboard.press("Space")
    step = at(page)
    page.clock.run_for(20 * SECOND)
    assert (at(page), page.text_content("#play")) == (step, "Play")
    page.keyboard.press("End")
    page.clock.run_for(8 * SECOND)
    page.wait_for_function("location.hash.startsWith('#1.0.')")
    page.clock.run_for(2 * SECOND)
    page.wait_for_function("document.querySelector('#play').textContent === 'Pause'")


def test_the_pages_of_a_final_are_for_everybody(page: Page, wall: Path) -> None:
    for name in ("index.html", "winner.html"):
        page.goto(address(wall / name))
        if name == "index.html":
            page.wait_for_selector("#replay:not([hidden])")
        for window in WINDOWS:
            show_in(page, window)
            assess(page, name)


def test_the_wall_of_a_class_is_for_everybody(browser: Browser, tmp_path: Path) -> None:
    folder = ladder(tmp_path, names="by_author")
    keep_class(folder, new_class(["ann", "bob"], time.time() + 3000))
    with door_of(folder) as door, visiting(browser) as page:
        for window in WINDOWS:
            show_in(page, window)
            check(page, f"{door.base}/wall")
        log_in(page, link(door, "root", Scope.ADMINISTRATOR))
        for window in WINDOWS:
            show_in(page, window)
            check(page, f"{door.base}/wall")
        left = page.text_content("[data-ends]") or ""
        assert left.count(":") == 1
