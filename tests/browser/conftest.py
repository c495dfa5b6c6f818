"""A real Chromium, the system's own, that looks at sites on the file system."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import sites
from tests.cli.command import HANG
from tests.course.shown import write_course
from tests.support.made_once import made_once

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""The one made for machines without a screen comes first: it takes a third of the time."""
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)


Motion = Literal["reduce", "no-preference"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: sudo apt-get install chromium-headless-shell")
    # Five seconds, the default, are few on a busy machine.
    expect.set_options(timeout=1000 * HANG)
    with sync_playwright() as driver:
        # The pages are the tests' own; root, as in a container, has no sandbox to start.
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a league of usual bots: every kind of page, and nothing of them empty."""
    return made_once(tmp_path_factory, "site-of-usual-bots", sites.sample)


@pytest.fixture(scope="session")
def showcase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a league of many bots, played to its end."""
    return made_once(tmp_path_factory, "site-of-many-bots", sites.showcase)


@pytest.fixture(scope="session")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a league of many bots of which a third is played."""
    make = partial(sites.showcase, left=864)
    return made_once(tmp_path_factory, "site-of-many-bots-unfinished", make)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a league in which every text was written to do harm."""
    return made_once(tmp_path_factory, "site-of-enemies", sites.hostile)


@pytest.fixture(scope="session")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of two fixtures to watch."""
    return made_once(tmp_path_factory, "site-to-watch", sites.replays)


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a course, for its teacher and its students."""
    return made_once(tmp_path_factory, "pages-of-a-course", write_course)


@contextmanager
def watched(browser: Browser, motion: Motion = "reduce", **options: Any) -> Iterator[Page]:
    """Open a page that says nothing on its console, asks nobody and loads nothing from elsewhere.

    Breaches of its Content-Security-Policy are said on the console.
    """
    said: list[str] = []
    context = browser.new_context(reduced_motion=motion, **options)
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.extend(_elsewhere(request.url)))
    yield page
    context.close()
    assert said == []


def _elsewhere(url: str) -> list[str]:
    return [] if url.startswith(("file://", "data:")) else [f"a request for {url}"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that has nothing to say on its console, or the test fails."""
    with watched(browser) as page:
        yield page


def address(path: Path, fragment: str = "") -> str:
    return path.resolve().as_uri() + fragment
