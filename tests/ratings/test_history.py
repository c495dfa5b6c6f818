"""The history of ratings: its last point is the leaderboard, its first ones what was known then."""

import pytest

from arena.ratings.games import as_arrays
from arena.ratings.history import POINTS, Point, Then, relative, snapshots, stops, trend
from arena.ratings.leaderboard import rate
from arena.ratings.trueskill import MU, rate_all
from arena.records import FixtureResult, RatingsInfo
from tests.ratings.simulated import game

BOTS = ("ada", "bob", "cyd")


def result(number: int) -> FixtureResult:
    """Every third game is the underdog's."""
    pair = [(0, 1), (1, 2), (2, 0)][number % 3]
    places = (2, 1) if number % 9 == 4 else (1, 2)
    seats = (BOTS[pair[0]], BOTS[pair[1]])
    return game(seats, places, (), number // 6, number // 3, number % 3)


RESULTS = [result(number) for number in range(90)]
ORDERS = as_arrays(RESULTS).orders()


@pytest.mark.parametrize("games", [1, 2, 19, 20, 21, 100, 100_000])
def test_the_points_are_evenly_spaced_and_end_with_the_games(games: int) -> None:
    found = stops(games)
    assert found[-1] == games
    assert len(found) == min(games, POINTS)
    gaps = {after - before for before, after in zip([0, *found], found, strict=False)}
    assert max(gaps) - min(gaps) <= 1


def test_no_games_have_no_history() -> None:
    assert stops(0) == []
    assert relative(snapshots([]), None) == ()


@pytest.mark.parametrize("anchor", [None, "bob", "nobody"])
def test_the_last_point_is_the_leaderboard_s(anchor: str | None) -> None:
    board = rate("bga", 2, RESULTS, RatingsInfo(anchor=anchor)).board
    assert board.history == relative(snapshots(ORDERS), anchor)
    last = board.history[-1]
    assert last.games == len(RESULTS)
    assert set(last.bots) == {row.bot for row in board.rows}
    for row in board.rows:
        then = last.bots[row.bot]
        assert (then.mu, then.sigma) == pytest.approx((row.mu, row.sigma))
        assert then.games == row.games


def test_a_point_is_what_the_games_up_to_it_say() -> None:
    for point in relative(snapshots(ORDERS), None):
        skill = rate_all(ORDERS[: point.games])
        mean = sum(rating.mu for rating in skill.values()) / len(skill)
        assert set(point.bots) == set(skill)
        for bot, then in point.bots.items():
            assert then.mu == pytest.approx(skill[bot].mu - mean)
            assert then.sigma == pytest.approx(skill[bot].sigma)
            assert then.games == sum(bot in order for order in ORDERS[: point.games])


def test_an_anchor_that_comes_later_stands_where_all_begin() -> None:
    late = [game(("ada", "bob"), (1, 2), fixture=n) for n in range(5)]
    late.append(game(("ada", "cyd"), (1, 2), number=1))
    orders = as_arrays(late).orders()
    first, *_, last = relative(snapshots(orders), "cyd")
    skill = rate_all([["ada", "bob"]])
    assert first.bots["ada"].mu == pytest.approx(skill["ada"].mu - MU)
    assert "cyd" not in first.bots
    assert last.bots["cyd"].mu == 0


def course(*mus: float | None) -> list[Point]:
    return [
        Point(games, {} if mu is None else {"ada": Then(mu, 1.0, games)})
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
    assert trend(course(*mus), "ada") == change
    assert trend(course(*mus), "bob") is None
