"""`arena verify` rates the games again with the trueskill package, and compares leaderboards."""

import json
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trueskill
from msgspec.structs import asdict, replace

from arena.game.records import Division, RatingsInfo
from arena.io.errors import ArenaError
from arena.league.keeping.rerating import (
    TOLERANCE,
    PublishedLeaderboard,
    PublishedRow,
    check_division,
    compare_ratings,
    draw_sample,
    rate_with_package,
)
from arena.league.keeping.verify import StoreFinding, Verified, verify
from arena.league.store.store import Store
from arena.ratings.league_ratings import by_division, rate_results
from tests.support.records import fixture, result

Row = dict[str, Any]


def check(store: Path, site: Path, **options: Any) -> Verified:
    with Store(store) as opened:
        return verify(opened, site=site, **options)


def publish(store: Path, site: Path, anchor: str | None = None) -> Path:
    """Write what a report says of the leaderboards of a store."""
    with Store(store) as opened:
        ratings = rate_results(by_division(opened.results()), RatingsInfo(anchor=anchor))
    (site / "data").mkdir(parents=True)
    for board in ratings.boards:
        data = {"variant": board.variant, "players": board.players, "rows": board.rows}
        path = site / f"data/leaderboard-{board.variant}-{board.players}p.json"
        path.write_bytes(msgspec.json.encode(data))
    return site


def edit_row(site: Path, players: int, bot: str, /, **changes: object) -> None:
    path = site / f"data/leaderboard-bga-{players}p.json"
    board = json.loads(path.read_bytes())
    [row] = [row for row in board["rows"] if row["bot"] == bot]
    row.update(changes)
    path.write_text(json.dumps(board))


@pytest.mark.parametrize(("anchor", "workers"), [(None, 1), ("memory", 2)])
def test_published_leaderboards_match_the_games(
    whole: Path, tmp_path: Path, anchor: str | None, workers: int
) -> None:
    found = check(whole, publish(whole, tmp_path, anchor), workers=workers, games_per_call=4)
    assert found.findings == []
    assert [(one.variant, one.players, one.games, one.rated) for one in found.ratings] == [
        ("bga", 2, 12, 12),
        ("bga", 3, 12, 12),
    ]
    for bot in (bot for one in found.ratings for bot in one.bots):
        assert bot.package_mu == pytest.approx(bot.mu, abs=TOLERANCE / 10)
        assert bot.package_sigma == pytest.approx(bot.sigma, abs=TOLERANCE / 10)


@pytest.mark.parametrize(
    ("anchor", "changes"),
    [(None, {"mu": 1.5}), (None, {"sigma": 0.5}), ("memory", {"mu_sequential": 2.5})],
)
def test_tampered_rating_is_named(
    whole: Path, tmp_path: Path, anchor: str | None, changes: Row
) -> None:
    site = publish(whole, tmp_path, anchor)
    edit_row(site, 3, "random", **changes)
    [finding] = check(whole, site).findings
    assert finding.where == "bga, 3 players, bot 'random'"
    assert f"{next(iter(changes.values())):.5f}" in finding.what
    assert "its games give" in finding.what


def test_difference_within_the_tolerance_is_accepted(whole: Path, tmp_path: Path) -> None:
    site = publish(whole, tmp_path)
    [bot] = [bot for bot in check(whole, site).ratings[0].bots if bot.bot == "random"]
    edit_row(site, 2, "random", sigma=bot.published.sigma + 0.9 * TOLERANCE)
    assert check(whole, site).findings == []
    edit_row(site, 2, "random", sigma=bot.published.sigma + 1.1 * TOLERANCE)
    assert len(check(whole, site).findings) == 1


def test_shifted_leaderboard_is_found(whole: Path, tmp_path: Path) -> None:
    """One on which neither the mean nor any bot has mu 0."""
    site = publish(whole, tmp_path)
    path = site / "data/leaderboard-bga-2p.json"
    for row in json.loads(path.read_bytes())["rows"]:
        edit_row(site, 2, row["bot"], mu=row["mu"] + 1)
    assert len(check(whole, site).findings) == 3


def test_bot_whose_mu_is_the_mean_of_the_field_is_no_anchor() -> None:
    """Two bots with two wins each: by games in order, the last winner is ahead."""
    played = [result(fixture(("a", "b")), [(1, 2), (1, 2), (2, 1), (2, 1)])]
    checked = check_division(Division("bga", 2), played, 4)
    rows = [PublishedRow(bot=one.bot, games=4, **asdict(one.published)) for one in checked.bots]
    assert [row.mu for row in rows] == [0.0, 0.0]
    assert rows[0].mu_sequential != 0.0
    assert list(compare_ratings([checked], [PublishedLeaderboard("bga", 2, rows)])) == []


def test_report_of_fewer_games_is_named_as_such(whole: Path, tmp_path: Path) -> None:
    site = publish(whole, tmp_path)
    edit_row(site, 2, "honest", games=7)
    [finding] = check(whole, site).findings
    what = "published after 7 games, but 8 are stored: write the report again with arena report"
    assert finding == StoreFinding("bga, 2 players, bot 'honest'", what)


def rename_bot(site: Path) -> None:
    edit_row(site, 2, "honest", bot="another")


def rename_all(site: Path) -> None:
    for bot in ("honest", "memory", "random"):
        edit_row(site, 2, bot, bot=f"Calm {bot}")


def delete_board(site: Path) -> None:
    (site / "data/leaderboard-bga-2p.json").unlink()


def rename_board(site: Path) -> None:
    path = site / "data/leaderboard-bga-2p.json"
    path.write_text(path.read_text().replace('"bga"', '"mine"'))


OTHER_BOARDS: list[tuple[Callable[[Path], None], list[str]]] = [
    (
        rename_bot,
        ["2 players, bot 'another': it played no game", "bot 'honest': it is not on the published"],
    ),
    (rename_all, ["2 players: the published bots have other names"]),
    (delete_board, ["bga, 2 players: no leaderboard of it is published"]),
    (
        rename_board,
        ["bga, 2 players: no leaderboard", "mine, 2 players: its published leaderboard is of no"],
    ),
]


@pytest.mark.parametrize(("change", "expected"), OTHER_BOARDS)
def test_leaderboard_of_another_league_is_found(
    whole: Path, tmp_path: Path, change: Callable[[Path], None], expected: list[str]
) -> None:
    site = publish(whole, tmp_path)
    change(site)
    found = [f"{one.where}: {one.what}" for one in check(whole, site).findings]
    assert len(found) == len(expected)
    assert all(part in line for part, line in zip(expected, found, strict=True))


def test_folder_without_leaderboards_is_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no leaderboard found") as caught:
        check(whole, tmp_path)
    assert caught.value.where == str(tmp_path / "data")


@pytest.mark.parametrize("content", ["", "{}", '{"variant": "bga", "players": 2, "rows": [7]}'])
def test_damaged_leaderboard_is_refused(whole: Path, tmp_path: Path, content: str) -> None:
    path = publish(whole, tmp_path) / "data/leaderboard-bga-2p.json"
    path.write_text(content)
    with pytest.raises(ArenaError, match="the leaderboard cannot be read") as caught:
        check(whole, tmp_path)
    assert caught.value.where == str(path)


def test_disagreement_with_the_package_is_named(whole: Path) -> None:
    with Store(whole) as store:
        [(division, results), _] = by_division(store.results()).items()
    checked = check_division(division, results, 12)
    assert list(checked.mismatches()) == []
    first, *others = checked.bots
    wrong = replace(first, mu=first.package_mu + 2 * TOLERANCE)
    [(where, what)] = replace(checked, bots=[wrong, *others]).mismatches()
    assert where == f"bga, 2 players, bot '{first.bot}'"
    assert what.startswith(f"the arena rates it {wrong.mu:.5f} ± ")


def test_part_of_a_division_is_rated_from_its_first_game(whole: Path) -> None:
    with Store(whole) as store:
        [(division, results), _] = by_division(store.results()).items()
    all_games = check_division(division, results, 12)
    half, none = check_division(division, results, 6), check_division(division, results, 0)
    assert (half.games, half.rated, none.rated) == (12, 6, 0)
    for one in (half, none):
        assert list(one.mismatches()) == []
        assert [bot.published for bot in one.bots] == [bot.published for bot in all_games.bots]
    assert half.bots[0].mu != all_games.bots[0].mu
    assert {(bot.mu, bot.package_mu) for bot in none.bots} == {(25.0, 25.0)}


def test_sample_is_all_games_up_to_the_limit_else_drawn_divisions() -> None:
    games = {Division("bga", players): 100 * players for players in range(2, 7)}
    assert draw_sample(games, "root", limit=2000) == games
    samples = [draw_sample(games, str(seed), limit=900) for seed in range(50)]
    for sample in samples:
        assert list(sample) == list(games)
        assert sum(sample.values()) == 900
        partial = [key for key, count in sample.items() if 0 < count < games[key]]
        assert len(partial) <= 1
    assert draw_sample(games, "7", limit=900) == samples[7]
    assert len({tuple(sample.values()) for sample in samples}) > 5


def test_package_that_is_compiled_says_nothing_of_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [installed] = trueskill.__path__
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(installed, tmp_path / "trueskill", ignore=ignored)
    for name in [name for name in sys.modules if name.partition(".")[0] == "trueskill"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert rate_with_package([["a", "b"]])["a"].mu > 25
    assert sys.modules["trueskill"].__path__ == [str(tmp_path / "trueskill")]
    assert said == []
