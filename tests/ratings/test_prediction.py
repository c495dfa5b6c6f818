"""What ratings predict: the probability of finishing ahead, and upsets."""

from collections.abc import Sequence

import pytest

from arena.ratings.leaderboard_rows import LeaderboardRow
from arena.ratings.league_ratings import Favourites, win_probability
from tests.support import records
from tests.support.ratings import board, leaderboard_row


def row(bot: str, mu: float, sigma: float = 1.0) -> LeaderboardRow:
    return leaderboard_row(bot, mu, sigma)


def upsets(*seats: str, rated: Sequence[LeaderboardRow], players: int = 0) -> list[bool]:
    expected = Favourites([board(*rated, players=players or len(seats))])
    return expected.upsets(records.fixture(seats, 1))


def test_upset_is_a_winner_who_was_unlikely_to_beat_the_best_rival() -> None:
    rows = [row("a", 9.0), row("b", 0.0), row("c", -0.5)]
    assert upsets("a", "b", rated=rows) == [False, True]
    assert upsets("b", "c", rated=rows) == [False, False]
    assert upsets("b", "c", "a", rated=rows)[0]


def test_upsets_are_by_the_ratings_of_that_table() -> None:
    rows = [row("a", 9.0), row("b", 0.0)]
    assert upsets("a", "b", rated=rows, players=3) == [False, False]


def test_games_with_an_unrated_bot_have_no_upsets() -> None:
    assert upsets("a", "unrated", rated=[row("a", 9.0)]) == [False, False]


def test_win_probability_allows_for_noise_and_uncertainty() -> None:
    assert win_probability(row("a", 1.0), row("b", 1.0)) == pytest.approx(0.5)
    ahead = win_probability(row("a", 2.0, 3.0), row("b", 0.0, 4.0))
    assert ahead == pytest.approx(0.6021, abs=1e-4)
    assert ahead + win_probability(row("b", 0.0, 4.0), row("a", 2.0, 3.0)) == pytest.approx(1)
