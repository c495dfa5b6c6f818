"""Where replays lead: addresses, the next game, highlights, games that are missing."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import address
from tests.browser.replaying import at, game, pressed, show
from tests.browser.sites import SEATS


@pytest.fixture
def site(replayed: Path) -> Path:
    return replayed


def test_the_address_keeps_whose_dice_are_seen_and_the_speed(page: Page, site: Path) -> None:
    show(page, site, "#0.0.2&see=1&speed=5")
    assert (pressed(page), page.input_value("#speed")) == ("1", "5")
    page.keyboard.press("ArrowRight")
    assert at(page) == "#0.0.3&see=1&speed=5"
    page.goto("about:blank")
    show(page, site, "#0.0.2&see=77&speed=x")
    assert at(page) == "#0.0.2"


def test_the_chart_of_dice_leads_to_rounds_by_click_and_keyboard(page: Page, site: Path) -> None:
    rounds = game(site, 0).rounds
    show(page, site, "#0.0.0")
    columns = page.locator("#rounds a")
    assert columns.count() == len(rounds)
    assert f"Round 2: {SEATS[0]} " in str(columns.nth(1).get_attribute("aria-label"))
    columns.nth(2).click()
    page.wait_for_selector("#rounds a:nth-child(3)[aria-current]")
    assert at(page) == f"#0.0.{rounds[2].first}"
    page.keyboard.press("ArrowRight")
    assert at(page) == f"#0.0.{rounds[3].first}"
    focused = "[...document.querySelector('#rounds').children].indexOf(document.activeElement)"
    assert page.evaluate(focused) == 3


def test_the_end_names_the_winner_and_leads_on(page: Page, site: Path) -> None:
    last = game(site, 0).steps[-1]
    show(page, site, "#0.0.0")
    page.keyboard.press("End")
    assert page.text_content(".winner") == f"{SEATS[last.seat]} wins"
    assert ", game 1 " in page.title()
    page.click(".middle >> text=Next game")
    page.wait_for_selector("#about:has-text('game 2')")
    assert at(page) == "#0.1.0"
    assert ", game 2 " in page.title()
    assert "arena rerun league.yaml 0 1" in (page.text_content("#about") or "")


def test_after_the_last_game_of_a_fixture_comes_another_fixture(page: Page, site: Path) -> None:
    show(page, site, "#0.2.0")
    page.keyboard.press("n")
    page.wait_for_selector("#about:has-text('fixture 2')")
    assert at(page) == "#1.0.0"
    page.keyboard.press("n")
    page.wait_for_selector("#about:has-text('fixture 1')")
    assert at(page) == "#0.0.0"


def test_highlights_follow_each_other(page: Page, site: Path) -> None:
    page.goto(address(site / "watch.html"))
    links = [str(one.get_attribute("href")) for one in page.locator("main a.watch").all()]
    page.locator("main a.watch").first.click()
    page.wait_for_selector("#replay:not([hidden])")
    follows = [link.removeprefix("replay.html") for link in links[1:] + links[:1]]
    for here, after in zip(follows, follows[1:] + follows[:1], strict=True):
        page.keyboard.press("m")
        page.wait_for_selector(f"#next-highlight[href='{after}']")
        assert at(page) == here


def test_a_copied_link_is_said_to_be(browser: Browser, site: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    show(page, site, "#0.0.3&see=2")
    page.click("#copy")
    page.wait_for_selector("#copied:text-is('Link copied')")
    assert str(page.evaluate("window.copied")).endswith("replay.html#0.0.3&see=2")
    context.close()


def test_a_link_to_a_fault_leads_to_its_step(page: Page, site: Path) -> None:
    page.goto(address(site / "faults.html"))
    page.click("a.watch")
    page.wait_for_selector("#replay:not([hidden])")
    assert "faults and is out: against the rules." in (page.text_content("#now") or "")


@pytest.mark.parametrize("fragment", ["#0.3.0", "#nonsense", "#0.1/../2.3", "#x.y.z"])
def test_missing_game_is_reported(page: Page, site: Path, fragment: str) -> None:
    show(page, site, fragment)
    assert "This cannot be shown" in (page.text_content("#trouble") or "")
    assert page.locator("#replay").is_hidden()
    assert page.locator("#trouble a[href='watch.html']").is_visible()
    page.evaluate("location.hash = '#0.2.1'")
    page.wait_for_selector("#replay:not([hidden])")
    assert page.locator("#trouble").is_hidden()


def test_missing_replay_shard_is_reported(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    show(page, site, "#7.0.0")
    assert "there is no replay of this game" in (page.text_content("#trouble") or "")
    page.close()


def test_a_step_beyond_the_end_is_the_end(page: Page, site: Path) -> None:
    show(page, site, "#0.0.99999")
    assert at(page) == f"#0.0.{len(game(site, 0).steps) - 1}"


def test_hostile_names_are_text(page: Page, site: Path) -> None:
    show(page, site, "#0.1.0")
    page.keyboard.press("f")
    title = page.title()
    assert title.startswith("alpha against ")
    assert page.locator("main img, main b, main script").count() == 0
    assert "</script><img src=x" in (page.text_content("#now") or "")
    page.keyboard.press("End")
    assert page.title() == title
