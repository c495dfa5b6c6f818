"""The pictures of a course in the manual: a student's page, and the teacher's."""

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.conftest import address, watched
from tests.course.shown import PAGES, write_course

SIZE = {"width": 1000, "height": 700}
SHOWN = {"mark": "late of a course", "class": "class of a course"}


def take(browser: Browser, folder: Path, pictures: Path) -> None:
    """Photograph the page of a student, and of the class."""
    course = write_course(folder / "course", name="Perudo, autumn").folder
    with watched(browser, viewport=SIZE) as page:
        for name, kind in SHOWN.items():
            page.goto(address(course / PAGES[kind]))
            page.screenshot(path=pictures / f"{name}.png")
