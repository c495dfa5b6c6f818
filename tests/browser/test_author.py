"""An author's pages in a real browser: uploads, versions, the account."""

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.check.scheduler import give_back
from arena.ladder.pages.private import write_private_pages
from arena.ladder.season.author_games import PlayedSeason
from tests.browser.test_door import WINDOWS, assess, check, link, log_in, show_in, visiting
from tests.ladder.test_analysis import archive
from tests.ladder.test_private import BOOK, season
from tests.ladder.web.doors import Door, door_of, ladder, uploads
from tests.support.sampling import paired

pytestmark = pytest.mark.slow

MANIFEST = "# a bot\nname: 'mine'  # its name\nruntime: python\n"
DRAG = """(place, [name, bytes, end]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
  for (const kind of ["dragover", end]) {
    place.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with door_of(ladder(tmp_path)) as door:
        yield door


def zipped(path: str, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        archive.writestr("src/other.py", "x = 1\n" * 1_000)
        archive.writestr(path, MANIFEST)
    return packed.getvalue()


def tarred(path: str, kind: str = "w", text: str = MANIFEST) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=kind) as archive:  # type: ignore[call-overload]
        for name, content in (("src/other.py", "x = 1\n" * 1_000), (path, text)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return packed.getvalue()


READABLE: dict[str, Callable[[], bytes]] = {
    "deflated.zip": lambda: zipped("bot.yaml"),
    "folder.zip": lambda: zipped("mine/bot.yaml", zipfile.ZIP_STORED),
    "plain.tar": lambda: tarred("bot.yaml"),
    "braces.tar": lambda: tarred("bot.yaml", text='{"runtime": "python",\n "name": "mine"}\n'),
    "folder.tar.gz": lambda: tarred("./mine/bot.yaml", "w:gz"),
}
UNREADABLE: dict[str, Callable[[], bytes]] = {
    "deep.zip": lambda: zipped("a/b/bot.yaml"),
    "packed.tar.xz": lambda: tarred("bot.yaml", "w:xz"),
    "broken.zip": lambda: b"PK" + bytes(100),
}
NO_ARCHIVES = {"none.tar": b"", "photo.png": b"\x89PNG\r\n" + bytes(300)}


def choose(page: Page, name: str, content: bytes) -> None:
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("Archive of its folder").set_input_files(file)


def test_name_is_read_from_the_manifest_of_an_archive(browser: Browser, door: Door) -> None:
    with visiting(browser) as page:
        log_in(page, link(door))
        expect(page.get_by_label("Name of the bot")).to_be_hidden()
        expect(page.locator("progress")).to_be_hidden()
        for name, content in READABLE.items():
            choose(page, name, content())
            said = f"{name} is a version of mine."
            expect(page.locator("[data-upload-status]")).to_have_text(said)
            expect(page.get_by_label("Name of the bot")).to_be_hidden()
        for name, content in UNREADABLE.items():
            choose(page, name, content())
            expect(page.locator("[data-upload-status]")).to_contain_text(f"Which bot is {name}?")
            expect(page.get_by_label("Name of the bot")).to_be_visible()
        for name, other in NO_ARCHIVES.items():
            choose(page, name, other)
            said = f"{name} is not an archive"
            expect(page.locator("[data-upload-status]")).to_contain_text(said)


def test_archive_is_dropped_anywhere_and_its_note_goes_with_it(
    browser: Browser, door: Door
) -> None:
    content = tarred("bot.yaml")
    with visiting(browser) as page:
        log_in(page, link(door))
        page.get_by_label("A note on this version").fill("tries calza more")
        footer, root = page.locator("footer"), page.locator("html")
        footer.evaluate(DRAG, ["a.tar", [*content], "dragleave"])
        expect(root).not_to_have_class("dropping")
        footer.evaluate(DRAG, ["a.tar", [*content], "dragover"])
        expect(root).to_have_class("dropping")
        footer.evaluate(DRAG, ["a.tar", [*content], "drop"])
        page.wait_for_url("**/versions/mine@1")
        expect(page.locator(".note")).to_have_text("tries calza more")
    [upload] = uploads(door)
    assert (upload.bot, upload.bytes, upload.note) == ("mine", len(content), "tries calza more")


def test_offline_is_said_and_nothing_is_lost(browser: Browser, door: Door) -> None:
    with visiting(browser) as page:
        log_in(page, link(door))
        choose(page, "a.tar", tarred("bot.yaml"))
        status = page.locator("[data-upload-status]")
        expect(status).to_contain_text("is a version of mine")
        page.context.set_offline(True)
        expect(status).to_have_text("You are offline.")
        page.evaluate("refresh()")  # as a page does from time to time
        page.get_by_role("button", name="Submit").click()
        expect(status).to_contain_text("send it when you are back")
        page.context.set_offline(False)
        page.get_by_role("button", name="Submit").click()
        page.wait_for_url("**/versions/mine@1")


def test_progress_is_shown_and_a_broken_connection_is_said(browser: Browser, door: Door) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with visiting(browser) as page:
        log_in(page, link(door))
        page.route("**/api/v1/bots/**", hold)
        choose(page, "a.tar", tarred("bot.yaml"))
        status = page.locator("[data-upload-status]")
        expect(status).to_contain_text("is a version of mine")
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("progressbar")).to_be_visible()
        expect(status).to_contain_text("Sending a.tar")
        wait_until_held(page, held)
        held.pop().abort()
        expect(status).to_contain_text("The connection broke off: send it again.")
        expect(page.get_by_role("progressbar")).to_be_hidden()
        page.unroute("**/api/v1/bots/**")
        page.get_by_role("button", name="Submit").click()
        page.wait_for_url("**/versions/mine@1")


def wait_until_held(page: Page, held: list[Route]) -> None:
    """Wait until a request was made; Playwright hands it over while it waits for the page."""
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")


def test_list_of_versions_follows_the_ladder(browser: Browser, door: Door) -> None:
    door.put("mine", b"1", door.token("ann"))
    with visiting(browser) as page:
        log_in(page, link(door))
        expect(page.locator(".chip")).to_have_text("queued")
        with Book(door.folder, writes=True) as book:
            book.add(uploads(door)[0], State.QUEUED, "it came")
            book.set_state(book.version("mine@1"), State.REFUSED, "it crashed")
        expect(page.locator(".chip")).to_have_text("refused")


def analysed(door: Door, tmp_path: Path) -> None:
    """Let versions of ann play, and write her pages and the tables that they are made of."""
    token, data = door.token("ann"), door.folder.site / "data"
    for content in (b"1", b"2"):
        door.ask("/api/v1/bots/one/versions?note=tries%20calza%20more", "PUT", content, **token)
    data.mkdir(parents=True)
    head = {"variant": "bga", "players": 2}
    place = {"bot": "one@1", "rank": 2, "best": 1, "worst": 2, "games": 16, "beats_average": 0.25}
    duel = {"bot": "one@1", "opponent": "two@1", "ahead": 4, "games": 16}
    duel |= {"share": 0.25, "low": 0.1, "high": 0.5}
    point = {"bot": "one@1", "table_games": 8, "games": 8, "mu": 0.5, "sigma": 1.0}
    points = [point, {**point, "games": 16, "table_games": 16}]
    for name, rows in (("leaderboard", [place]), ("head-to-head", [duel]), ("history", points)):
        (data / f"{name}-bga-2p.json").write_text(json.dumps({**head, "rows": rows}))
    with Book(door.folder, writes=True) as book, season(tmp_path) as store:
        for upload, digest in zip(uploads(door), ("a" * 64, "b" * 64), strict=True):
            book.add(upload, State.RATED, "it played")
            book.set_digest(book.version(upload.version), digest)
            archive(door.folder.version(digest), main=b"x" * 300 + digest.encode())
            give_back(door.folder, book.version(upload.version))
        book.set_fact("published_at", "1")
        shown = {f"f{index}" for index in range(4)}
        write_private_pages(door.folder, book, 1, PlayedSeason(store, BOOK, shown))


def test_pages_of_an_author_fit_and_axe_finds_nothing(
    browser: Browser, door: Door, tmp_path: Path
) -> None:
    analysed(door, tmp_path)
    paths = (
        "me",
        "account",
        "versions/one@1",
        "versions/one@2",
        "private/ann/",
        "private/ann/one@1.html",
        "private/ann/one@1.why.html",
        "private/ann/one@2.changes.html",
    )
    with visiting(browser) as page:
        log_in(page, link(door))
        for path, window in paired(paths, WINDOWS, "pages of an author"):
            show_in(page, window)
            check(page, f"{door.base}/{path}")
            assert page.locator("h1").count() == 1, path
        page.goto(f"{door.base}/account")
        page.get_by_label("Name, after where").fill("laptop")
        page.get_by_role("button", name="Make a token").click()
        assess(page, "a token")
        page.get_by_role("button", name="Make an address").click()
        page.locator("summary").click()
        assess(page, "a feed")
        page.goto(f"{door.base}/versions/one@1")
        expect(page.locator("[data-live-part=ratings] td").nth(2)).to_have_text("25.0 %")
        page.get_by_role("link", name="Why it loses").click()
        page.locator("table a").first.click()
        page.wait_for_url("**/games/1-*.html#game-*-step-*")


def test_token_is_copied(browser: Browser, door: Door) -> None:
    with visiting(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        log_in(page, link(door))
        page.goto(f"{door.base}/account")
        page.get_by_label("Name, after where").fill("laptop")
        page.get_by_role("button", name="Make a token").click()
        button = page.get_by_role("button", name="Copy")
        expect(button).to_be_in_viewport()
        button.click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        word = page.evaluate("navigator.clipboard.readText()")
        assert word == page.locator("[data-token]").inner_text()
        page.get_by_role("button", name="End laptop").click()
        expect(page.get_by_role("button", name="End laptop")).to_have_count(0)


def test_account_is_kept_without_scripts(browser: Browser, door: Door) -> None:
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, link(door))
        page.goto(f"{door.base}/account")
        page.get_by_label("Name, after where").fill("laptop")
        page.get_by_label("It may").select_option("read")
        page.get_by_role("button", name="Make a token").click()
        expect(page.get_by_role("button", name="Copy")).to_have_count(0)
        page.get_by_role("button", name="End laptop").click()
        page.get_by_role("button", name="Make an address").click()
        expect(page.locator("#feed")).to_contain_text(f"{door.base}/feed/")
        page.locator("summary").click()
        page.get_by_label("Type ann to confirm").fill("Ann")
        page.get_by_role("button", name="Delete my account").click()
        expect(page.get_by_role("alert")).to_contain_text("This is not your name.")
        page.get_by_label("Type ann to confirm").fill("ann")
        page.get_by_role("button", name="Delete my account").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your account is deleted")
        page.goto(f"{door.base}/me")
        expect(page.get_by_role("heading", level=1)).to_have_text("Log in first")


def test_version_is_withdrawn_without_scripts(browser: Browser, door: Door) -> None:
    door.put("mine", b"1", door.token("ann"))
    with Book(door.folder, writes=True) as book:
        book.add(uploads(door)[0], State.RATED, "it came")
    with visiting(browser, java_script_enabled=False) as page:
        log_in(page, link(door))
        page.get_by_role("link", name="mine@1").click()
        page.get_by_role("button", name="Withdraw it").click()
        expect(page.get_by_role("status")).to_contain_text("still to carry out: withdraw")
