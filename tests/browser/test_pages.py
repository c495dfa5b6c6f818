"""Every kind of page as a visitor sees it: at any width, light and dark, without scripts too."""

from itertools import product
from pathlib import Path
from typing import Any

import html5lib
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page

from tests.browser.conftest import address, watched
from tests.browser.sites import KINDS, SHOWCASED
from tests.publish.pages import broken_links
from tests.support.depth import depth
from tests.support.sampling import sample

WIDTHS = (390, 820, 1440)
SCHEMES = ("light", "dark")
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
XHTML = "{http://www.w3.org/1999/xhtml}"
WORDS = """rows => rows.map(row => {
  const texts = [], walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) texts.push(walk.currentNode.data);
  return texts.join(" ").split(/\\s+/).filter(Boolean);
})"""
GRAVE = {"serious", "critical"}
PAGES = {"report": KINDS, "unfinished": SHOWCASED}
"""The pages of each kind in the sites of these fixtures."""
VISITED = [(site, kind) for site, kinds in PAGES.items() for kind in kinds]
FOR_AXE = depth([("report", kind) for kind in KINDS], VISITED)
"""Without pages of many bots: axe takes long for them, and they differ in size alone."""
PHONE = {"width": 390, "height": 844}
TABLELESS = {"about", "fixtures", "fixture page", "replay", "rules", "watch", "watch a table"}


def show(page: Page, path: Path) -> None:
    page.goto(address(path))
    if path.name == KINDS["replay"]:
        page.wait_for_selector("#replay:not([hidden])")


@pytest.fixture
def shown(request: pytest.FixtureRequest, site: str, kind: str) -> Path:
    """The page of a kind in the site of that name."""
    folder: Path = request.getfixturevalue(site)
    return folder / PAGES[site][kind]


def test_no_kind_of_page_is_left_out(report: Path) -> None:
    """A page at the top is a kind of its own, those in a folder are of one kind."""
    pages = [path.relative_to(report) for path in report.rglob("*.html")]
    kinds = {path.parts[0] for path in pages}
    assert {Path(name).parts[0] for name in KINDS.values()} == kinds


def test_links_all_resolve(report: Path) -> None:
    assert broken_links(report) == []


@pytest.mark.slow
@pytest.mark.parametrize(("site", "kind"), sample(VISITED, 10, "pages that fit"))
def test_page_fits_every_window_and_scheme(
    browser: Browser, shown: Path, site: str, kind: str
) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with watched(browser) as page:
        show(page, shown)
        for width, scheme in sample(product(WIDTHS, SCHEMES), 1, f"windows of {site}, {kind}"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            path = SCREENSHOTS / f"{site}-{kind}-{width}-{scheme}.jpeg"
            page.screenshot(path=path, full_page=True, type="jpeg", quality=80)
            assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.slow
@pytest.mark.parametrize(
    ("site", "kind", "scheme"),
    sample([(*one, scheme) for one in FOR_AXE for scheme in SCHEMES], 6, "pages for axe"),
)
def test_axe_finds_nothing_serious(browser: Browser, shown: Path, scheme: Any) -> None:
    with watched(browser, color_scheme=scheme) as page:
        show(page, shown)
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate("axe.run({preload: false, resultTypes: ['violations']})")
        assert found["passes"]
        assert [said(one) for one in found["violations"] if one["impact"] in GRAVE] == []


def said(violation: dict[str, Any]) -> str:
    """What axe found, where first, and how often."""
    nodes = violation["nodes"]
    return (
        f"{violation['id']}: {len(nodes)}, first {nodes[0]['html']}: {nodes[0]['failureSummary']}"
    )


def rows_of(path: Path) -> list[list[str]]:
    """The words of every row of every table, as they are in the file."""
    root = html5lib.parse(path.read_bytes(), transport_encoding="utf-8")
    rows = [row for body in root.iter(f"{XHTML}tbody") for row in body.iter(f"{XHTML}tr")]
    return [" ".join(row.itertext()).split() for row in rows]


def unfold(page: Page) -> None:
    """Open whatever can be opened where it is seen."""
    closed = page.locator("main details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()


@pytest.mark.parametrize("kind", sample(KINDS, 8, "pages without scripts"))
def test_without_scripts_the_tables_are_complete(browser: Browser, report: Path, kind: str) -> None:
    with watched(browser, java_script_enabled=False) as page:
        page.goto(address(report / KINDS[kind]))
        unfold(page)
        rows = page.locator("main tbody tr")
        choices = page.locator("main .pick label")
        seen = [row.is_visible() for row in rows.all()]
        for choice in choices.all():
            choice.click()
            unfold(page)
            seen = [was or row.is_visible() for was, row in zip(seen, rows.all(), strict=True)]
        assert all(seen)
        shown = rows.evaluate_all(WORDS)
        assert shown == rows_of(report / KINDS[kind])
        assert bool(shown) == (kind not in TABLELESS)
        if kind == "replay":
            assert "need JavaScript" in (page.text_content("noscript") or "")


@pytest.mark.parametrize("kind", ["bot", "conditions", "faults", "suspicions"])
def test_rows_of_many_columns_are_cards_on_a_phone(
    browser: Browser, report: Path, kind: str
) -> None:
    with watched(browser, viewport=PHONE) as page:
        show(page, report / KINDS[kind])
        cards = page.locator(".scroll:has(> table.stack)")
        assert cards.count()
        sizes = cards.evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
        assert all(inner <= outer for inner, outer in sizes)
        assert not cards.locator("thead").locator("visible=true").count()


@pytest.mark.parametrize("kind", sample(KINDS, 4, "pages by keyboard"))
def test_the_keyboard_reaches_the_content(page: Page, report: Path, kind: str) -> None:
    show(page, report / KINDS[kind])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
