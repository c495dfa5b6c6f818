"""The history of ratings: each point rates the games up to it, the last is the leaderboard."""

from itertools import pairwise

import pytest

from arena.game.records import FixtureResult, RatingsInfo
from arena.ratings.leaderboard_rows import POINTS, PastRating, Point, checkpoints, relative, trend
from tests.ratings.simulated import game
from tests.support.ratings import rated_board

BOTS = ("ada", "bob", "cyd")


def result(number: int) -> FixtureResult:
    """Every third game is the underdog's."""
    pair = [(0, 1), (1, 2), (2, 0)][number % 3]
    places = (2, 1) if number % 9 == 4 else (1, 2)
    seats = (BOTS[pair[0]], BOTS[pair[1]])
    return game(seats, places, (), number // 6, number, number % 3)


RESULTS = list(map(result, range(90)))
"""In the order of the schedule, so that the first ones are the first of the history."""


@pytest.mark.parametrize("games", [1, 2, 19, 20, 21, 40, 41, 100, 100_000])
def test_checkpoints_are_evenly_spaced_and_end_with_the_last_game(games: int) -> None:
    stops = checkpoints(games)
    assert stops[-1] == games
    assert min(games, POINTS // 2) <= len(stops) <= POINTS
    *gaps, last = (after - before for before, after in pairwise([0, *stops]))
    assert len(set(gaps)) <= 1
    assert 0 < last <= max(gaps, default=last)


@pytest.mark.parametrize("games", [1, 19, 40, 63, 100_000])
def test_checkpoints_but_the_last_stay_or_every_other_does(games: int) -> None:
    before, after = checkpoints(games)[:-1], checkpoints(games + 1)[:-1]
    assert set(after) <= {*before, games}
    assert len(after) >= len(before) // 2


def test_no_games_have_no_history() -> None:
    assert checkpoints(0) == []
    assert relative((), None) == []


@pytest.mark.parametrize("anchor", [None, "bob", "nobody"])
def test_last_point_equals_the_leaderboard(anchor: str | None) -> None:
    board = rated_board("bga", 2, RESULTS, RatingsInfo(anchor=anchor))
    last = board.history[-1]
    assert last.games == len(RESULTS)
    assert set(last.bots) == {row.bot for row in board.rows}
    for row in board.rows:
        past = last.bots[row.bot]
        assert (past.mu, past.sigma) == pytest.approx((row.mu, row.sigma))
        assert past.games == row.games


@pytest.mark.slow
def test_point_rates_the_games_up_to_it() -> None:
    for point in rated_board("bga", 2, RESULTS).history:
        board = rated_board("bga", 2, RESULTS[: point.games])
        assert set(point.bots) == {row.bot for row in board.rows}
        for row in board.rows:
            past = point.bots[row.bot]
            assert past.mu == pytest.approx(row.mu, abs=0.02 * row.sigma)
            assert past.sigma == pytest.approx(row.sigma, rel=0.02)
            assert past.games == row.games


def test_anchor_that_has_not_played_yet_has_the_initial_rating() -> None:
    late = [game(("ada", "bob"), (1, 2), fixture=n) for n in range(5)]
    late.append(game(("ada", "cyd"), (1, 2), number=1))
    first, *_, last = rated_board("bga", 2, late, RatingsInfo(anchor="cyd")).history
    [row, _] = rated_board("bga", 2, late[:1]).rows
    assert first.bots["ada"].mu == pytest.approx(row.mu, abs=0.02 * row.sigma)
    assert "cyd" not in first.bots
    assert last.bots["cyd"].mu == 0


def points(*mus: float | None) -> list[Point]:
    return [
        Point(games, {} if mu is None else {"ada": PastRating(mu, 1.0, games)})
        for games, mu in enumerate(mus, 1)
    ]


@pytest.mark.parametrize(
    ("mus", "change"),
    [
        ((), None),
        ((1.0, 2.0), None),
        ((1.0, 2.0, 5.0), 3.0),
        ((0.0, 0.0, 1.0, 4.0, 4.0, 2.0), -2.0),
        ((None, None, None, 1.0, 1.0, 2.0), 1.0),
        ((None, None, None, None, 1.0, 2.0), None),
    ],
)
def test_a_trend_is_the_change_over_the_last_third(
    mus: tuple[float | None, ...], change: float | None
) -> None:
    assert trend(points(*mus), "ada") == change
    assert trend(points(*mus), "bob") is None
