"""Ratings without luck: the same on average, closer to the truth, and surer of it."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.maths.arrays import Floats
from arena.ratings.variance.luck import MIN_GAMES
from tests.support.depth import depth
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape, name, play_with_luck

SKILLS = np.array([3.0, 1.0, 0.0, 0.0, -1.0, -3.0])
SHAPE = Shape(len(SKILLS), 2, 10)
RAW = ("games", "wins", "mean_place", "place_low", "place_high", "faults", "sigma", "mu_sequential")
"""What luck is not taken out of."""


def league(seed: int, shape: Shape = SHAPE, share: float = 0.4) -> list[FixtureResult]:
    return play_with_luck(shape, SKILLS, np.random.default_rng(seed), share)


def without(played: Sequence[FixtureResult]) -> list[FixtureResult]:
    """Return results whose luck is not known."""
    return [replace(one, luck=()) for one in played]


def board(played: Sequence[FixtureResult]) -> Leaderboard:
    return rated_board("bga", 2, played)


def errors(found: Leaderboard) -> Floats:
    mu = {row.bot: row.mu for row in found.rows}
    return np.array([mu[name(bot)] - skill for bot, skill in enumerate(SKILLS)])


@pytest.mark.slow
def test_mu_is_closer_to_the_truth_without_luck_and_its_intervals_shorter_but_right() -> None:
    squares, widths, hits, leagues = [], [], 0, depth(12, 40)
    for seed in range(leagues):
        played = league(seed, share=0.6)
        boards = board(played), board(without(played))
        squares.append([np.square(errors(one)).mean() for one in boards])
        widths.append([np.mean([width(row) for row in one.rows]) for one in boards])
        hits += sum(map(holds_truth, boards[0].rows))
    better, raw = np.median(squares, 0)  # a bot that hardly ever wins is far off in some leagues
    assert better < 0.8 * raw
    shorter, long = np.mean(widths, 0)
    assert shorter < 0.92 * long
    assert 0.91 < hits / (leagues * SHAPE.bots) < 0.99


def width(row: LeaderboardRow) -> float:
    assert row.low is not None
    assert row.high is not None
    return row.high - row.low


def holds_truth(row: LeaderboardRow) -> bool:
    assert row.low is not None
    assert row.high is not None
    return bool(row.low <= SKILLS[int(row.bot.removeprefix("bot"))] <= row.high)


def test_counts_of_what_happened_stay_as_they_are() -> None:
    played = league(1)
    rows = {row.bot: row for row in board(without(played)).rows}
    for row in board(played).rows:
        assert [getattr(row, one) for one in RAW] == [getattr(rows[row.bot], one) for one in RAW]
        assert row.mu != rows[row.bot].mu
    assert dict(board(played).duels) == dict(board(without(played)).duels)


def test_the_slope_is_that_of_even_bots() -> None:
    # Of a result that is above 0, and whose variance is luck's to 40 %.
    even = play_with_luck(SHAPE._replace(games=400), 0 * SKILLS, np.random.default_rng(1), 0.4)
    expected = (0.4 / (2 * np.pi)) ** 0.5 / 0.4
    assert board(even).luck_slope == pytest.approx(expected, abs=0.05)


def test_luck_that_does_not_matter_changes_next_to_nothing() -> None:
    played = league(2, SHAPE._replace(games=200), share=0.0)
    found = board(played)
    assert found.luck_slope == pytest.approx(0, abs=0.03)
    assert errors(found) == pytest.approx(errors(board(without(played))), abs=0.02)


def test_a_row_says_how_lucky_the_bot_was() -> None:
    played = league(3)
    for row in board(played).rows:
        lucks = [
            (1, -1)[one.fixture.seats.index(row.bot)] * luck
            for one in played
            if row.bot in one.fixture.seats
            for luck in one.luck
        ]
        assert row.luck == pytest.approx(np.mean(lucks) / 1000)


def test_the_order_of_fixtures_moves_nothing() -> None:
    played = league(4)
    shuffled = list(played)
    Random(1).shuffle(shuffled)
    assert board(shuffled) == board(played)


def test_the_history_ends_with_the_leaderboard() -> None:
    found = board(league(5))
    last = {bot: rating.mu for bot, rating in found.history[-1].bots.items()}
    assert last == pytest.approx({row.bot: row.mu for row in found.rows})


@pytest.mark.slow
def test_a_shift_is_that_of_rating_again() -> None:
    played = league(6, SHAPE._replace(games=depth(20, 40)))
    for row in board(played).rows:
        rest = [one for one in played if row.shift_without not in one.fixture.seats]
        mu = {other.bot: other.mu for other in board(rest).rows}
        others = [one.mu for one in board(played).rows if one.bot in mu]
        assert row.shift == pytest.approx(mu[row.bot] - (row.mu - np.mean(others)), abs=0.1)


def test_luck_stays_in_ratings_of_few_games() -> None:
    few = league(7, SHAPE._replace(games=(MIN_GAMES - 1) // 30))
    assert board(few) == board(without(few))
    assert board(few).luck_slope is None


def test_luck_stays_in_ratings_if_that_of_some_games_is_not_known() -> None:
    played = league(8)
    some = [*without(played[:1]), *played[1:]]
    assert board(some) == board(without(played))


def test_dice_that_are_even_every_time_change_nothing() -> None:
    even = [replace(one, luck=[0] * len(one.games)) for one in league(9)]
    assert board(even) == board(without(even))
