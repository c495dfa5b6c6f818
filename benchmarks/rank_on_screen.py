"""Seconds until a rank or a traceback is on screen: `python -m benchmarks.rank_on_screen`.

Three of the demo's bots play on a ladder with the demo's terms until it sleeps. Somebody looks at
the front page of its door, in Chromium, when the fourth is submitted; then an author submits one
that crashes, and looks at its page. Needs Chromium.
"""

import argparse
import json
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from arena.ladder.season.season import STORE
from arena.league.store.store import Store
from tests.browser.conftest import CHROMIUM
from tests.browser.test_door import link, log_in
from tests.cli.command import HANG, ROOT, run
from tests.ladder import club as clubs
from tests.ladder.web.doors import door_of

FIELD, NEWCOMER = ("random", "honest", "odds"), "bluffer"
CRASH = "1 / 0"
WAYS = ("first game to the rank", "upload to the rank", "upload to the traceback")
TERMS = {"games": 10, "blocks": 200, "workers": None, "intervals": {"publish": 5.0}, "ratings": {}}


def main() -> None:
    """Print the seconds of some rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    measured = [once() for _ in range(parser.parse_args().rounds)]
    for what, seconds in zip(WAYS, zip(*measured, strict=True), strict=True):
        shown = " ".join(f"{one:.1f}" for one in seconds)
        print(f"from the {what} on screen: {median(seconds):.1f} s ({shown})")


def once() -> tuple[float, float, float]:
    """Return the seconds of `WAYS`."""
    with TemporaryDirectory() as name:
        club = clubs.make(Path(name), sandbox="process", trust_bots=True, **TERMS)
        for bot in FIELD:
            submit(club, bot)
        with clubs.running(club) as ladder, door_of(Folder(club)) as door, sync_playwright() as kit:
            ladder.until(lambda: is_asleep(club))
            browser = kit.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(door.base)
            uploaded = time.time()
            submit(club, NEWCOMER)
            seen = on_screen(page, f"{NEWCOMER}@1")
            played = first_game(club, f"{NEWCOMER}@1")
            log_in(page, link(door))
            crashed = time.time()
            clubs.submitted(club, "crash", CRASH, author="ann")
            page.goto(f"{door.base}/versions/crash@1")
            page.get_by_text("ZeroDivisionError").first.wait_for(timeout=1000 * HANG)
            told = time.time()
            browser.close()
            ladder.stop()
        return seen - played, seen - uploaded, told - crashed


def is_asleep(club: Path) -> bool:
    """Tell whether the field has played what was to be played."""
    with Book(Folder(club)) as book:
        divisions = json.loads(book.facts().get("divisions", "[]"))
    rated = [*clubs.states(club).values()].count("rated") == len(FIELD)
    return rated and bool(divisions) and all(division["asleep"] for division in divisions)


def submit(club: Path, bot: str) -> None:
    """Send a sample bot."""
    assert run("submit", ROOT / "sample_bots" / bot, "--to", club, "--no-wait", cwd=club).code == 0


def on_screen(page: Page, version: str) -> float:
    """Return when a version is in the standings on screen."""
    page.locator(".standings", has_text=version).wait_for(timeout=1000 * HANG)
    return time.time()


def first_game(club: Path, version: str) -> float:
    """Return when the first fixture of a version was stored."""
    with Store(Folder(club).season(1) / STORE) as store:
        results = [result for result in store.results() if version in result.fixture.seats]
    return min(result.stored_at or 0.0 for result in results)


if __name__ == "__main__":
    main()
