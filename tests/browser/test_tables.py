"""Leaderboards in a browser, from the file system: sorted and filtered, by keyboard, by link."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import address
from tests.publish import crowd
from tests.publish.in_memory import write_site
from tests.support.made_once import made_once
from tests.support.sampling import paired

NASTY = '</script><img src=x onerror="document.title=1"><b>\x1b]0;'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "site-of-a-crowd", write)


def write(folder: Path) -> None:
    """Write the site of twelve bots at tables of two and three."""
    league, ratings, played = crowd.crowd(12, 12, (("bga", 2), ("house", 3)), overall=True)
    first, *others = league.bots
    league = replace(league, bots=(replace(first, author=NASTY, tags=(NASTY, "c")), *others))
    write_site(league, ratings, played, folder, replays=5)


def column(page: Page, head: int | str) -> list[str]:
    """The visible cells of a column, by its place or by what its head sorts by."""
    script = """(head) => {
        const table = document.querySelector("table.sortable")
        const at = [...table.tHead.rows[0].cells].findIndex(
            (cell, place) => place === head || cell.dataset.key === head)
        return [...table.tBodies[0].rows]
            .filter((row) => !row.hidden).map((row) => row.cells[at].textContent.trim())
    }"""
    return [str(text) for text in page.evaluate(script, head)]


def numbers(texts: list[str]) -> list[float]:
    plain = (text.replace("\u2212", "-").replace(",", "") for text in texts)
    return [float(match[0]) for text in plain if (match := re.match(r"[-+]?[\d.]+", text))]


def press(page: Page, head: str) -> None:
    page.locator(f'th[data-key="{head}"] button').focus()
    page.keyboard.press("Enter")


def at(page: Page) -> str:
    return str(page.evaluate("location.hash"))


def test_a_column_is_sorted_by_keyboard_one_way_the_other_and_back(page: Page, site: Path) -> None:
    page.goto(address(site / "tables/bga-2p.html"))
    before = column(page, 1)
    games = page.locator('th[data-key="games"]')
    press(page, "games")
    assert numbers(column(page, "games")) == sorted(numbers(column(page, "games")), reverse=True)
    assert (games.get_attribute("aria-sort"), at(page)) == ("descending", "#sort=-games")
    page.keyboard.press("Enter")
    assert numbers(column(page, "games")) == sorted(numbers(column(page, "games")))
    assert (games.get_attribute("aria-sort"), at(page)) == ("ascending", "#sort=games")
    assert sorted(column(page, 1)) == sorted(before)
    page.keyboard.press("Enter")
    assert (column(page, 1), at(page)) == (before, "")
    assert page.locator("th[aria-sort]").count() == 0


@pytest.mark.parametrize(
    ("head", "falls"), [("rank", False), ("mu", True), ("score", True), ("mean_place", False)]
)
def test_numbers_are_sorted_as_numbers_the_best_first(
    page: Page, site: Path, head: str, *, falls: bool
) -> None:
    page.goto(address(site / "tables/bga-2p.html", "#sort=author"))
    page.get_by_label("More columns").check()
    press(page, head)
    found = numbers(column(page, head))
    assert len(found) == 12
    assert found == sorted(found, reverse=falls)


def test_texts_are_sorted_as_texts_with_empty_cells_last(page: Page, site: Path) -> None:
    for fragment, falls in (("#sort=tags", False), ("#sort=-tags", True)):
        page.goto("about:blank")
        page.goto(address(site / "tables/bga-2p.html", fragment))
        found = column(page, "tags")
        filled = [text for text in found if text]
        assert 0 < len(filled) < len(found)
        assert not any(found[len(filled) :])
        plain = [text for text in filled if text[0].isalpha()]
        assert plain == sorted(plain, reverse=falls)


def test_bots_are_found_by_name_author_and_tag(page: Page, site: Path) -> None:
    page.goto(address(site / "tables/bga-2p.html"))
    names, authors, tags = column(page, 1), column(page, "author"), column(page, "tags")
    page.get_by_label("Author").focus()
    page.keyboard.type("Kurt")
    page.keyboard.press("Enter")
    expected = [n for n, author in zip(names, authors, strict=True) if author == "Kurt Gödel"]
    assert column(page, 1) == expected
    assert page.locator(".filters output").text_content() == f"{len(expected)} of 12"
    page.get_by_role("button", name="Show all").press("Enter")
    assert column(page, 1) == names
    page.get_by_role("combobox", name="Tag").select_option("c")
    assert column(page, 1) == [
        n for n, tag in zip(names, tags, strict=True) if "c" in tag.split(", ")
    ]
    page.get_by_role("combobox", name="Tag").select_option("")
    page.get_by_label("Find bot").fill("BOT-00")
    assert column(page, 1) == [name for name in names if name.startswith("bot-00")]


def test_choices_are_kept_in_the_address(page: Page, site: Path) -> None:
    page.goto(address(site / "bots.html"))
    press(page, "house-3p")
    page.get_by_role("combobox", name="Tag").select_option("c")
    shown, link = column(page, 0), page.url
    assert "sort=" in link
    assert "tag=c" in link
    page.goto("about:blank")
    page.goto(link)
    assert column(page, 0) == shown
    assert page.get_by_role("combobox", name="Tag").input_value() == "c"


@pytest.mark.parametrize("fragment", ["#sort=nonsense", "#author=Nobody", "#overview", "#%00&=&"])
def test_a_strange_address_does_no_harm(page: Page, site: Path, fragment: str) -> None:
    page.goto(address(site / "bots.html", fragment))
    assert len(column(page, 0)) in {0, 12}
    assert page.locator(".filters").count() == 1


def test_hostile_texts_stay_texts(page: Page, site: Path) -> None:
    page.goto(address(site / "tables/bga-2p.html"))
    page.get_by_label("Author").select_option(index=1)
    press(page, "author")
    assert page.locator("main img, main b, main script").count() == 0
    assert page.title().startswith("bga, 2 players")


def test_rare_columns_are_behind_a_switch_that_needs_no_script(
    browser: Browser, site: Path
) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto(address(site / "tables/bga-2p.html"))
    rare, usual = page.locator('th[data-key="mu"]'), page.locator('th[data-key="games"]')
    assert (rare.is_visible(), usual.is_visible()) == (False, True)
    page.get_by_label("More columns").check()
    assert rare.is_visible()
    page.set_viewport_size({"width": 390, "height": 900})
    page.get_by_label("More columns").uncheck()
    heads = page.locator("thead th")
    seen = [one.inner_text().split("\n")[0] for one in heads.all() if one.is_visible()]
    assert [seen[0], seen[1], seen[-1]] == ["Rank", "Bot", "Rivals beaten"]
    assert len(seen) == 4
    page.get_by_label("More columns").check()
    assert usual.is_visible()
    context.close()


def test_head_to_head_switches_without_scripts(browser: Browser, site: Path) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto(address(site / "head-to-head/bga-2p.html"))
    won, better = page.locator("#won table"), page.locator("#better table")
    assert (won.is_visible(), better.is_visible()) == (True, False)
    page.get_by_text("Who is better", exact=True).click()
    assert (won.is_visible(), better.is_visible()) == (False, True)
    context.close()


def test_matrix_of_24_bots_is_not_cut_off(page: Page, tmp_path: Path) -> None:
    write_site(*crowd.crowd(24, 2), tmp_path, replays="none")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address(tmp_path / "head-to-head/bga-2p.html"))
    sizes = page.eval_on_selector("#won .scroll", "one => [one.scrollWidth, one.clientWidth]")
    assert sizes[0] == sizes[1]


def test_a_bots_page_shows_one_table_at_a_time(page: Page, site: Path) -> None:
    page.goto(address(site / "bots/bot-003.html"))
    tables = page.locator("#results table.opponents")
    assert [one.is_visible() for one in tables.all()] == [True, False]
    page.get_by_role("radio", name="house, 3").check(force=True)
    assert [one.is_visible() for one in tables.all()] == [False, True]


def test_table_is_complete_without_scripts(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in ("bots.html", "tables/bga-2p.html", "tables/overall.html"):
        page.goto(address(site / path))
        assert page.locator("table.sortable tbody tr").count() == 12
        assert page.locator("main button, main select, main input[type=search]").count() == 0
    page.goto(address(site / "fixtures.html"))
    assert page.locator("#fixtures > li").count() == 50
    page.click('#pages a[href="fixtures/0.html"]')
    assert page.locator("#fixtures > li").count() == 200
    page.click("a[rel=next] >> nth=0")
    assert page.locator("#fixtures > li").count() == 88
    context.close()


def rows(page: Page) -> list[list[str]]:
    """The texts of each card: its table, its bots with what they achieved, what else there is."""
    script = """() => [...document.querySelectorAll("#fixtures > li")]
        .map((card) => [card.children[0].textContent, card.children[1].textContent,
            card.children[2].textContent].map((text) => text.trim()))"""
    found: list[list[str]] = page.evaluate(script)
    return found


def search(page: Page, site: Path, fragment: str) -> list[list[str]]:
    page.goto("about:blank")
    page.goto(address(site / "fixtures.html", fragment))
    page.locator("#found", has_text=" match").wait_for()
    return rows(page)


def test_fixtures_that_are_found_look_like_those_that_are_listed(page: Page, site: Path) -> None:
    found = search(page, site, "#players=3")
    html = page.locator("#fixtures > li").first.inner_html()
    page.goto("about:blank")
    page.goto(address(site / "fixtures.html"))
    page.wait_for_selector("#search select")
    listed = rows(page)
    assert found[:50] == listed
    assert page.locator("#fixtures > li").first.inner_html() == html


def test_fixtures_are_found_by_bot_rival_table_and_faults(page: Page, site: Path) -> None:
    for row in (found := search(page, site, "#bot=bot-003&with=bot-004")):
        assert "bot-003" in row[1]
        assert "bot-004" in row[1]
    assert found
    assert all(
        row[0].startswith("bga, 2\u00a0players") for row in search(page, site, "#table=bga-2p")
    )
    assert all(" faulted" in row[2] for row in search(page, site, "#faults=1"))
    assert all(" upset" in row[2] for row in search(page, site, "#upsets=1"))
    assert search(page, site, "#bot=nobody") == []


def test_search_works_by_keyboard_and_loads_more(page: Page, site: Path) -> None:
    page.goto(address(site / "fixtures.html"))
    page.wait_for_selector("#search select")
    page.get_by_label("Variant").focus()
    # One letter: a browser takes those that come slowly for separate choices.
    page.keyboard.press("b")
    expect(page.locator("#fixtures > li")).to_have_count(100)
    assert at(page) == "#variant=bga"
    page.get_by_role("button", name="Show more").press("Enter")
    expect(page.locator("#fixtures > li")).to_have_count(144)
    assert page.text_content("#found") == "144 of 288 match, latest first."
    page.get_by_role("button", name="Show the newest").press("Enter")
    assert (len(rows(page)), at(page)) == (50, "")


def test_a_pair_links_to_its_fixtures(page: Page, site: Path) -> None:
    page.goto(address(site / "bots/bot-003.html"))
    page.get_by_role("radio", name="house, 3").check(force=True)
    page.click("#results-house-3p tbody td a >> nth=0")
    page.locator("#found", has_text=" match").wait_for()
    assert all(row[0].startswith("house, 3\u00a0players") for row in rows(page))


def test_missing_search_shard_is_reported(browser: Browser, tmp_path: Path) -> None:
    write_site(*crowd.crowd(4, 2), tmp_path)
    (tmp_path / "fixtures/0.js").unlink()
    page = browser.new_page()
    page.goto(address(tmp_path / "fixtures.html", "#faults=1"))
    page.locator("#found", has_text="This cannot be searched: fixtures/0.js is missing").wait_for()
    page.close()


@pytest.mark.parametrize(
    ("width", "scheme"), paired([360, 768, 1440], ["light", "dark"], "windows of tables")
)
def test_pages_fit_their_window(browser: Browser, site: Path, width: int, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    for path in (
        "index.html",
        "bots.html",
        "tables/house-3p.html",
        "tables/overall.html",
        "head-to-head/bga-2p.html",
        "fixtures.html",
        "fixtures/1.html",
    ):
        page.goto(address(site / path))
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


def test_a_number_that_is_tapped_says_of_which_games_it_is(page: Page, site: Path) -> None:
    page.goto(address(site / "head-to-head/bga-2p.html"))
    cell = page.locator("#won td[title]").first
    cell.click()
    names = page.locator("#won tbody .name")
    words = f"{names.nth(0).text_content()} ahead of {names.nth(1).text_content()}: "
    expect(page.locator("#pair")).to_have_text(
        f"{words}{cell.text_content()} %, {cell.get_attribute('title')}"
    )
