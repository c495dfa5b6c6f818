"""The report of a store whose oldest logs were pruned."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.game.rules.books import VARIANTS
from arena.league.keeping.prune import Plan, remove
from arena.league.store.store import Store
from arena.playstats.luck import rated_luck
from arena.publish.replays import ReplayChoice
from arena.publish.stored.cache import cache_path
from arena.publish.stored.stored_games import stored_games
from arena.ratings.leaderboard_rows import LeaderboardRow
from arena.ratings.league_ratings import by_division, rate_results
from tests.publish.pages import broken_links
from tests.publish.stored import LEAGUE, PLAYED, begun, report

BGA = VARIANTS["bga"]


def pruned(path: Path, number: int) -> Path:
    """Prune the logs of so many fixtures."""
    with Store(path, create=True) as store:
        remove(store, Plan([], list(range(number)), 0, 0))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return begun(tmp_path / "league.sqlite", PLAYED)


def leaderboard(site: Path) -> object:
    return json.loads((site / "data/leaderboard-bga-2p.json").read_bytes())


def replays(site: Path) -> set[str]:
    return {path.name for path in (site / "replays").glob("*.js")}


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["all", 50])
@pytest.mark.parametrize("cached", [True, False])
def test_pages_leave_out_replays_of_pruned_games_and_say_so(
    store: Path, tmp_path: Path, choice: ReplayChoice, *, cached: bool
) -> None:
    site = tmp_path / "site"
    report(store, site, choice)
    before, shown = leaderboard(site), replays(site)
    assert "were pruned" not in (site / "fixtures.html").read_text()
    pruned(store, 4)
    if not cached:
        cache_path(store).unlink()
    report(store, site, choice)
    assert leaderboard(site) == before
    assert replays(site) == {name for name in shown if name.partition("-")[0] in "45"}
    assert broken_links(site) == []
    assert (
        "The games of 4 fixtures cannot be watched any more" in (site / "fixtures.html").read_text()
    )
    about = " ".join((site / "conditions.html").read_text().split())
    assert "Fixtures whose logs were pruned</dt><dd>4:" in about


@pytest.mark.slow
def test_report_of_a_store_without_any_logs(store: Path, tmp_path: Path) -> None:
    report(pruned(store, 6), tmp_path / "site", "all")
    assert not (tmp_path / "site/replays").exists()
    assert broken_links(tmp_path / "site") == []


def test_ratings_without_luck_are_those_of_the_whole_store(store: Path) -> None:
    def found() -> tuple[list[list[int]], Sequence[LeaderboardRow]]:
        with Store(store) as opened, stored_games(opened, LEAGUE, lambda _: True) as source:
            results = source.results
        [board] = rate_results(by_division(results), LEAGUE.ratings).boards
        return [list(one.luck) for one in results], board.rows

    before = found()
    assert before[0] == [list(rated_luck(one, BGA)) for one in PLAYED]
    pruned(store, 5)
    cache_path(store).unlink()
    assert found() == before


def test_summaries_of_before_are_used_on(store: Path) -> None:
    with Store(store) as opened, stored_games(opened, LEAGUE, lambda _: True) as source:
        before = source.summary
    pruned(store, 6)
    with Store(store) as opened, stored_games(opened, LEAGUE, lambda _: True) as source:
        assert source.summary == before
        assert source.without_logs == {*range(6)}
