"""The page of `arena coach`, as a visitor sees it."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.browser.conftest import address, watched
from tests.browser.test_pages import GRAVE, SCHEMES, SCREENSHOTS, WIDTHS, said
from tests.cli.command import run
from tests.support.sampling import sample


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coached")
    options = ("--games", "3", "--seed", "s", "--site", "site", "--sandbox", "process")
    ran = run("coach", "sample:honest", *options, cwd=folder)
    assert ran.code == 0, ran.err
    return folder / "site" / "coach-honest.html"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", sample(SCHEMES, 1, "the page of a coach"))
def test_page_fits_every_window_and_axe_finds_nothing_serious(
    browser: Browser, page_file: Path, scheme: Any
) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with watched(browser, color_scheme=scheme) as page:
        page.goto(address(page_file))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") == width
        path = SCREENSHOTS / f"coach-{scheme}.jpeg"
        page.screenshot(path=path, full_page=True, type="jpeg", quality=80)
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate("axe.run({preload: false, resultTypes: ['violations']})")
        assert found["passes"]
        assert [said(one) for one in found["violations"] if one["impact"] in GRAVE] == []


def test_worst_decision_is_shown_in_the_replay(browser: Browser, page_file: Path) -> None:
    with watched(browser) as page:
        page.goto(address(page_file))
        wanted = page.locator("a.watch").first.get_attribute("href")
        page.locator("a.watch").first.click()
        page.wait_for_selector("#replay:not([hidden])")
        assert wanted
        assert page.url.endswith(wanted)
