"""Pages on paper: whole, in their tints, without what can only be used on a screen."""

import re
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.conftest import address, watched
from tests.browser.sites import KINDS
from tests.browser.test_pages import show
from tests.support.sampling import sample

A4: ViewportSize = {"width": 718, "height": 1046}
"""Pixels between margins of one centimetre."""
CUT = """() => [...document.querySelectorAll("body *")].filter(one => {
  const box = one.getBoundingClientRect(), style = getComputedStyle(one);
  if (one.closest(".unseen, caption") || !box.width || !box.height) return false;
  const beyond = box.right > innerWidth + 1 || box.left < -1;
  const cell = one.matches("td, th:not(.axis)") && !one.querySelector("svg.bar");
  const clips = one instanceof HTMLElement && (cell || style.overflowX !== "visible");
  const more = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
  return beyond || (clips && more);
}).map(one => one.outerHTML.slice(0, 120))"""
USED = "button:not(.sort), select, input, header nav, .skip"


def print_view(page: Page) -> None:
    page.set_viewport_size(A4)
    page.emulate_media(media="print")


@pytest.mark.parametrize("kind", sample(KINDS, 8, "kinds of pages on paper"))
def test_paper_shows_every_page_whole(browser: Browser, report: Path, kind: str) -> None:
    with watched(browser) as page:
        show(page, report / KINDS[kind])
        print_view(page)
        assert page.evaluate(CUT) == []
        assert page.locator(USED).locator("visible=true").count() == 0
        folded = page.locator("details > :not(summary, .files)")
        assert all(one.evaluate("one => one.checkVisibility()") for one in folded.all())


def test_paper_shows_all_of_many_bots(browser: Browser, unfinished: Path) -> None:
    with watched(browser) as page:
        for path in ("index.html", "bots.html", "tables/bga-6p.html", "head-to-head/bga-6p.html"):
            page.goto(address(unfinished / path))
            print_view(page)
            assert page.evaluate(CUT) == [], path


def test_paper_shows_names_of_any_length(browser: Browser, hostile: Path) -> None:
    with watched(browser) as page:
        print_view(page)
        for path in sample(sorted(hostile.rglob("*.html")), 8, "pages on paper"):
            page.goto(address(path))
            assert page.evaluate(CUT) == [], path


def fills(pdf: bytes) -> set[tuple[int, ...]]:
    """The colours that a PDF fills areas with, as red, green and blue from 0 to 255."""
    found = set()
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            text = zlib.decompressobj().decompress(packed)
        except zlib.error:
            continue
        for colour in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\n", text):
            found.add(tuple(round(255 * float(part)) for part in colour))
    return found


@pytest.mark.parametrize(
    ("path", "tint"),
    [("index.html", (0xE7, 0xEF, 0xF8)), ("head-to-head/bga-6p.html", (0xE9, 0xA9, 0x5C))],
)
def test_paper_keeps_tints(
    browser: Browser, unfinished: Path, path: str, tint: tuple[int, ...]
) -> None:
    with watched(browser) as page:
        page.goto(address(unfinished / path))
        assert tint in fills(page.pdf(print_background=False))
