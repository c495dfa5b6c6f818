"""The overall table: of several divisions or if the league asks for it, and as it is defined."""

import pytest

from arena.game.records import Division, RatingsInfo
from arena.ratings.leaderboard_rows import Overall
from arena.ratings.league_ratings import rate_results
from tests.ratings.simulated import league
from tests.support.simulated_leagues import Shape

RESULTS = {
    Division("bga", 2): league(Shape(8, 2, 5)),
    Division("italian", 4): league(Shape(8, 4, 3), 2),
}


def overall() -> Overall:
    found = rate_results(RESULTS, RatingsInfo(overall=True)).overall
    assert found is not None
    return found


def test_overall_table_is_there_unless_the_league_wants_none() -> None:
    assert rate_results(RESULTS).overall == overall()
    assert rate_results(RESULTS, RatingsInfo(overall=False)).overall is None


def test_score_is_the_mean_share_of_rivals_behind() -> None:
    found = overall()
    boards = rate_results(RESULTS).boards
    assert found.tables == (("bga", 2), ("italian", 4))
    for row in found.rows:
        shares = [
            (board.players - line.mean_place) / (board.players - 1)
            for board in boards
            for line in board.rows
            if line.bot == row.bot
        ]
        assert row.score == pytest.approx(sum(shares) / 2)
        assert row.low < row.score < row.high
    assert sum(row.score for row in found.rows) / 8 == pytest.approx(0.5)


def test_rank_ranges_contain_the_rank_and_more_tables_narrow_intervals() -> None:
    rows = overall().rows
    one = rate_results(
        {Division("bga", 2): RESULTS[Division("bga", 2)]}, RatingsInfo(overall=True)
    ).overall
    assert one is not None
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    assert all(row.best <= rank <= row.worst for rank, row in enumerate(rows, 1))
    assert sum(row.high - row.low for row in rows) < sum(row.high - row.low for row in one.rows)


def test_bot_missing_from_a_table_is_listed_as_absent() -> None:
    smaller = {**RESULTS, Division("italian", 4): league(Shape(7, 4, 3), 2)}
    found = rate_results(smaller, RatingsInfo(overall=True)).overall
    assert found is not None
    assert found.absent == ("bot07",)
    assert {row.bot for row in found.rows} == {f"bot{n:02}" for n in range(7)}
