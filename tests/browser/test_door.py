"""The web door in a real browser: with scripts and without, on a telephone and on a desk."""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from arena.ladder.book.book import Book
from arena.ladder.book.tables import CHECKS, CheckResult, Progress, ReportedFault, State, TimedStep
from arena.ladder.door import access
from arena.ladder.door.access import Scope
from arena.ladder.folder import Folder
from tests.browser.test_pages import said
from tests.cli.command import HANG, bot
from tests.e2e.live import let_others_in, wait_until
from tests.ladder import club as clubs
from tests.ladder.web.doors import Door, door_of, ladder, uploads
from tests.support.depth import only_in_long
from tests.support.sampling import paired

pytestmark = pytest.mark.slow

WIDTHS = (390, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WINDOWS = [*product(WIDTHS, SCHEMES)]
DROP = """(form, [name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  form.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""
LONG = "x" * 300
TRACEBACK = f"Traceback (most recent call last):\nValueError: {LONG}"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with door_of(ladder(tmp_path)) as door:
        yield door


@contextmanager
def visiting(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page that says nothing on its console but that an answer was refused or broken."""
    heard: list[str] = []
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(1000 * HANG)
    page = context.new_page()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    yield page
    context.close()
    assert [one for one in heard if "Failed to load resource" not in one] == []


def link(door: Door, author: str = "ann", scope: Scope = Scope.AUTHOR) -> str:
    word, _ = access.invite(door.folder, author, scope)
    return f"{door.base}/link/{word}"


def log_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Enter as").click()
    page.wait_for_url("**/me")


def archive(folder: Path) -> bytes:
    """Return a bot as an archive of its folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name)
    return packed.getvalue()


def refuse(door: Door, why: str) -> None:
    """Enter what was received and refuse it, as a ladder does."""
    fault = ReportedFault(why, "bga, seat 1", "mend it", asked=LONG, came=LONG, stderr=TRACEBACK)
    steps = (TimedStep("manifest", 0.01), TimedStep("program", 1.25))
    result = CheckResult(ok=False, faults=(fault,), steps=1, timed=steps, build=LONG)
    with Book(door.folder, writes=True) as book:
        for upload in uploads(door):
            book.add(upload, State.QUEUED, "it came")
            version = book.version(upload.version)
            book.end_check(book.begin_check(version, 1.0), msgspec.json.encode(result))
            book.set_state(version, State.REFUSED, why)


def test_all_but_drops_works_without_scripts(browser: Browser, door: Door) -> None:
    ann = door.session("ann")
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, link(door))
        page.get_by_label("Name of the bot").fill("mine")
        file: Any = {"name": "mine.zip", "mimeType": "application/zip", "buffer": b"PK-no-zip"}
        page.get_by_label("Archive of its folder").set_input_files(file)
        page.get_by_role("button", name="Submit").click()
        page.wait_for_url("**/versions/mine@1")
        assert page.locator("meta[http-equiv=refresh]").count() == 1
        refuse(door, "no zip")
        wait_until(lambda: b"refused: no zip" in door.ask("/versions/mine@1", **ann).body)
        page.reload()
        expect(page.get_by_text("refused: no zip").first).to_be_visible()
        assert "ValueError" in page.locator("[data-live-part=result]").inner_text()
        page.get_by_role("link", name="ann").click()
        page.get_by_label("Name, after where").fill("laptop")
        page.get_by_role("button", name="Make a token").click()
        assert len(page.locator("[data-token]").inner_text()) == 43
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url(f"{door.base}/")
        page.goto(f"{door.base}/me")
        expect(page.get_by_role("heading", level=1)).to_have_text("Log in first")
        expect(page.get_by_role("link", name="How to take part")).to_be_visible()
    [upload] = uploads(door)
    assert (door.folder.inbox / f"{upload.sha256}.zip").read_bytes() == b"PK-no-zip"


def test_a_file_is_dropped_and_followed(browser: Browser, door: Door) -> None:
    with visiting(browser) as page:
        log_in(page, link(door))
        page.locator("h1").evaluate(DROP, ["photo.png", "\x89PNG"])
        expect(page.get_by_role("status")).to_contain_text("photo.png is not an archive")
        expect(page.get_by_label("Name of the bot")).to_be_hidden()
        page.locator("h1").evaluate(DROP, ["a.zip", "PK-dropped"])
        page.get_by_label("Name of the bot").fill("mine")
        page.get_by_role("button", name="Submit").click()
        page.wait_for_url("**/versions/mine@1")
        expect(page.locator(".chip")).to_have_text("queued")
        with Book(door.folder, writes=True) as book:
            [upload] = uploads(door)
            book.add(upload, State.QUEUED, "it came")
            expect(page.locator("[data-log]")).to_contain_text("received: it came")
            book.set_state(book.version("mine@1"), State.CHECKING, "check 1")
            expect(page.locator(".chip")).to_have_text("checking")
            steps = msgspec.json.encode([Progress("mine@1", 18, ("manifest",), "program")])
            book.set_fact(CHECKS, steps.decode())
            expect(page.locator("[data-live-part=check]")).to_contain_text("Step 2 of 18: program.")
        expect(page.locator("[data-log] li")).to_have_count(2)


def test_pages_fit_and_axe_finds_nothing(browser: Browser, door: Door) -> None:
    address = link(door, "root", Scope.ADMINISTRATOR)
    token = door.token("ann")
    door.put("a-bot-with-a-long-name-012345678", b"1", token)
    refuse(door, LONG)
    door.put("mine", b"2", token)
    clubs_private = door.folder.private / "ann"
    clubs_private.mkdir(exist_ok=True)
    paths = (
        "",
        "me",
        "account",
        "versions/mine@1",
        "versions/a-bot-with-a-long-name-012345678@1",
        "administration",
        "none",
        link(door)[len(door.base) + 1 :],
    )
    with visiting(browser) as page:
        log_in(page, address)
        for path, window in paired(paths, WINDOWS, "pages of the door"):
            show_in(page, window)
            check(page, f"{door.base}/{path}")


def show_in(page: Page, window: tuple[int, Literal["light", "dark"]]) -> None:
    """Give a page a width and a scheme."""
    width, scheme = window
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)


def check(page: Page, address: str) -> None:
    page.goto(address)
    assess(page, address)


def assess(page: Page, address: str) -> None:
    """Check that a page fits, and that axe finds nothing."""
    page.wait_for_load_state()  # a click has begun another page, which may be empty yet
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0, address
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run({preload: false, resultTypes: ['violations']})")
    assert found["passes"]
    assert [said(one) for one in found["violations"]] == [], address


@only_in_long
def test_from_the_link_to_the_first_rating(browser: Browser, tmp_path: Path) -> None:
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path, blocks=1))
    clubs.admitted(folder.root, "other", clubs.REUSABLE)
    content = archive(bot(tmp_path / "mine", clubs.REUSABLE))
    with clubs.running(folder.root) as running, door_of(folder) as door:
        with visiting(browser) as page:
            log_in(page, link(door))
            file: Any = {"name": "mine.tar", "mimeType": "application/x-tar", "buffer": content}
            page.get_by_label("Archive of its folder").set_input_files(file)
            expect(page.get_by_role("status")).to_contain_text("is a version of mine")
            page.get_by_role("button", name="Submit").click()
            page.wait_for_url("**/versions/mine@1")
            # `log` refuses a version that the ladder has not entered yet.
            running.until(lambda: clubs.is_taken_in(folder.root, "mine@1"))
            running.until(lambda: "admitted" in clubs.log(folder.root, "mine@1"))
            running.until(partial(clubs.is_in_state, folder.root, "mine@1", "rated"))
            expect(page.locator(".chip")).to_have_text("rated")
            expect(page.locator("[data-log]")).to_contain_text("admitted")
            expect(page.locator("[data-live-part=ratings]")).to_contain_text(" of 2")
            running.until(lambda: "mine@1: rated" in clubs.page(folder.root, "ann"))
            page.get_by_role("link", name="Its games, faults").click()
            expect(page.get_by_role("heading", level=1)).to_contain_text("mine@1")
        assert running.stop() == 0
