"""The site of the manual, opened as files: it loads nothing from elsewhere, and can be searched."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import watched
from tests.cli.command import ROOT
from tests.support.made_once import made_once

pytestmark = pytest.mark.slow
LOADED = {"script", "link", "img", "iframe", "source"}
"""Elements with which a page loads something."""


class Loads(HTMLParser):
    """Collects the addresses of what a page loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in LOADED:
            named = dict(attrs)
            self.addresses.append(named.get("src") or named.get("href") or "")


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site strictly: a broken link or anchor fails."""

    def build(folder: Path) -> None:
        command = [sys.executable, str(ROOT / ".ci/docs/build.py"), str(folder / "site")]
        built = subprocess.run(command, check=False, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr

    return made_once(tmp_path_factory, "manual", build) / "site"


def test_every_page_of_the_manual_is_on_the_site(manual: Path) -> None:
    texts = {path.relative_to(ROOT) for path in ROOT.glob("docs/**/*.md")}
    # A README is the index of its folder.
    names = {text: "index" if text.stem == "README" else text.stem for text in texts}
    pages = {text.with_name(f"{name}.html") for text, name in names.items()}
    assert pages == {path.relative_to(manual) for path in manual.glob("docs/**/*.html")}


def test_no_page_names_another_host_for_what_it_loads(manual: Path) -> None:
    for path in manual.rglob("*.html"):
        addresses = Loads(path.read_text(encoding="utf-8")).addresses
        assert addresses
        assert [text for text in addresses if "//" in text] == [], path


def test_search_works_in_files_and_loads_nothing_from_elsewhere(
    manual: Path, browser: Browser
) -> None:
    with watched(browser) as page:
        page.goto((manual / "docs/guides/store.html").as_uri())
        page.get_by_role("button", name="Search").first.click()
        page.keyboard.type("quarantined")
        expect(page.get_by_text("When a worker dies").first).to_be_visible()


FOUND = {
    "my bot crashes": "docs/guides/debug",
    "reproducible": "docs/reference/rules",
    "upgrade": "docs/guides/upgrading",
    "timeout": "docs/reference/league",
    "memory limit": "docs/guides/sandboxes",
    "contribute": "docs/reference/install",
}
"""What somebody types into the search, and a page that it must list."""


def test_search_lists_the_page_where_it_is(manual: Path, browser: Browser) -> None:
    with watched(browser) as page:
        for words, where in FOUND.items():
            page.goto((manual / "docs/guides/store.html").as_uri())
            page.get_by_role("button", name="Search").first.click()
            page.keyboard.type(words)
            # Links of the navigation have no words to mark.
            expect(page.locator(f'a[href*="{where}.html?h="]').first).to_be_visible()
