"""Where replays lead: addresses, the next game, highlights, games that are missing."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import address, watched
from tests.browser.replaying import at, game, pressed, show
from tests.browser.sites import SEATS
from tests.browser.test_door import assess


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


def test_next_highlight_goes_on_and_never_back_and_says_which_it_is(page: Page, site: Path) -> None:
    page.goto(address(site / "watch.html"))
    links = [str(one.get_attribute("href")) for one in page.locator("main a.watch").all()]
    where = [link.removeprefix("replay.html") for link in links]
    page.locator("main a.watch").nth(1).click()
    page.wait_for_selector("#replay:not([hidden])")
    shown = [at(page)]
    while page.locator("#next-highlight").is_visible():
        after = page.get_attribute("#next-highlight", "href")
        page.keyboard.press("m")
        page.wait_for_function("href => location.hash === href", arg=after)
        shown.append(at(page))
        words = page.locator("#why")
        expect(words).to_contain_text(f"Highlight {where.index(at(page)) + 1} of {len(where)}, ")
        title = page.locator(".highlights a").nth(where.index(at(page))).text_content() or ""
        expect(words).to_contain_text(" ".join(title.split()))
    assert shown[0] == where[1]
    assert len(shown) == len({*shown})
    steps = [{one.partition("&")[0] for one in these} for these in (shown, where)]
    assert steps[0] == steps[1]
    page.keyboard.press("m")
    page.reload()
    page.wait_for_selector("#replay:not([hidden])")
    assert at(page) == shown[-1]
    assert page.locator("#next-highlight").is_hidden()
    page.keyboard.press("n")
    page.wait_for_selector("#why", state="hidden")


def test_in_another_page_a_replay_plays_by_itself_over_and_over(
    browser: Browser, site: Path
) -> None:
    with watched(browser, motion="no-preference") as page:
        page.clock.install(time="2026-01-01T00:00:00Z")
        page.goto(address(site / "replay.html", "?embed#0.0.2"))
        page.wait_for_selector("#replay:not([hidden])")
        assert page.text_content("#play") == "Pause"
        page.clock.pause_at("2026-01-01T01:00:00Z")
        last = len(game(site, 0).steps) - 1
        for key in (
            ("Home", "Space")
            if page.text_content("#play") == "Play"
            else ("Space", "Home", "Space")
        ):
            page.keyboard.press(key)
        page.clock.run_for(1000 * last + 100)
        assert at(page) == f"#0.0.{last}"
        page.clock.run_for(4000)
        assert at(page) == "#0.0.2"
        page.clock.run_for(1000)
        assert at(page) == "#0.0.3"
        for hidden in ("header", "footer", "#rounds", "#slider", ".story"):
            assert page.locator(hidden).first.is_hidden(), hidden
        whole = page.get_by_role("link", name="The whole replay")
        assert whole.get_attribute("href") == "replay.html#0.0.3"
        assert page.locator("#table").is_visible()
        page.clock.resume()
        assess(page, "a replay in another page")


def test_in_another_page_highlights_follow_each_other_each_with_its_words(
    browser: Browser, site: Path
) -> None:
    with watched(browser, motion="no-preference") as page:
        page.clock.install(time="2026-01-01T00:00:00Z")
        page.goto(address(site / "replay.html", "?embed"))
        page.wait_for_selector("#why:not([hidden])")
        first = page.text_content("#why") or ""
        assert first.startswith("Highlight 1 of ")
        page.clock.run_for(200_000)
        page.wait_for_selector(f"#why:not(:has-text({json.dumps(first)}))")


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
