"""Leaderboards: what their lines say, who is best, and how large the pages of many bots are."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from arena.game.records import Conditions, PlayedFixture
from arena.publish.charts import round_axis
from arena.publish.data.results import by_opponent
from arena.publish.links import BOTS
from arena.publish.pages.front import MOST
from arena.publish.pages.leaderboard import (
    CELLS,
    TOP,
    better_matrix,
    board_standings,
    lines,
    overview,
    without_first,
)
from arena.publish.site import site_of
from arena.publish.site_state import StoreState
from arena.publish.templates import environment
from arena.publish.text import percent, signed
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow, PastRating, Point
from arena.ratings.league_ratings import Ratings
from tests.publish.crowd import crowd
from tests.publish.in_memory import InMemory, write_site
from tests.publish.pages import document, read, table_text
from tests.support import factory
from tests.support.ratings import leaderboard_row

LARGEST = 150_000
XHTML = "{http://www.w3.org/1999/xhtml}"


def ranked(*ranges: tuple[int, int]) -> list[LeaderboardRow]:
    """Rows named a, b, c and so on with these ranges of ranks."""
    rows = [leaderboard_row(chr(ord("a") + at), -float(at), 0.5) for at in range(len(ranges))]
    return [
        replace(one, best=best, worst=worst, may_be_first=best == 1)
        for one, (best, worst) in zip(rows, ranges, strict=True)
    ]


def board(rows: list[LeaderboardRow]) -> Leaderboard:
    return Leaderboard("bga", 2, rows, {}, {}, {}, 9, "blocks", [], None)


@pytest.mark.parametrize(
    ("ranges", "first", "said"),
    [
        ([(1, 1), (2, 3), (2, 3)], "a", "a is best."),
        ([(1, 2), (1, 2), (3, 3)], "ab", "a leads; b may be first, too."),
        ([(1, 3), (1, 3), (2, 3)], "ab", "a leads; b may be first, too."),
        ([(1, 8)] * 8, "abcdefgh", "a leads; b, c, d, e and 3 more may be first, too."),
        ([], "", ""),
    ],
)
def test_leaders_are_all_that_may_be_first(
    ranges: list[tuple[int, int]], first: str, said: str
) -> None:
    found = board_standings(board(ranked(*ranges))).first
    assert found == tuple(first)
    known = {"links": SimpleNamespace(bot=str), "root": "", "page": ""}
    parts = environment().get_template("board_parts.html").make_module(known)
    assert re.sub("<[^>]*>", "", parts.leaders(found)).strip() == said  # type: ignore[attr-defined]


@pytest.mark.slow
def test_list_of_possible_firsts_agrees_with_the_table_of_pairs(many: "Data") -> None:
    """No bot may be first if that table says of another that it is better."""
    _, ratings, _ = crowd(12, 12, (("bga", 2), ("house", 3)))
    overlapping = []
    for one in [*ratings.boards, *many[1].boards]:
        beaten = {
            one.rows[at].bot
            for row in better_matrix(one)
            for at, chance in enumerate(row.cells)
            if chance is not None and chance.tint.startswith("ahead")
        }
        names = [row.bot for row in one.rows if row.bot not in beaten]
        assert set(board_standings(one).first) <= set(names)
        ranges = {row.bot: range(row.best, row.worst + 1) for row in one.rows}
        overlapping += [
            row.bot
            for row in better_matrix(one)
            for at, chance in enumerate(row.cells)
            if chance is not None
            and chance.tint.startswith("ahead")
            and set(ranges[row.bot]) & set(ranges[one.rows[at].bot])
        ]
    assert overlapping, "ranges that overlap do not say that a pair is not told apart"


def test_charts_say_which_ratings_rest_on_one_bot(tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    first, second = ratings.boards
    moved = replace(first.rows[0], shift=-1.5, shift_without=first.rows[1].bot, sensitive=True)
    boards = [
        replace(first, rows=[moved, *first.rows[1:]]),
        replace(second, rows=[replace(one, sensitive=False) for one in second.rows]),
    ]
    write_site(league, replace(ratings, boards=boards), played, tmp_path)
    [section] = [
        one for one in document(tmp_path / "charts.html").iter() if one.get("id") == "sensitivity"
    ]
    lines = [" ".join("".join(one.itertext()).split()) for one in section.iter(f"{XHTML}li")]
    assert f"{moved.bot} {signed(-1.5)} without {moved.shift_without}." in lines[0]
    assert "none moves so far." in lines[1]


@pytest.mark.parametrize(
    ("ranges", "tiers"),
    [
        ([(1, 1), (2, 2)], [False, True]),
        ([(1, 2), (1, 2), (3, 3)], [False, False, True]),
        ([(1, 2), (1, 3), (2, 4), (3, 4)], [False, False, False, False]),
        ([(1, 1), (2, 3), (2, 3), (4, 4)], [False, True, False, True]),
    ],
)
def test_tier_begins_below_bots_that_are_all_distinguished(
    ranges: list[tuple[int, int]], tiers: list[bool]
) -> None:
    rows = ranked(*ranges)
    found = lines(board(rows), factory.league(tuple(one.bot for one in rows)))
    assert [line.tier for line in found] == tiers


@pytest.mark.parametrize(
    ("ranges", "left_out", "first"),
    [
        ([(1, 1), (2, 2)], "", "a"),
        ([(1, 1), (2, 3), (2, 3)], "a", "bc"),
        ([(1, 2), (1, 2), (3, 3)], "a", "b"),
        ([(1, 1), (2, 2), (3, 3)], "b", "a"),
        ([(1, 1), (2, 2), (3, 3), (4, 4)], "ab", "c"),
        ([(1, 1), (2, 2)], "ab", "a"),
    ],
)
def test_bot_that_is_no_measure_of_its_model_is_named_nowhere_as_first(
    ranges: list[tuple[int, int]], left_out: str, first: str
) -> None:
    standings = board_standings(board(ranked(*ranges)))
    assert without_first(standings, left_out).first == tuple(first)


def test_a_line_has_its_margin_author_and_trend() -> None:
    rows = ranked((1, 1), (2, 2))
    history = [
        Point(games, {"a": PastRating(mu, 1.0, games)})
        for games, mu in ((6, 2.25), (8, 3.0), (9, 2.0))
    ]
    first, second = lines(replace(board(rows), history=history), factory.league(("a", "b")))
    assert (first.row.margin, first.info.author) == (1.0, "Ada")
    assert (first.trend, second.trend) == (-0.25, None)


def test_labels_of_an_axis_are_thinned_when_there_are_many() -> None:
    many, few = round_axis([-7.5, 12.5]), round_axis([-1.0, 3.0])
    assert (many.ticks, many.labels) == ((-10, -5, 0, 5, 10, 15), (-10, 0, 10))
    assert (few.ticks, few.labels) == ((-1, 0, 1, 2, 3), (-1, 0, 1, 2, 3))


def test_the_overview_has_every_bot_and_every_leaderboard() -> None:
    league, ratings, _ = factory.sample()
    found = overview(league, ratings)
    assert ratings.overall
    first = [one.bot for one in ratings.overall.rows]
    assert [one.info.name for one in found.rows][: len(first)] == first
    assert {one.info.name for one in found.rows} == set(factory.NAMES)
    assert all(len(one.cells) == len(ratings.boards) for one in found.rows)
    gamma = next(one for one in found.rows if one.info.name == "gamma")
    assert [cell is None for cell in gamma.cells] == [False, False]


Data = tuple[Conditions, Ratings, list[PlayedFixture]]


@pytest.fixture(scope="module")
def many() -> Data:
    """Two hundred bots at two kinds of tables, all of them played a little."""
    return crowd(200, 1, (("bga", 2), ("house", 4)), 1, provisional=3, overall=True)


@pytest.fixture(scope="module")
def large(many: Data, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*many, tmp_path_factory.mktemp("large"), replays="none").parent


@pytest.mark.slow
def test_leaderboards_of_two_hundred_bots_are_small_and_whole(large: Path) -> None:
    pages = sorted((large / "tables").glob("*.html"))
    assert [path.stem for path in pages] == ["bga-2p", "house-4p", "overall"]
    for path in [*pages, large / "bots.html"]:
        assert path.stat().st_size < LARGEST
        assert len(table_text(path, "caption")) == 200
    assert (large / "index.html").stat().st_size < LARGEST
    assert len(table_text(large / "index.html", "caption")) == MOST


@pytest.mark.slow
def test_the_overview_says_what_each_leaderboard_says(large: Path) -> None:
    across = {cells[0]: cells for cells in table_text(large / "bots.html", "caption")}
    for cells in table_text(large / "tables/house-4p.html", "caption"):
        bot = cells[1].removesuffix(" provisional")
        assert across[bot][3] == f"{cells[0].split()[-1]} {cells[3]}"
        assert across[bot][4:] == cells[8:10]


@pytest.mark.slow
@pytest.mark.parametrize("tables", [8, 20])
def test_the_bots_of_many_tables_are_a_small_page(many: Data, tmp_path: Path, tables: int) -> None:
    league, ratings, _ = many
    rules = league.variants["bga"]
    labels = [f"variant {number}" for number in range(tables)]
    boards = [replace(ratings.boards[0], variant=label) for label in labels]
    info = replace(league, variants=dict.fromkeys(labels, rules))
    site = site_of(info, replace(ratings, boards=boards), InMemory([], {}), StoreState(), "none")
    text = next(file.content for file in site.files({}) if file.path == BOTS)
    assert isinstance(text, str)
    path = tmp_path / BOTS
    path.write_text(text)
    shown = min(200, CELLS // (tables + 1))
    assert len(text.encode()) < LARGEST
    assert len(table_text(path, "caption")) == shown
    assert (f"The first {shown} of 200 bots" in text) == (shown < 200)


@pytest.mark.slow
def test_head_to_head_of_many_is_a_table_of_the_first_and_a_picture_of_all(large: Path) -> None:
    path = large / "head-to-head/bga-2p.html"
    matrix = table_text(path, "caption")
    names = [cells[1] for cells in table_text(large / "tables/bga-2p.html", "caption")]
    assert [cells[1] for cells in matrix] == [
        name.removesuffix(" provisional") for name in names[:TOP]
    ]
    assert all(len(cells) == TOP + 2 for cells in matrix)
    sources = [
        one.get("src") or one.get("srcset")
        for one in document(path).iter()
        if one.tag in {f"{XHTML}img", f"{XHTML}source"}
    ]
    assert sorted(sources) == [
        "../head-to-head/bga-2p-dark.png",
        "../head-to-head/bga-2p-light.png",
    ]
    for source in sources:
        assert (path.parent / source).read_bytes().startswith(b"\x89PNG")


def test_every_pair_of_few_bots_has_its_interval_in_the_hint(tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    write_site(league, ratings, played, tmp_path)
    path = tmp_path / "head-to-head/bga-2p.html"
    [board] = [one for one in ratings.boards if one.players == 2]
    for bot, rival in board.duels:
        [one] = by_opponent(board, bot, [rival])
        interval = f"{percent(one.low, 0)} to {percent(one.high, 0)}"
        assert f'title="{one.games} games, 95 %: {interval}"' in path.read_text()
    assert "picture" not in {one.tag.removeprefix(XHTML) for one in document(path).iter()}


@pytest.mark.slow
def test_a_bot_is_chosen_for_its_pairs(large: Path) -> None:
    path = large / "head-to-head/bga-2p.html"
    links = [link for link in read(path).links if link.endswith("#results-bga-2p")]
    assert len(links) == 200
    assert "results-bga-2p" in read(path.parent / links[0].partition("#")[0]).ids


def test_known_trends_are_arrows_with_numbers() -> None:
    cells = environment().get_template("cells.html")
    context: dict[str, object] = {
        "root": "",
        "links": None,
        "ratings": None,
        "watchable": set(),
        "identities": {},
        "marked": {},
        "page": "",
    }
    trend = vars(cells.make_module(context))["trend"]
    assert str(trend(0.42)) == f'<td>{signed(0.42, 1)} <i class="up">▲</i></td>'
    assert str(trend(-0.42)) == f'<td>{signed(-0.42, 1)} <i class="down">▼</i></td>'
    assert re.sub("<.*?>", "", str(trend(0.04))).strip() == "0.0"
    assert re.sub("<.*?>", "", str(trend(None))) == "\u2013"
