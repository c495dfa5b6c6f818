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
    played = [games.fixture(0, "bga", rules, SEATS, 3, detail=NASTY)]
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
    return " ".join(part for part in (step.said, step.knew, step.truth) if part)


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
    assert at(page) == "#0.0.3"
    assert page.text_content("#play") == "Pause"
    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    assert (at(page), page.text_content("#play")) == ("#0.0.3", "Play")


def test_dice_are_hidden_as_the_seat_saw_them_until_the_call(page: Page, site: Path) -> None:
    steps = game(site, 0).steps
    call = next(number for number, step in enumerate(steps) if step.kind == "call")
    show(page, site, f"#0.0.{call - 1}")
    assert page.locator("#table .cup").count() == 0
    page.keyboard.press("d")
    assert page.locator("#table .cup").count() == len(SEATS) - 1
    assert page.text_content("#now") == f"{steps[call - 1].said} {steps[call - 1].knew}"
    page.keyboard.press("ArrowRight")
    assert page.locator("#table .cup").count() == 0


def test_the_history_has_the_odds_of_each_bid(page: Page, site: Path) -> None:
    steps = game(site, 0).steps
    call = next(number for number, step in enumerate(steps) if step.kind == "call")
    show(page, site, f"#0.0.{call}")
    rows = page.locator("#history tr")
    assert rows.count() == call + 1
    for number in range(1, call):
        step = steps[number]
        truth = rows.nth(number).locator("td").nth(2).text_content()
        assert truth == f"{'true' if step.right else 'false'}: {step.count}"
    assert page.locator("#history tr.now").count() == 1


def test_a_link_to_a_fault_leads_to_its_step(page: Page, site: Path) -> None:
    page.goto(address(site / "faults.html"))
    page.click("a.watch")
    page.wait_for_selector("#replay:not([hidden])")
    assert "faults and is out: illegal_action" in (page.text_content("#now") or "")


@pytest.mark.parametrize("fragment", ["#0.3.0", "#nonsense", "#0.1/../2.3", "#x.y.z"])
def test_missing_game_is_reported(page: Page, site: Path, fragment: str) -> None:
    show(page, site, fragment)
    assert "This cannot be shown" in (page.text_content("#trouble") or "")
    assert page.locator("#replay").is_hidden()
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
    assert title.startswith("Replay")
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
