"""The pictures of the README and the manual, taken as screenshots of tests; `make pictures`."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.browser import course_pictures, ladder_pictures, sites
from tests.browser.conftest import CHROMIUM, address, watched

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = {"width": 1200, "height": 720}


def take(browser: Browser, site: Path, folder: Path = FOLDER) -> None:
    """Photograph the standings, and a moment of a game."""
    with watched(browser, viewport=SIZE) as page:
        page.goto(address(site / "index.html"))
        page.screenshot(path=folder / "standings.png")
        page.goto(address(site / "replay.html", _call(site)))
        page.get_by_role("button", name="Play").wait_for()
        page.screenshot(path=folder / "replay.png")


def _call(site: Path) -> str:
    """Return the part of an address that shows the first right call of the list, all dice seen."""
    calls = (site / "watch.html").read_text(encoding="utf-8").partition("Brave calls")[2]
    found = re.search(r"replay\.html(#[0-9.]+)", calls)
    if not found:
        raise ValueError("the league has no brave call")
    return f"{found[1]}&see=all"


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take(browser, sites.showcase(Path(folder)))
        ladder_pictures.take(browser, Path(folder), FOLDER)
        course_pictures.take(browser, Path(folder), FOLDER)


if __name__ == "__main__":
    main()
