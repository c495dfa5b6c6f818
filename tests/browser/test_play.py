"""A person plays in a real browser: with keys, by touch, and without scripts."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from tests.author.web_table.tables import Table, playing
from tests.browser.test_door import WINDOWS, show_in, visiting
from tests.browser.test_pages import said
from tests.cli.command import opened, run
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

SHORT = ("--starting-dice", "2", "--sandbox", "process", "--trust-bots", "--seed", "s")
"""A game of a few rounds."""
BOTS = ("sample:honest", "sample:odds", "sample:bluffer", "--calza", *SHORT)
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
DICE = """boxes => boxes.map(box =>
  [...box.querySelectorAll(".hand use")].map(die => Number(die.getAttribute("href").slice(-1))))"""
Dice = list[list[int]]


def kind(page: Page) -> str:
    return page.locator("#game:not([data-kind=waiting])").get_attribute("data-kind") or ""


def number(page: Page) -> str:
    return page.locator("#game").get_attribute("data-number") or ""


def moved(page: Page, before: str) -> None:
    page.wait_for_selector(f'#game:not([data-number="{before}"]):not([data-kind=waiting])')


def is_over(page: Page) -> bool:
    return kind(page) == "game_end"


def press(page: Page) -> None:
    """Make a careless move with keys: doubt, or open with one two."""
    before = number(page)
    match kind(page):
        case "turn" if page.locator("button[value=dudo]").count():
            page.keyboard.press("d")
        case "turn":
            page.keyboard.type("12")
            expect(page.locator("#typed")).to_have_text(re.compile("^1 two.*: Enter$"))
            page.keyboard.press("Enter")
        case "calza":
            page.keyboard.press("p")
        case _:
            page.keyboard.press("Enter")
    moved(page, before)


def dice_of(page: Page) -> Dice:
    """Return the dice that the page has, seat by seat, the person's first."""
    boxes = page.locator(".seat").evaluate_all(DICE)
    places = page.locator(".seat").evaluate_all("boxes => boxes.map(box => box.className)")
    by_place = sorted(zip(places, boxes, strict=True), key=lambda box: re.findall(r"at-\d", box[0]))
    return [dice for _, dice in by_place]


def test_whole_game_by_keys_shows_no_dice_before_their_call_and_axe_finds_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    revealed, checked = [], set[str]()
    with playing(tmp_path, *BOTS) as table, visiting(browser) as page:
        page.goto(table.url)
        while True:
            if kind(page) not in checked:
                look_at(page, kind(page))
                checked.add(kind(page))
            if is_over(page):
                break
            _mine, *others = dice_of(page)
            if kind(page) == "round_end":
                revealed.append(dice_of(page))
            else:
                assert others == [[], [], []]
            press(page)
        page.get_by_role("button", name="Leave the table").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("You left the table")
        look_at(page, "closed")
        assert table.finish()[0] == 0
    assert checked == {"turn", "calza", "round_end", "game_end"}
    assert revealed == rolled(tmp_path / "game" / "league.sqlite")
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


def rolled(store: Path) -> list[Dice]:
    """Return the dice of the rounds of a stored game, the person's first."""
    [record] = opened(store)
    own = record["fixture"]["seats"].index("you")
    [game] = record["games"]
    hands = [event[4] for event in game["events"] if event[0] == "round"]
    return [[sorted(hand) for hand in (*dice[own:], *dice[:own])] for dice in hands]


def test_whole_game_is_played_without_scripts(browser: Browser, tmp_path: Path) -> None:
    small: Any = {"java_script_enabled": False, "viewport": {"width": 390, "height": 844}}
    with playing(tmp_path, "sample:honest", *SHORT) as table, visiting(browser, **small) as page:
        page.goto(table.url)
        while not is_over(page):
            before = number(page)
            moves = ("dudo", "pass", "next", "bid 1 2")
            buttons = [page.locator(f'button[value="{move}"]') for move in moves]
            next(button for button in buttons if button.count()).click()
            moved(page, before)
        page.get_by_role("button", name="Leave the table").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("You left the table")
        assert table.finish()[0] == 0


def look_at(page: Page, kind: str) -> None:
    """Look at a page with odds and with all that unfolds, in a window or in all of them."""
    if page.locator("button[value=odds][aria-pressed=false]").count():
        before = number(page)
        page.keyboard.press("o")
        moved(page, before)
    for window in sample(WINDOWS, 1, f"windows of a table: {kind}"):
        show_in(page, window)
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert page.evaluate(WIDER) <= 0
        page.evaluate(AXE_SCRIPT)
        result = page.evaluate("axe.run({preload: false, resultTypes: ['violations']})")
        assert result["passes"]
        assert [said(violation) for violation in result["violations"]] == []


def test_closed_page_is_opened_again_at_the_same_move_until_the_command_ends(
    browser: Browser, tmp_path: Path
) -> None:
    with playing(tmp_path, "sample:honest", *SHORT) as table:
        with visiting(browser) as page:
            before = seen(page, table)
        with visiting(browser) as page:
            assert seen(page, table) == before
            press(page)
            table.process.terminate()
            table.finish()
            expect(page.locator("#now")).to_have_text(
                "The table is closed: its server does not answer."
            )
            expect(page.locator("button:enabled")).to_have_count(0)


def seen(page: Page, table: Table) -> tuple[str, Dice]:
    page.goto(table.url)
    return kind(page), dice_of(page)
