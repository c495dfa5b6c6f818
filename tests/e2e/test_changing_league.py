"""Leagues that stop by themselves, and leagues whose field changes, from the command line."""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import FIELD, LOWEST, PLAY, bot, error_line, league, opened, records, run
from tests.e2e.live import let_others_in
from tests.league.store.edit import forget
from tests.publish.pages import broken_links
from tests.support.made_once import made_once

REUSABLE = LOWEST.replace('"ready"', '"ready", "reusable": True')
"""A bot that serves at one table after another: it is started seldom."""
UNTIL = {"bots": FIELD, "games": 5, "blocks": 40, "until": "separated"}


def _play_field(folder: Path) -> None:
    let_others_in(folder)
    league(folder)
    assert run(*PLAY, cwd=folder).code == 0


def _play_until_separated(folder: Path) -> None:
    let_others_in(folder)
    league(folder, **UNTIL)
    ran = run(*PLAY, cwd=folder)
    assert ran.code == 0, ran.err
    (folder / "out").write_text(ran.out)
    (folder / "err").write_text(ran.err)


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """The folder of a league of FIELD that was played."""
    return _copy(made_once(tmp_path_factory, "field-league", _play_field), tmp_path)


@pytest.fixture
def separated(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """The folder of a league that stopped by itself, with what it printed."""
    return _copy(made_once(tmp_path_factory, "separated-league", _play_until_separated), tmp_path)


def _copy(made: Path, folder: Path) -> Path:
    let_others_in(folder)
    return Path(shutil.copytree(made, folder / "home"))


def tables(store: Path) -> list[tuple[str, ...]]:
    return [tuple(record["fixture"]["seats"]) for record in opened(store)]


def games_by_bot(ran_json: str) -> dict[str, int]:
    [board] = json.loads(ran_json)["leaderboards"]
    return {row["bot"]: row["games"] for row in board["rows"]}


def dice(record: Any, game: int) -> list[list[int]]:
    """Return the first dice of each seat in one of a fixture's games."""
    first = record["games"][game]["events"][0]
    assert first[:2] == ["round", 0]
    hands: list[list[int]] = first[4]
    return hands


def test_all_fixtures_of_a_block_are_played_on_the_same_dice(tmp_path: Path) -> None:
    league(tmp_path, players=[2, 3], shared_dice=True)
    assert run(*PLAY, cwd=tmp_path).code == 0
    page = (tmp_path / "site/conditions.html").read_text(encoding="utf-8")
    assert "<dd>shared by all fixtures of a block</dd>" in page
    seen: dict[tuple[int, int, int], set[str]] = {}
    for record in opened(tmp_path / "league.sqlite"):
        fixture = record["fixture"]
        for game in (0, 1):
            key = (len(fixture["seats"]), fixture["block"], game)
            seen.setdefault(key, set()).add(str(dice(record, game)))
    assert len(seen) == 8
    assert all(len(hands) == 1 for hands in seen.values())
    assert len(set.union(*seen.values())) == 8


def test_without_shared_dice_each_fixture_has_its_own(home: Path) -> None:
    hands = [str(dice(record, 0)) for record in opened(home / "league.sqlite")]
    assert len(set(hands)) == len(hands) == 6
    page = (home / "site/conditions.html").read_text(encoding="utf-8")
    assert "<dd>each fixture has its own</dd>" in page
    assert run("verify", "league.yaml", cwd=home).code == 0


def test_with_memory_across_fixtures_the_report_says_that_dice_are_not_shared(
    tmp_path: Path,
) -> None:
    league(tmp_path, memory_across_fixtures=True)
    assert run(*PLAY, cwd=tmp_path).code == 0
    hands = [str(dice(record, 0)) for record in opened(tmp_path / "league.sqlite")]
    assert len(set(hands)) == len(hands) == 6
    page = (tmp_path / "site/conditions.html").read_text(encoding="utf-8")
    assert "each fixture has its own <small>as bots keep their memory" in page
    league(tmp_path, memory_across_fixtures=True, shared_dice=True)
    ran = run(*PLAY, cwd=tmp_path)
    error_line(ran, "shared_dice cannot be true with memory_across_fixtures", "league.yaml:")


def test_it_stops_when_neighbours_are_separated_and_stays_stopped(separated: Path) -> None:
    whole = records(separated / "league.sqlite")
    blocks = len(whole) // 3
    assert 8 <= blocks < 40
    said = (separated / "err").read_text()
    assert f"bga, 2 players: after {blocks} blocks all neighbours are separated" in said
    page = (separated / "site/conditions.html").read_text(encoding="utf-8")
    assert "<dd>at most 40</dd>" in page
    assert "when neighbours are separated at 95.00\u202f%" in page
    again = run(*PLAY, cwd=separated)
    assert (again.code, again.out) == (0, (separated / "out").read_text())
    assert f"stored already: {len(whole)} of at most 120 fixtures" in again.err
    assert records(separated / "league.sqlite") == whole
    verified = run("verify", "league.yaml", cwd=separated)
    assert verified.code == 0
    assert f"in {len(whole)} of {len(whole)} fixtures" in verified.out


@pytest.mark.slow
def test_interrupted_anywhere_it_goes_on_to_the_same_end(separated: Path) -> None:
    whole = records(separated / "league.sqlite")
    forget(separated / "league.sqlite", "position > 10")
    assert run("verify", "league.yaml", cwd=separated).code == 0
    assert run(*PLAY, "--workers", "1", cwd=separated).code == 0
    assert records(separated / "league.sqlite") == whole


def test_a_block_that_was_taken_out_is_found(separated: Path) -> None:
    with closing(sqlite3.connect(separated / "league.sqlite")) as database, database:
        database.execute("DELETE FROM fixtures WHERE position < 3")
    verified = run("verify", "league.yaml", cwd=separated)
    assert verified.code == 1
    assert "it was played after its division had to stop" in verified.out


@pytest.mark.slow
def test_bots_that_are_tied_when_the_budget_is_spent_are_named(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        bot(tmp_path / name, REUSABLE)
    league(tmp_path, bots=["ann", "bob"], games=1, blocks=8, until="separated")
    ran = run(*PLAY, cwd=tmp_path)
    assert ran.code == 0
    line = next(line for line in ran.err.splitlines() if "the budget is spent" in line)
    assert line.startswith("bga, 2 players: after 8 blocks")
    assert {"ann", "bob"} <= set(line.split())


def test_a_bot_that_joins_plays_what_it_misses_and_nothing_is_replayed(home: Path) -> None:
    before = records(home / "league.sqlite")
    league(home, bots=[*FIELD, "sample:memory"])
    ran = run(*PLAY, "--accept-changes", "--json", cwd=home)
    assert ran.code == 0, ran.err
    assert "changed: 'memory' joined: all 6 stored fixtures still count\n" in ran.err
    assert "stored already: 6 of 12 fixtures" in ran.err
    after = records(home / "league.sqlite")
    assert after[:6] == before
    names = ["honest", "memory", "odds", "random"]
    assert sorted(tables(home / "league.sqlite")) == sorted(permutations(names, 2))
    assert games_by_bot(ran.out) == dict.fromkeys(names, 12)
    assert run("verify", "league.yaml", cwd=home).code == 0


def test_a_bot_rests_and_comes_back(home: Path) -> None:
    whole = (home / "league.yaml").read_text()
    before = records(home / "league.sqlite")
    league(home, bots=FIELD[:2])
    refused = run(*PLAY, cwd=home)
    what = "changed: 'random' rests: all 6 stored fixtures would still count / league.yaml / "
    error_line(refused, what, "--accept-changes")
    ran = run(*PLAY, "--accept-changes", "--json", cwd=home)
    assert ran.code == 0, ran.err
    assert "'random' rests: all 6 stored fixtures still count\n" in ran.err
    assert games_by_bot(ran.out) == dict.fromkeys(("odds", "honest", "random"), 8)
    assert "resting" in (home / "site/bots/random.html").read_text(encoding="utf-8")
    assert broken_links(home / "site") == []
    assert records(home / "league.sqlite") == before
    verified = run("verify", "league.yaml", cwd=home)
    assert (verified.code, verified.out.split(" fixtures")[0]) == (0, "12 games in 6 of 6")
    (home / "league.yaml").write_text(whole)
    ran = run(*PLAY, "--accept-changes", "--json", cwd=home)
    assert ran.code == 0, ran.err
    assert "'random' plays again: all 6 stored fixtures still count\n" in ran.err
    assert records(home / "league.sqlite") == before


def test_games_of_a_struck_bot_count_no_more_and_then_again(home: Path) -> None:
    whole = (home / "league.yaml").read_text()
    before = records(home / "league.sqlite")
    league(home, struck=["random"])
    refused = run(*PLAY, cwd=home)
    error_line(refused, "changed: 'random' is struck: 4 of 6 stored fixtures would no longer count")
    ran = run(*PLAY, "--accept-changes", "--json", cwd=home)
    assert ran.code == 0, ran.err
    assert "'random' is struck: 4 of 6 stored fixtures no longer count\n" in ran.err
    assert games_by_bot(ran.out) == {"odds": 4, "honest": 4}
    assert not (home / "site/bots/random.html").exists()
    assert broken_links(home / "site") == []
    assert run("verify", "league.yaml", cwd=home).code == 0
    (home / "league.yaml").write_text(whole)
    ran = run(*PLAY, "--accept-changes", "--json", cwd=home)
    assert ran.code == 0, ran.err
    assert "'random' plays again: all 2 stored fixtures still count, 4 count again\n" in ran.err
    assert games_by_bot(ran.out) == dict.fromkeys(("odds", "honest", "random"), 8)
    assert records(home / "league.sqlite") == before


@pytest.mark.slow
def test_a_new_version_of_a_bot_plays_beside_the_old_ones_results(tmp_path: Path) -> None:
    bot(tmp_path / "mine")
    league(tmp_path, bots=[*FIELD, "mine"], players=3)
    assert run(*PLAY, cwd=tmp_path).code == 0
    (tmp_path / "mine" / "book.txt").write_text("a better opening")
    refused = run(*PLAY, cwd=tmp_path)
    plays = ") and plays as 'mine@2': all 12 stored fixtures would still count"
    error_line(refused, "'mine' has other files (", plays)
    ran = run(*PLAY, "--accept-changes", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    games = games_by_bot(ran.out)
    assert set(games) == {"odds", "honest", "random", "mine", "mine@2"}
    assert games["mine"] == 18
    assert min(games.values()) >= 18
    seats = Counter(name for table in tables(tmp_path / "league.sqlite") for name in table)
    assert {name: 2 * count for name, count in seats.items()} == games
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    again = run("report", "league.yaml", "--json", cwd=tmp_path)
    assert games_by_bot(again.out) == games
    last = str(len(tables(tmp_path / "league.sqlite")) - 1)
    rerun = run("rerun", "league.yaml", last, "--trust-bots", "--sandbox", "process", cwd=tmp_path)
    assert rerun.code == 0, rerun.err
    exported = run("export", "league.yaml", "--format", "csv", cwd=tmp_path)
    assert "mine@2" in exported.out


@pytest.mark.slow
def test_a_bot_joins_a_league_that_stopped(tmp_path: Path) -> None:
    league(tmp_path, **{**UNTIL, "bots": ["sample:odds", "sample:random"]})
    assert run(*PLAY, cwd=tmp_path).code == 0
    before = records(tmp_path / "league.sqlite")
    bot(tmp_path / "timid", REUSABLE)
    league(tmp_path, **{**UNTIL, "bots": ["sample:odds", "sample:random", "timid"]})
    ran = run(*PLAY, "--accept-changes", cwd=tmp_path)
    assert ran.code == 0, ran.err
    after = records(tmp_path / "league.sqlite")
    assert after[: len(before)] == before
    assert len(after) > len(before)
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
    assert run(*PLAY, cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == after
