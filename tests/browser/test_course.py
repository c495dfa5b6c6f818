"""The pages of a course on a screen, a phone and paper; a table to sort; what is handed out."""

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, ViewportSize, expect

from arena.course.config import load_weeks
from arena.course.new import make_own_course
from arena.course.output.handouts import PACK, write_handouts
from tests.browser.conftest import address, watched
from tests.browser.test_pages import SCHEMES, SCREENSHOTS, said
from tests.browser.test_print import CUT, print_view
from tests.course.shown import PAGES
from tests.support.sampling import paired, sample

SIZES: dict[str, ViewportSize] = {
    "phone": {"width": 390, "height": 844},
    "screen": {"width": 1440, "height": 900},
}
Window = tuple[str, str]
WINDOWS: list[Window] = [*zip(SIZES, SCHEMES, strict=True), *zip(SIZES, SCHEMES[::-1], strict=True)]
"""Two that follow each other differ in both."""
SHEETS = {"sheet": "week-1.html", "slides": "slides-2.html"}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sheets and slides as a teacher hands them out."""
    folder = tmp_path_factory.mktemp("school")
    (folder / "r.csv").write_text("id\n1\n", encoding="utf-8")
    make_own_course(folder / "course", folder / "r.csv", "2100-11-20 23:59 Europe/Berlin")
    write_handouts(load_weeks(folder / "course"))
    return folder / "course" / PACK


def look(browser: Browser, path: Path, window: Window, name: str) -> None:
    """Look at a page for what breaks out of it and for what axe finds; leave a picture."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    size, scheme = window
    with watched(browser, viewport=SIZES[size], color_scheme=scheme) as page:
        page.goto(address(path))
        page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"]
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate("axe.run({preload: false, resultTypes: ['violations']})")
        assert found["passes"]
        assert [said(one) for one in found["violations"]] == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "window"), paired(PAGES, WINDOWS, "pages of a course"))
def test_axe_finds_nothing_on_a_page_of_a_course(
    browser: Browser, course: Path, kind: str, window: Window
) -> None:
    look(browser, course / PAGES[kind], window, kind.replace(" ", "-"))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "window"), paired(SHEETS, WINDOWS, "what is handed out"))
def test_axe_finds_nothing_on_what_is_handed_out(
    browser: Browser, pack: Path, kind: str, window: Window
) -> None:
    look(browser, pack / SHEETS[kind], window, kind)


def on_paper(page: Page, path: Path, name: str) -> bytes:
    """Return a page as PDF, and leave it beside the pictures."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.goto(address(path))
    print_view(page)
    assert page.evaluate(CUT) == []
    return page.pdf(path=SCREENSHOTS / f"{name}.pdf", format="A4", print_background=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sample(PAGES, 3, "pages of a course on paper"))
def test_paper_shows_a_page_of_a_course_whole(browser: Browser, course: Path, kind: str) -> None:
    with watched(browser) as page:
        assert on_paper(page, course / PAGES[kind], kind.replace(" ", "-")).startswith(b"%PDF")


@pytest.mark.slow
def test_each_slide_is_a_page_of_paper(browser: Browser, pack: Path) -> None:
    with watched(browser) as page:
        pdf = on_paper(page, pack / SHEETS["slides"], "slides")
        slides = page.locator(".slide").count()
    assert slides <= pdf.count(b"/Type /Page\n") <= slides + 1


def students(page: Page) -> list[str]:
    return page.locator("table.students tbody tr:visible th").all_inner_texts()


def test_class_can_be_sorted_by_points_and_searched(page: Page, course: Path) -> None:
    page.goto(address(course / "class.html"))
    roster = students(page)
    page.get_by_role("button", name="Final").click()
    assert students(page)[0] == "original Ada"
    page.get_by_role("button", name="Final").click()
    assert students(page)[-1] == "original Ada"
    page.get_by_role("button", name="Final").click()
    assert students(page) == roster
    page.get_by_label("Find student").fill("zoë")
    expect(page.locator("table.students tbody tr:visible")).to_have_count(1)


def test_similar_pair_is_one_click_away(page: Page, course: Path) -> None:
    page.goto(address(course / "class.html"))
    page.get_by_role("link", name="original Ada and renamed Zoë").click()
    expect(page.locator("#pair-1")).to_be_in_viewport()
    rows = page.locator("table.sides").first.locator("tr.same")
    assert rows.first.locator("code").all_inner_texts() == ["import json", "import json"]
