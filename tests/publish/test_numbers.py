"""The numbers on pages are those of the data files, and of what was played."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from arena.publish.data import results
from arena.publish.pages import bot as bot_pages
from arena.publish.text import fixed, grouped, percent, signed, sure
from tests.publish.crowd import crowd
from tests.publish.in_memory import write_site
from tests.publish.pages import table_text
from tests.support import factory


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(*factory.sample(), tmp_path_factory.mktemp("site")).parent


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


def test_how_sure_a_pair_is_follows_from_the_data(tmp_path: Path) -> None:
    write_site(*crowd(12, 12, (("bga", 2),)), tmp_path)
    rows = json.loads((tmp_path / "data/better-bga-2p.json").read_bytes())["rows"]
    shown = {(row["bot"], row["opponent"]): sure(row["sure"]) for row in rows}
    found = matrix(tmp_path / "head-to-head/bga-2p.html", "caption-better")
    assert found == {pair: bare(words) for pair, words in shown.items() if words != "\u2013"}
    assert 12 < len(found) < len(rows)


def test_a_bots_opponents_are_those_of_the_data(site: Path) -> None:
    rows = json.loads((site / "data/head-to-head-bga-2p.json").read_bytes())["rows"]
    better = {
        (row["bot"], row["opponent"]): row["sure"]
        for row in json.loads((site / "data/better-bga-2p.json").read_bytes())["rows"]
    }
    assert table_text(site / "bots/gamma.html", "caption-bga-2p") == [
        [
            row["opponent"],
            percent(row["share"]),
            f"{percent(row['low'], 0)} to {percent(row['high'], 0)}",
            str(row["games"]),
            "too close to call",
            sure(better["gamma", row["opponent"]]),
        ]
        for row in rows
        if row["bot"] == "gamma"
    ]


def test_pairs_of_many_bots_are_those_of_the_first(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PAIRED", 3)
    few = write_site(*factory.sample(), tmp_path / "few").parent
    for kind in ("head-to-head", "better"):
        name = f"data/{kind}-bga-2p.json"
        whole, part = (json.loads((folder / name).read_bytes()) for folder in (site, few))
        first = {row[1] for row in table_text(few / "head-to-head/bga-2p.html", "caption")[:3]}
        assert whole["all_pairs"] is None
        assert part["all_pairs"] == "arena export league.yaml --rows pairs"
        assert part["rows"] == [
            row for row in whole["rows"] if {row["bot"], row["opponent"]} <= first
        ]
        assert len(part["rows"]) < len(whole["rows"])
    for name in ("head-to-head/bga-2p.html", "bots/alpha.html"):
        sentence = (
            "the pairs of the first 3 bots; <code>arena export league.yaml --rows pairs</code>"
        )
        assert sentence in (few / name).read_text()
        assert "--rows pairs" not in (site / name).read_text()


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
