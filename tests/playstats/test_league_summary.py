"""Pages about play: style, seats, highlights, mistakes of a bot, charts of a league, data files."""

import csv
import html
import json
import re
from pathlib import Path

import html5lib
import pytest
from msgspec.structs import replace

from arena.game.records import Cause, Faulted
from arena.game.rules.books import variant
from arena.publish.links import file_stems
from arena.publish.text import fixed, percent, signed
from arena.ratings.league_ratings import Ratings
from tests.publish.in_memory import write_site
from tests.publish.pages import broken_links, read, table_text, unpacked
from tests.support import factory
from tests.support import played_games as games

NASTY = '</title></svg><script>alert(1)</script>"\x1b[31m{{ 7 * 7 }}'
SEATS = ("alpha", NASTY, "gamma")
RULES = variant("bga", {}, calza=True)
STEMS = file_stems(SEATS)


def write(folder: Path, **options: object) -> Path:
    two = [games.fixture(n, "bga", RULES, SEATS[:2], 6) for n in range(4)]
    three = [games.fixture(n, "bga", RULES, SEATS, 4) for n in range(4, 8)]
    league = factory.league(SEATS, name=NASTY, variants={"bga": RULES}, players=(2, 3))
    played = [*two, *three]
    return write_site(league, factory.ratings(played), played, folder, **options).parent  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("site"))


def rows(site: Path, name: str) -> list[dict[str, object]]:
    with (site / f"data/{name}.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    found: list[dict[str, object]] = json.loads((site / f"data/{name}.json").read_bytes())["rows"]
    assert len(found) == len(lines)
    assert all(list(line) == list(row) for line, row in zip(lines, found, strict=True))
    return found


@pytest.mark.slow
def test_pages_are_strict_html_whatever_the_names(site: Path) -> None:
    assert broken_links(site) == []
    for path in site.rglob("*.html"):
        html5lib.HTMLParser(strict=True).parse(path.read_bytes(), transport_encoding="utf-8")
        page = read(path)
        assert all(found.get("src") for tag, found in page.tags if tag == "script")
        assert len(page.ids) == len(set(page.ids))
        assert "\x1b" not in path.read_text(encoding="utf-8")


def test_every_chart_is_named_and_has_its_numbers(site: Path) -> None:
    for name, count in [("charts.html", 5), (f"bots/{STEMS[NASTY]}.html", 3)]:
        page = read(site / name)
        drawn = [attributes for tag, attributes in page.tags if attributes.get("role") == "img"]
        assert len(drawn) == count
        for attributes in drawn:
            assert set(attributes["aria-labelledby"].split()) <= set(page.ids)
        tags = [tag for tag, _ in page.tags]
        assert tags.count("figure") == tags.count("details") == count


def test_style_on_the_page_equals_the_data(site: Path) -> None:
    data = [row for row in rows(site, "style") if row["bot"] == "alpha"]
    cells = table_text(site / f"bots/{STEMS['alpha']}.html", "caption-style")
    assert [row["players"] for row in data] == [None, 2, 3]
    assert cells[0][0] == "All"
    for row, line in zip(data, cells, strict=True):
        rates = ("bluffs", "dudos", "dudos_right", "calzas_right")
        shown = [cell.split(" ")[0] for cell in line[1:]]
        assert shown == [
            *(percent(float(str(row[f"{name}_share"]))) for name in rates),
            fixed(float(str(row["boldness"]))),
        ]
    total, *parts = data
    for name in ("bids", "bluffs", "dudos", "turns_on_a_bid", "openings"):
        assert total[name] == sum(int(str(row[name])) for row in parts)


def test_seats_on_the_page_equal_the_data(site: Path) -> None:
    data = [row for row in rows(site, "seats") if row["bot"] == "gamma"]
    assert [(row["players"], row["seat"], row["games"]) for row in data] == [(3, 2, 16)]
    (line,) = table_text(site / f"bots/{STEMS['gamma']}.html", "caption-seats")
    assert line[1:3] == ["", ""]
    assert line[3].startswith(percent(float(str(data[0]["share"]))))
    won = rows(site, "seat-advantage")
    assert [sum(int(str(row["wins"])) for row in won if row["players"] == n) for n in (2, 3)] == [
        24,
        16,
    ]


def test_mistakes_lead_to_their_steps_in_the_replay(site: Path) -> None:
    mine = [row for row in rows(site, "mistakes") if row["bot"] == NASTY]
    page = site / f"bots/{STEMS[NASTY]}.html"
    text = page.read_text(encoding="utf-8")
    edges = [float(str(row["edge"])) for row in mine]
    assert 0 < len(mine) <= 5
    assert edges == sorted(edges)
    cells = table_text(page, "caption-mistakes")
    assert [line[3] for line in cells] == [signed(edge) for edge in edges]
    for row in mine:
        assert f"../replay.html#{row['index']}.{row['game']}.{row['step']}" in text


def watched(page: Path) -> list[str]:
    """Where a page's list of highlights leads to."""
    text = html.unescape(page.read_text(encoding="utf-8"))
    lists = re.findall(r'<ol class="highlight(?:s|-list)">.*?</ol>', text, re.DOTALL)
    return [link for one in lists for link in re.findall(r'href="[./]*(replay[^"]*&see=\d)"', one)]


def test_highlights_of_a_bot_are_on_its_page_with_its_dice_in_view(site: Path) -> None:
    mine = [
        row for row in rows(site, "highlights") if row["bot"] == NASTY and row["kind"] != "fault"
    ]
    assert mine
    assert watched(site / f"bots/{STEMS[NASTY]}.html") == [
        f"replay.html#{row['index']}.{row['game']}.{row['step']}&see={row['seat']}" for row in mine
    ]


def test_watch_has_the_highlights_of_the_league_and_of_each_table(site: Path) -> None:
    league = watched(site / "watch.html")
    tables = [watched(site / f"watch/bga-{players}p.html") for players in (2, 3)]
    assert all(tables)
    assert set(league) <= set(tables[0]) | set(tables[1])
    steps = [link.removeprefix("replay.html#").split("&")[0].split(".") for link in tables[0]]
    assert {int(index) for index, _, _ in steps} <= {0, 1, 2, 3}


def test_highlights_are_never_calls_that_were_wrong(site: Path) -> None:
    for row in rows(site, "highlights"):
        if row["kind"] in {"call", "calza"}:
            shard = unpacked((site / f"replays/{row['index']}-0.js").read_text())
            step = shard.games[str(row["game"])].steps[int(str(row["step"]))]
            assert (step.kind, step.right) == ("call", True)
            assert step.quantity >= 2


@pytest.mark.slow
def test_games_with_highlights_keep_their_replays(tmp_path: Path) -> None:
    site = write(tmp_path, replays=0)
    assert broken_links(site) == []
    for row in [*rows(site, "highlights"), *rows(site, "mistakes")]:
        assert (site / f"replays/{row['index']}-0.js").is_file()
    assert watched(site / "watch.html") == watched(write(tmp_path / "more") / "watch.html")


def test_without_replays_nothing_leads_to_a_highlight(tmp_path: Path) -> None:
    site = write(tmp_path, replays="none")
    assert broken_links(site) == []
    assert rows(site, "highlights")
    assert not (site / "watch.html").exists()
    assert watched(site / f"bots/{STEMS[NASTY]}.html") == []


def test_the_history_ends_at_the_leaderboard(site: Path) -> None:
    board = {row["bot"]: row for row in rows(site, "leaderboard-bga-3p")}
    last = {row["bot"]: row for row in rows(site, "history-bga-3p")}
    assert set(last) == set(board)
    for bot, row in board.items():
        names = ("mu", "sigma", "games")
        assert [last[bot][name] for name in names] == [
            pytest.approx(row[name]) if name != "games" else row[name] for name in names
        ]


def test_calibration_and_lengths_count_every_bid_and_game(site: Path) -> None:
    bids = sum(int(str(row["bids"])) for row in rows(site, "calibration"))
    assert bids == sum(int(str(row["bids"])) for row in rows(site, "calibration-bots"))
    styles = [row for row in rows(site, "style") if row["variant"] is not None]
    assert bids == sum(int(str(row["bids"])) for row in styles)
    assert sum(int(str(row["games"])) for row in rows(site, "game-length")) == 24 + 16


def test_faults_say_cause_count_line_and_command(tmp_path: Path) -> None:
    line = "not valid JSON: " + repr("x" * 3000)
    faults = {n: Faulted(1, Cause.MALFORMED_LINE, line) for n in (0, 2)}
    faults[1] = Faulted(1, Cause.TIMEOUT, "no answer within 2 s")
    played = [factory.fixture(7, ("alpha", "gamma"), faults=faults, stderr=("", "boom"))]
    names = ("alpha", "gamma")
    write_site(factory.league(names), factory.ratings(played), played, tmp_path)
    page = (tmp_path / "bots/gamma.html").read_text(encoding="utf-8")
    assert "x" * 3000 in page
    assert re.findall("arena rerun league.yaml [0-9]+ [0-9]+", page) == [
        f"arena rerun league.yaml 7 {game}" for game in range(3)
    ]
    assert re.search(r'too slow</a> <span class="count">1</span>, <a [^>]+>not readable', page)


def test_a_league_that_has_not_played_has_empty_charts(tmp_path: Path) -> None:
    league = replace(factory.league(SEATS), bots=factory.league(SEATS).bots)
    write_site(league, Ratings(), [], tmp_path)
    assert "No games have been played yet" in (tmp_path / "charts.html").read_text()
    assert rows(tmp_path, "style") == rows(tmp_path, "calibration") == []
