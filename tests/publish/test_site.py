"""The whole site: links, markup, determinism, the page's numbers against the data files."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.publish.text import percent, signed
from arena.ratings.leaderboard_rows import Suspicion
from arena.ratings.league_ratings import Ratings
from tests.publish.in_memory import write_site
from tests.publish.pages import SCRIPTS, XHTML, broken_links, document, read, table_text, tree
from tests.support import factory

MENU = ["Standings", "Bots", "Watch", "Fixtures", "Stats", "About"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*factory.sample(), tmp_path_factory.mktemp("site")).parent


@pytest.mark.slow
def test_the_entry_point_returns_the_front_page(site: Path) -> None:
    assert (site / "index.html").is_file()
    assert [path.name for path in site.glob(".*")] == [".perudo-arena-site.json"]


def test_every_link_resolves(site: Path) -> None:
    assert broken_links(site) == []


def test_every_page_has_the_whole_menu(site: Path) -> None:
    for path in site.rglob("*.html"):
        [menu] = [
            one for one in document(path).iter(f"{XHTML}nav") if one.get("aria-label") == "Pages"
        ]
        assert ["".join(link.itertext()).split()[0] for link in menu] == MENU, path


def test_every_page_is_valid_html_with_language_title_and_policy(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) == 9 + 4 + 2 + 2 + 2 + 1 + 3
    for path in pages:
        root = document(path)
        metas = {
            meta.get("http-equiv") or meta.get("name"): meta.get("content")
            for meta in root.iter(f"{XHTML}meta")
        }
        assert root.get("lang") == "en"
        assert root.find(f"{XHTML}head/{XHTML}title").text.endswith("\u2013 Test league")
        assert metas["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'")
        assert "width=device-width" in metas["viewport"]


def test_ids_are_unique_and_nothing_runs_or_is_styled_inline(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = read(path)
        assert len(page.ids) == len(set(page.ids))
        assert not any(re.search(r"\s", link) for link in page.links)
        for tag, attributes in page.tags:
            assert tag not in {"style", "iframe", "object", "embed"}
            if tag == "script":
                assert set(attributes) == {"src", "defer"}
                assert Path(attributes["src"]).name in SCRIPTS
            assert not any(key == "style" or key.startswith("on") for key in attributes)


def test_every_table_has_a_caption_and_scopes_and_scrolls_in_its_own_container(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = read(path)
        tags = [tag for tag, _ in page.tags]
        assert tags.count("table") == tags.count("caption")
        for at, (tag, attributes) in enumerate(page.tags):
            if tag == "th":
                assert attributes["scope"] in {"row", "col", "colgroup"}
            if tag == "table":
                assert page.tags[at - 1][1].get("class") == "scroll"


def test_page_says_that_there_are_few_blocks_and_no_suspicions(site: Path) -> None:
    assert "Too few blocks" in (site / "tables/bga-2p.html").read_text()
    data = json.loads((site / "data/leaderboard-bga-2p.json").read_bytes())
    assert (data["blocks"], data["intervals_by"], data["dice_gain"]) == (1, "games", None)
    assert "There are none" in (site / "suspicions.html").read_text()
    assert json.loads((site / "data/suspicions.json").read_bytes())["rows"] == []
    assert len(list(site.glob("data/overall*"))) == 2


@pytest.mark.slow
def test_options_of_the_ratings_show(tmp_path: Path) -> None:
    league, _, played = factory.sample()
    options = {"anchor": "Bravo Bot", "provisional": 9, "overall": True}
    fewer = played[:4]
    write_site(league, factory.ratings(fewer, **options), fewer, tmp_path)
    page = (tmp_path / "bots.html").read_text()
    board = (tmp_path / "tables/bga-2p.html").read_text()
    assert "relative to the bot <bdi>Bravo Bot</bdi>, which is 0" in board
    assert "A star marks provisional ratings: fewer than 9 games." in page
    assert "provisional with fewer than 9 games" in board
    assert "the bot <bdi>Bravo Bot</bdi>" in (tmp_path / "conditions.html").read_text()
    rows = json.loads((tmp_path / "data/overall.json").read_bytes())["rows"]
    shown = table_text(tmp_path / "tables/overall.html", "caption")
    assert [row[1] for row in shown] == [row["bot"] for row in rows]
    across = table_text(tmp_path / "bots.html", "caption")
    assert [row[0] for row in across[: len(rows)]] == [row["bot"] for row in rows]
    absent = "Left out, because they did not play at all of them"
    assert absent in (tmp_path / "tables/overall.html").read_text()
    assert "The anchor has not" not in board
    assert broken_links(tmp_path) == []


def test_suspicions_are_a_page_a_notice_and_data(tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    cases = [
        Suspicion("collusion", "bga", 2, "alpha", "Bravo Bot", 40, 0.5, 0.1, 1e-5),
        Suspicion("drift", "house rules", 3, "delta", None, 90, 0.0, -2.5, 0.004),
    ]
    write_site(league, replace(ratings, suspicions=cases), played, tmp_path)
    rows = table_text(tmp_path / "suspicions.html", "caption-suspicions")
    assert [row[0] for row in rows] == ["alpha", "delta"]
    assert rows[0][1].endswith(
        "loses too often to Bravo Bot: share of their games in which it is ahead"
    )
    assert rows[0][3:] == ["40", percent(0.5), percent(0.1), "<0.0001"]
    assert rows[1][3:] == ["90", signed(0), signed(-2.5), "0.004"]
    assert ">2 results to review<" in (tmp_path / "index.html").read_text()
    data = json.loads((tmp_path / "data/suspicions.json").read_bytes())
    assert [row["p"] for row in data["rows"]] == [1e-5, 0.004]
    assert broken_links(tmp_path) == []
    document(tmp_path / "suspicions.html")


def test_a_league_that_has_not_played_has_a_whole_site(tmp_path: Path) -> None:
    league, _, _ = factory.sample()
    write_site(league, Ratings(), [], tmp_path)
    assert broken_links(tmp_path) == []
    assert "No games have been played yet" in (tmp_path / "index.html").read_text()


@pytest.mark.slow
def test_same_data_same_bytes_and_no_absolute_path(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write_site(*factory.sample(), one)
    write_site(*factory.sample(), two)
    write_site(*factory.sample(), two)
    assert tree(one) == tree(two)
    assert not any(str(tmp_path).encode() in content for content in tree(one).values())


def test_files_can_be_read_by_a_web_server(site: Path) -> None:
    reference = site / "probe"
    reference.write_text("")
    mode = reference.stat().st_mode
    reference.unlink()
    assert {(site / name).stat().st_mode for name in tree(site)} == {mode}
