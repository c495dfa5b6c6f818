"""The whole site: links, markup, determinism, the page's numbers against the data files."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import html5lib
import pytest
from msgspec.structs import replace

from arena.publish.data import tables
from arena.publish.output.text import chance, fixed, grouped, percent, signed
from arena.publish.pages import bot as bot_pages
from arena.ratings.standings import Ratings
from arena.ratings.table import Suspicion
from arena.records import Cause, Faulted
from tests.publish import factory
from tests.publish.in_memory import write_site
from tests.publish.pages import SCRIPTS, broken_links, read, tree

XHTML = "{http://www.w3.org/1999/xhtml}"
MENU = ["Standings", "Bots", "Watch", "Matches", "Stats", "About"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*factory.sample(), tmp_path_factory.mktemp("site")).parent


def document(path: Path) -> Any:
    return html5lib.HTMLParser(strict=True).parse(path.read_bytes(), transport_encoding="utf-8")


def table_text(path: Path, caption: str) -> list[list[str]]:
    """The text of each cell in the body of the table with that caption's id."""
    for table in document(path).iter(f"{XHTML}table"):
        if table.find(f"{XHTML}caption").get("id") == caption:
            rows = table.find(f"{XHTML}tbody").iter(f"{XHTML}tr")
            return [["".join(cell.itertext()).strip() for cell in row] for row in rows]
    raise AssertionError(f"no table {caption}")


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
    assert len(pages) == 8 + 4 + 2 + 2 + 2 + 1 + 3
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
                assert attributes["scope"] in {"row", "col"}
            if tag == "table":
                assert page.tags[at - 1][1].get("class") == "scroll"


def ranks(row: dict[str, Any]) -> str:
    if row["best"] == row["worst"]:
        return str(row["best"])
    return f"{row['best']} {row['best']}\u2013{row['worst']}"


def test_leaderboard_page_json_and_csv_have_the_same_numbers(site: Path) -> None:
    data = json.loads((site / "data/leaderboard-bga-2p.json").read_bytes())
    cells = table_text(site / "tables/bga-2p.html", "caption")
    assert (data["variant"], data["players"], data["chance"]) == ("bga", 2, 0.5)
    expected = [
        [
            ranks(row),
            row["bot"],
            percent(2 - row["mean_place"]),
            grouped(row["games"]),
            percent(row["win_share"]),
            f"{fixed(row['mean_place'])} {fixed(row['place_low'])}\u2013{fixed(row['place_high'])}",
            percent(row["faults"] / row["games"]) if row["faults"] else "0",
            "Ada",
            f"{signed(row['mu'])} ±{fixed((row['high'] - row['low']) / 2)}",
            signed(row["conservative"]),
            percent(row["beats_average"]),
        ]
        for row in data["rows"]
    ]
    # The bar and the trend have no column of their own in the data.
    assert [row[:2] + row[3:-1] for row in cells] == expected
    with (site / "data/leaderboard-bga-2p.csv").open(newline="") as file:
        for line, row in zip(csv.DictReader(file), data["rows"], strict=True):
            assert float(line["mu"]) == row["mu"]
            assert float(line["win_share"]) == row["win_share"]


def test_leaderboard_numbers_are_those_counted(site: Path) -> None:
    _, ratings, _ = factory.sample()
    data = json.loads((site / "data/leaderboard-bga-2p.json").read_bytes())
    board = next(board for board in ratings.boards if (board.variant, board.players) == ("bga", 2))
    for row, counted in zip(data["rows"], board.rows, strict=True):
        assert (row["bot"], row["mu"], row["wins"]) == (counted.bot, counted.mu, counted.wins)
        assert row["faults"] == counted.faults
    assert sum(row["faults"] for row in data["rows"]) == 3


def matrix(path: Path, caption: str) -> dict[tuple[str, str], str]:
    """The cells of a table of pairs, without those of a bot and itself and of pairs never met."""
    cells = table_text(path, caption)
    names = [row[1] for row in cells]
    return {
        (row[1], names[at]): text
        for row in cells
        for at, text in enumerate(row[2:])
        if text not in {"", "\u2013"}
    }


def bare(shown: str) -> str:
    return shown.removesuffix("\u202f%")


def test_head_to_head_page_and_json_have_the_same_numbers(site: Path) -> None:
    data = json.loads((site / "data/head-to-head-bga-2p.json").read_bytes())
    assert matrix(site / "head-to-head/bga-2p.html", "caption") == {
        (row["bot"], row["opponent"]): bare(percent(row["share"], 0)) for row in data["rows"]
    }
    shares = {(row["bot"], row["opponent"]): row["share"] for row in data["rows"]}
    assert all(shares[a, b] + shares[b, a] == pytest.approx(1) for a, b in shares)
    assert ("alpha", "delta") not in shares


def test_probabilities_of_being_better_match_between_page_and_data(site: Path) -> None:
    data = json.loads((site / "data/better-bga-2p.json").read_bytes())
    assert matrix(site / "head-to-head/bga-2p.html", "caption-better") == {
        (row["bot"], row["opponent"]): bare(chance(row["probability"], 0)) for row in data["rows"]
    }


def test_a_bots_opponents_are_those_of_the_data(site: Path) -> None:
    rows = json.loads((site / "data/head-to-head-bga-2p.json").read_bytes())["rows"]
    better = {
        (row["bot"], row["opponent"]): row["probability"]
        for row in json.loads((site / "data/better-bga-2p.json").read_bytes())["rows"]
    }
    assert table_text(site / "bots/gamma.html", "caption-bga-2p") == [
        [
            row["opponent"],
            percent(row["share"]),
            f"{percent(row['low'], 0)} to {percent(row['high'], 0)}",
            str(row["games"]),
            "too close to call",
            chance(better["gamma", row["opponent"]], 0),
        ]
        for row in rows
        if row["bot"] == "gamma"
    ]


def test_pairs_of_many_bots_are_those_of_the_first(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAIRED", 3)
    few = write_site(*factory.sample(), tmp_path / "few").parent
    for kind in ("head-to-head", "better"):
        name = f"data/{kind}-bga-2p.json"
        whole, part = (json.loads((folder / name).read_bytes()) for folder in (site, few))
        first = {row[1] for row in table_text(few / "head-to-head/bga-2p.html", "caption")[:3]}
        assert whole["all_pairs"] is None
        assert part["all_pairs"] == "arena export league.yaml --pairs"
        assert part["rows"] == [
            row for row in whole["rows"] if {row["bot"], row["opponent"]} <= first
        ]
        assert len(part["rows"]) < len(whole["rows"])
    for name in ("head-to-head/bga-2p.html", "bots/alpha.html"):
        sentence = "the pairs of the first 3 bots; <code>arena export league.yaml --pairs</code>"
        assert sentence in (few / name).read_text()
        assert "--pairs" not in (site / name).read_text()


def test_a_bot_of_many_shows_the_opponents_nearest_to_it(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_pages, "OPPONENTS_SHOWN", 1)
    few = write_site(*factory.sample(), tmp_path / "few").parent
    caption = "caption-bga-2p"
    page = (few / "bots/gamma.html").read_text()
    assert "The nearest 1 of 2 opponents on the leaderboard." in page
    assert len(table_text(few / "bots/gamma.html", caption)) == 1
    assert len(table_text(site / "bots/gamma.html", caption)) == 2
    assert "The nearest" not in (site / "bots/gamma.html").read_text()


@pytest.mark.parametrize(
    ("ranks", "rank", "shown"),
    [
        ((1, 2, 4, 5), 3, (1, 2, 4, 5)),
        ((2, 3, 4, 5, 6, 7), 1, (2, 3, 4, 5)),
        ((1, 2, 3, 5, 6, 7), 4, (2, 3, 5, 6)),
        ((1, 2, 3, 4, 5, 6), 7, (3, 4, 5, 6)),
        ((1, 3, 50, 60, 70, 80), 40, (1, 3, 50, 60)),
    ],
)
def test_nearest_are_half_above_and_half_below(
    ranks: tuple[int, ...], rank: int, shown: tuple[int, ...]
) -> None:
    assert bot_pages.nearest(ranks, rank, 4) == shown


def test_page_says_that_there_are_few_blocks_and_no_suspicions(site: Path) -> None:
    assert "Too few blocks" in (site / "tables/bga-2p.html").read_text()
    data = json.loads((site / "data/leaderboard-bga-2p.json").read_bytes())
    assert (data["blocks"], data["intervals_by"], data["dice_gain"]) == (1, "games", None)
    assert "There are none" in (site / "suspicions.html").read_text()
    assert json.loads((site / "data/suspicions.json").read_bytes())["rows"] == []
    assert not list(site.glob("data/overall*"))


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


def test_faults_are_listed_with_their_place_and_stderr(site: Path) -> None:
    rows = json.loads((site / "data/faults.json").read_bytes())["rows"]
    assert [
        (row["cause"], row["bot"], row["index"], row["game"], row["round"]) for row in rows
    ] == [
        ("crash", "delta", 1, 1, 1),
        ("crash", "delta", 1, 2, 1),
        ("timeout", "Bravo Bot", 2, 0, 1),
    ]
    assert rows[0]["opponents"] == ["gamma"]
    assert [row[-4:-1] for row in table_text(site / "faults.html", "caption")] == [
        ["crashed exit status 1", "2", "bga, 2\u00a0players: " + where(1, 1, 1) + " replay"],
    ]
    said = (site / "faults.html").read_text()
    assert "all of 2" in said
    assert f"{percent(2 / 8)}</span> <small>2 of 8" in said
    page = (site / "bots/delta.html").read_text()
    assert "&lt;b&gt;boom&lt;/b&gt;" in page
    assert page.count('class="stderr"') == 1
    front = " ".join("".join(document(site / "index.html").itertext()).split())
    assert "3 games were lost by faults, 2 of them by delta, the others by 1 bot." in front


def where(index: int, game: int, round_: int) -> str:
    """A place counted from 1, and the numbers that `arena rerun` takes."""
    place = f"match~{index + 1}, game~{game + 1}, round~{round_ + 1} rerun~{index}~{game}"
    return place.replace("~", "\u00a0")


def test_no_faults_is_said(tmp_path: Path) -> None:
    league, _, _ = factory.sample()
    played = [factory.fixture(0, ("alpha", "gamma"))]
    write_site(league, factory.ratings(played), played, tmp_path)
    assert "There are none" in (tmp_path / "faults.html").read_text()
    assert "No bot faulted." in (tmp_path / "index.html").read_text()
    assert (tmp_path / "data/faults.csv").read_text().count("\n") == 1


def test_a_league_that_has_not_played_has_a_whole_site(tmp_path: Path) -> None:
    league, _, _ = factory.sample()
    write_site(league, Ratings(), [], tmp_path)
    assert broken_links(tmp_path) == []
    assert "No games have been played yet" in (tmp_path / "index.html").read_text()


def test_many_like_faults_are_one_line_and_whole_in_data(tmp_path: Path) -> None:
    names = ("alpha", "gamma")
    always = {game: Faulted(1, Cause.FLOOD, "too long") for game in range(600)}
    played = [factory.fixture(0, names, faults=always, games=600)]
    write_site(factory.league(names), factory.ratings(played), played, tmp_path)
    [line] = table_text(tmp_path / "faults.html", "caption")
    assert line[3] == "600"
    assert "The first 50 of 600 faults." in (tmp_path / "bots/gamma.html").read_text()
    assert len(json.loads((tmp_path / "data/faults.json").read_bytes())["rows"]) == 600


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
