"""The replay in a browser, from the file system: by keyboard, by link, with hostile names."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.perudo.rules import variant
from arena.publish.replay.steps import Replay, Step
from tests.browser.conftest import address
from tests.publish import factory
from tests.publish.in_memory import write_site
from tests.publish.pages import unpacked
from tests.support import played_games as games

NASTY = '</script><img src=x onerror="document.title=1"><b>\x1b]0;\u202e'
SEATS = ("alpha", NASTY, "W" * 80, "delta")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rules = variant("bga", {}, calza=True)
    played = [
        games.fixture(0, "bga", rules, SEATS, 3, detail=NASTY),
        games.fixture(1, "bga", rules, SEATS, 1),
    ]
    folder = tmp_path_factory.mktemp("site")
    league = factory.league(SEATS, variants={"bga": rules}, players=(4,), name=NASTY)
    return write_site(league, factory.ratings(played), played, folder).parent


def game(site: Path, number: int) -> Replay:
    return unpacked((site / "replays/0-0.js").read_text()).games[str(number)]


def show(page: Page, site: Path, fragment: str = "") -> None:
    page.goto(address(site / "replay.html", fragment))
    page.wait_for_selector("#replay:not([hidden]), #trouble:not([hidden])")


def at(page: Page) -> str:
    return str(page.evaluate("location.hash"))


def told(step: Step) -> str:
    parts = (step.said, step.knew, step.truth) if step.kind in {"call", "end"} else (step.said,)
    return " ".join(part for part in parts if part)


def first_call(site: Path) -> int:
    steps = game(site, 0).steps
    return next(number for number, step in enumerate(steps) if step.kind == "call")


def pressed(page: Page) -> str:
    """Whose dice the eye shows."""
    return str(page.get_attribute("#eyes [aria-pressed=true]", "value"))


def test_the_keyboard_walks_through_every_step_to_the_end(page: Page, site: Path) -> None:
    steps = game(site, 0).steps
    show(page, site)
    for number, step in enumerate(steps):
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


def test_the_address_keeps_whose_dice_are_seen_and_the_speed(page: Page, site: Path) -> None:
    show(page, site, "#0.0.2&see=1&speed=5")
    assert (pressed(page), page.input_value("#speed")) == ("1", "5")
    page.keyboard.press("ArrowRight")
    assert at(page) == "#0.0.3&see=1&speed=5"
    page.goto("about:blank")
    show(page, site, "#0.0.2&see=77&speed=x")
    assert at(page) == "#0.0.2"


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
    for _ in game(site, 0).steps:
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


def test_after_the_last_game_of_a_match_comes_another_match(page: Page, site: Path) -> None:
    show(page, site, "#0.2.0")
    page.keyboard.press("n")
    page.wait_for_selector("#about:has-text('match 2')")
    assert at(page) == "#1.0.0"
    page.keyboard.press("n")
    page.wait_for_selector("#about:has-text('match 1')")
    assert at(page) == "#0.0.0"


def test_moments_follow_each_other(page: Page, site: Path) -> None:
    page.goto(address(site / "watch.html"))
    links = [str(one.get_attribute("href")) for one in page.locator("main a.watch").all()]
    page.locator("main a.watch").first.click()
    page.wait_for_selector("#replay:not([hidden])")
    follows = [link.removeprefix("replay.html") for link in links[1:] + links[:1]]
    for here, after in zip(follows, follows[1:] + follows[:1], strict=True):
        page.keyboard.press("m")
        page.wait_for_selector(f"#next-moment[href='{after}']")
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440])
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
