"""Luck is taken out of ratings alike wherever a league is rated: report, feed, export, verify."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.game.records import Conditions, Fixture, PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.league.keeping.verify import verify
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.publish.report import ReportRequest, report
from arena.ratings.variance import luck
from tests.cli.command import run
from tests.support import factory, records
from tests.support.played_games import play

BGA = VARIANTS["bga"]


def league(**changes: Any) -> Conditions:
    """Return a league of which the table of two has 120 games."""
    fields = {"shared_dice": False, "variants": {"bga": BGA}, "games": 10, "blocks": 3}
    return factory.league(("ann", "bob", "cy", "di"), **{**fields, **changes})


def stored(conditions: Conditions, path: Path) -> Path:
    """Return the store of a league whose bots do whatever is legal."""
    return records.stored(
        path, conditions, map(partial(at_random, conditions), Schedule(conditions).fixtures)
    )


def at_random(conditions: Conditions, fixture: Fixture) -> PlayedFixture:
    rules, seats = conditions.variants[fixture.variant], len(fixture.seats)
    games = [play(rules, seats, fixture.dice_key, game) for game in range(fixture.games)]
    return records.played(fixture, games)


def published(site: Path, table: str, players: int = 2) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((site / f"data/{table}-bga-{players}p.json").read_text())
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the store of a league without shared dice, and its report."""
    folder = tmp_path_factory.mktemp("luck")
    write(stored(league(), folder / "league.sqlite"), folder / "site")
    return folder


def write(store: Path, site: Path) -> None:
    report(ReportRequest(store.with_name("league.yaml"), store, site))


def findings(store: Path, site: Path) -> list[str]:
    with Store(store) as opened:
        return [one.where for one in verify(opened, site=site).findings]


@pytest.mark.slow
def test_the_report_and_verify_rate_without_luck(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = published(whole / "site", "leaderboard")
    assert board["luck_slope"] is not None
    assert sum(row["luck"] for row in board["rows"]) == pytest.approx(0)
    assert findings(whole / "league.sqlite", whole / "site") == []
    monkeypatch.setattr(luck, "MIN_GAMES", 121)
    assert findings(whole / "league.sqlite", whole / "site") == [
        f"bga, 2 players, bot '{bot}'" for bot in ("ann", "bob", "cy", "di")
    ]


def test_the_page_of_the_table_says_so(whole: Path) -> None:
    pages = {
        path.name: "Without luck:" in path.read_text(encoding="utf-8")
        for path in (whole / "site/tables").glob("*.html")
    }
    assert pages.pop("overall.html") is False
    assert sorted(pages.values()) == [False, True]


def test_pairs_are_exported_as_the_report_has_them(whole: Path) -> None:
    ran = run("export", "league.yaml", "--rows", "pairs", "--json", cwd=whole)
    assert (ran.code, ran.err) == (0, "")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    exported = {
        (row["bot"], row["opponent"]): row["probability"] for row in rows if row["players"] == 2
    }
    better = published(whole / "site", "better")["rows"]
    assert exported == {(row["bot"], row["opponent"]): row["probability"] for row in better}


def test_a_cached_summary_gives_the_same_ratings(whole: Path, tmp_path: Path) -> None:
    write(whole / "league.sqlite", tmp_path)
    assert published(tmp_path, "leaderboard") == published(whole / "site", "leaderboard")


@pytest.mark.slow
def test_larger_tables_and_shared_dice_keep_their_luck(whole: Path, tmp_path: Path) -> None:
    store = stored(league(shared_dice=True, players=(2,)), tmp_path / "league.sqlite")
    write(store, tmp_path / "site")
    assert findings(store, tmp_path / "site") == []
    boards = [
        published(tmp_path / "site", "leaderboard"),
        published(whole / "site", "leaderboard", 3),
    ]
    for board in boards:
        assert board["luck_slope"] is None
        assert {row["luck"] for row in board["rows"]} == {None}
