"""The replay in a browser, from the file system: what it shows, by keyboard and by touch."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.replaying import at, first_call, game, pressed, show, told
from tests.browser.sites import SEATS
from tests.support.depth import depth
from tests.support.sampling import paired


@pytest.fixture
def site(replayed: Path) -> Path:
    return replayed


def test_the_keyboard_walks_through_every_step_to_the_end(page: Page, site: Path) -> None:
    steps = game(site, 0).steps
    first = depth(max(0, len(steps) - 60), 0)
    show(page, site, f"#0.0.{first}")
    for number, step in enumerate(steps[first:], first):
        assert at(page) == f"#0.0.{number}"
        assert page.text_content("#now") == told(step)
        page.keyboard.press("ArrowRight")
    assert at(page) == f"#0.0.{len(steps) - 1}"
    page.keyboard.press("ArrowLeft")
    assert at(page) == f"#0.0.{len(steps) - 2}"


def test_keys_jump(page: Page, site: Path) -> None:
    one = game(site, 1)
    fault = next(number for number, step in enumerate(one.steps) if step.kind == "fault")
    show(page, site, "#0.1.0")
    for key, step in [
        ("]", one.rounds[1].first),
        ("]", one.rounds[2].first),
        ("[", one.rounds[1].first),
        ("Home", 0),
        ("f", fault),
        ("End", len(one.steps) - 1),
    ]:
        page.keyboard.press(key)
        assert at(page) == f"#0.1.{step}"


def test_replay_plays_at_the_chosen_speed_and_pauses(page: Page, site: Path) -> None:
    page.clock.install(time="2026-01-01T00:00:00Z")
    show(page, site, "#0.0.0")
    # From here on time passes only when the test says so, however busy the machine is.
    page.clock.pause_at("2026-01-01T01:00:00Z")
    page.keyboard.press("4")
    page.keyboard.press("Space")
    page.clock.run_for(1600)
    assert at(page) == "#0.0.3&speed=4"
    assert page.text_content("#play") == "Pause"
    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    assert (at(page), page.text_content("#play")) == ("#0.0.3&speed=4", "Play")


def test_dice_are_hidden_until_they_are_called(page: Page, site: Path) -> None:
    call = first_call(site)
    show(page, site, f"#0.0.{call - 1}")
    cups = page.locator("#table .cup:not(.lifted)")
    assert (pressed(page), cups.count()) == ("called", len(SEATS))
    page.keyboard.press("ArrowRight")
    assert cups.count() == 0


def test_the_eye_shows_all_dice_or_those_of_a_seat(page: Page, site: Path) -> None:
    call = first_call(site)
    bid = game(site, 0).steps[call - 1]
    show(page, site, f"#0.0.{call - 1}")
    cups = page.locator("#table .cup")
    page.click(f"#eyes [value='{bid.seat}']")
    assert (cups.count(), at(page)) == (len(SEATS) - 1, f"#0.0.{call - 1}&see={bid.seat}")
    assert page.text_content("#now") == f"{bid.said} {bid.knew}"
    page.keyboard.press("d")
    assert (cups.count(), pressed(page)) == (0, "all")
    assert page.text_content("#now") == f"{bid.said} {bid.knew} {bid.truth}"


def test_cups_lift_on_a_call_but_not_for_who_wants_no_motion(browser: Browser, site: Path) -> None:
    call = first_call(site)
    for motion, shown in [("no-preference", "block"), ("reduce", "none")]:
        context = browser.new_context(reduced_motion="reduce" if motion == "reduce" else None)
        page = context.new_page()
        show(page, site, f"#0.0.{call - 1}")
        page.keyboard.press("ArrowRight")
        lifted = page.locator("#table .lifted")
        assert lifted.count() == len(SEATS)
        display = lifted.first.evaluate("cup => getComputedStyle(cup).display")
        assert display == shown
        context.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_dice_and_buttons_are_large_enough(browser: Browser, site: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844})
    show(page, site, "#0.0.2&see=all")
    dice = page.locator(".hand .shown").evaluate_all("all => all.map(one => one.clientWidth)")
    assert min(dice) >= 28
    keys = page.locator(".controls button")
    assert min(box["height"] for key in keys.all() if (box := key.bounding_box())) >= 44
    page.close()


def test_controls_stay_where_they_are_on_a_phone(browser: Browser, site: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    show(page, site, "#0.0.0")
    places = set()
    for _ in game(site, 0).steps[: depth(40, 1000)]:
        box = page.locator("#play").bounding_box()
        assert box is not None
        top = page.evaluate("document.querySelector('.rounds').getBoundingClientRect().top")
        places.add((box["y"], top))
        page.keyboard.press("ArrowRight")
    assert len(places) == 1
    [(y, _)] = places
    assert 700 < y < 844 - 44
    page.close()


def test_space_plays_whatever_has_the_focus(page: Page, site: Path) -> None:
    page.clock.install(time="2026-01-01T00:00:00Z")
    show(page, site, "#0.0.0")
    page.clock.pause_at("2026-01-01T01:00:00Z")
    for focused in ("#on-round", "#copy", "#eyes [value=all]", ".keys summary", "#slider"):
        page.focus(focused)
        page.keyboard.press("Space")
        assert (page.text_content("#play"), at(page)) == ("Pause", "#0.0.0")
        page.keyboard.press("Space")
        assert (page.text_content("#play"), at(page)) == ("Play", "#0.0.0")
    assert page.locator(".keys[open]").count() == 0


def test_the_history_has_the_odds_of_each_bid(page: Page, site: Path) -> None:
    steps = game(site, 0).steps
    call = next(number for number, step in enumerate(steps) if step.kind == "call")
    show(page, site, f"#0.0.{call}")
    rows = page.locator("#history tr")
    assert rows.count() == call + 1
    for number in range(1, call):
        step = steps[number]
        odds = rows.nth(number).locator("td").nth(1)
        assert odds.text_content() == step.odds + ("bluff" if step.bluff else "")
        assert odds.locator("rect.odds-part").get_attribute("width") == f"{step.chance:g}%"
        truth = rows.nth(number).locator("td").nth(2).text_content()
        assert truth == f"{'true' if step.right else 'false'}: {step.count}"
    assert page.locator("#history tr.now").count() == 1


@pytest.mark.parametrize(
    ("width", "scheme"), paired([360, 768, 1440], ["light", "dark"], "windows of a replay")
)
def test_the_page_fits_its_window(browser: Browser, site: Path, width: int, scheme: str) -> None:
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    show(page, site, "#0.1.0")
    for key in ("f", "d", "]", "End"):
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


def test_the_chart_of_dice_has_the_marks_of_the_table(page: Page, site: Path) -> None:
    show(page, site, "#0.0.0")
    marks = [
        one.get_attribute("class") for at in range(4) for one in page.locator(f".at-{at} i").all()
    ]
    first = page.locator("#rounds a").first
    for kind in ("rect", "i"):
        assert [one.get_attribute("class") for one in first.locator(kind).all()] == marks
    assert len(set(marks)) == len(SEATS)
    heights = first.locator("rect").evaluate_all("all => all.map(one => one.height.baseVal.value)")
    assert max(heights) - min(heights) < 0.1


def test_names_lead_to_the_pages_of_bots(page: Page, site: Path) -> None:
    show(page, site, "#0.0.0")
    page.locator("#table .who a").first.click()
    page.wait_for_url("**/bots/*.html")
    assert page.text_content("h1")
