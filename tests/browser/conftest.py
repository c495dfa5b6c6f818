"""A real Chromium, the system's own, that looks at sites on the file system."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "google-chrome"])), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium: sudo apt-get install chromium")
    with sync_playwright() as driver:
        # The pages are the tests' own; root, as in a container, has no sandbox to start.
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that has nothing to say on its console, or the test fails."""
    said: list[str] = []
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert said == []


def address(path: Path, fragment: str = "") -> str:
    return path.resolve().as_uri() + fragment
