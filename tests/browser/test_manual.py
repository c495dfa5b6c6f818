"""The site of the manual, opened as files: it loads nothing from elsewhere, and can be searched."""

import subprocess
import sys
from pathlib import Path

import pytest
from html5lib import parse
from playwright.sync_api import Browser, expect

from tests.browser.conftest import watched
from tests.cli.command import ROOT

pytestmark = pytest.mark.slow
LOADED = ("script", "link", "img", "iframe", "source")
"""Elements with which a page loads something."""


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site strictly: a broken link or anchor fails."""
    site = tmp_path_factory.mktemp("manual") / "site"
    command = [sys.executable, str(ROOT / ".ci/docs/build.py"), str(site)]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return site


def test_every_page_of_the_manual_is_on_the_site(manual: Path) -> None:
    texts = {path.relative_to(ROOT) for path in ROOT.glob("docs/**/*.md")}
    # A README is the index of its folder.
    names = {text: "index" if text.stem == "README" else text.stem for text in texts}
    pages = {text.with_name(f"{name}.html") for text, name in names.items()}
    assert pages == {path.relative_to(manual) for path in manual.glob("docs/**/*.html")}


def test_no_page_names_another_host_for_what_it_loads(manual: Path) -> None:
    for path in manual.rglob("*.html"):
        tree = parse(path.read_bytes(), namespaceHTMLElements=False)
        loaded = [each for name in LOADED for each in tree.iter(name)]
        addresses = [each.get("src") or each.get("href") or "" for each in loaded]
        assert loaded
        assert [text for text in addresses if "//" in text] == [], path


def test_search_works_in_files_and_loads_nothing_from_elsewhere(
    manual: Path, browser: Browser
) -> None:
    with watched(browser) as page:
        page.goto((manual / "docs/guides/store.html").as_uri())
        page.get_by_role("button", name="Search").first.click()
        page.keyboard.type("quarantined")
        expect(page.get_by_text("When a worker dies").first).to_be_visible()
