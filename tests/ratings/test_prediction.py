"""What ratings predict: the probability of finishing ahead, and upsets."""

import pytest

from arena.ratings.leaderboard_rows import LeaderboardRow
from arena.ratings.league_ratings import upsets, win_probability
from tests.support.ratings import leaderboard_row


def row(bot: str, mu: float, sigma: float = 1.0) -> LeaderboardRow:
    return leaderboard_row(bot, mu, sigma)


def test_upset_is_a_winner_who_was_unlikely_to_beat_the_best_rival() -> None:
    rows = {"a": row("a", 9.0), "b": row("b", 0.0), "c": row("c", -0.5)}
    assert upsets(("a", "b"), rows) == [False, True]
    assert upsets(("b", "c"), rows) == [False, False]
    assert upsets(("b", "c", "a"), rows)[0]


def test_games_with_an_unrated_bot_have_no_upsets() -> None:
    assert upsets(("a", "unrated"), {"a": row("a", 9.0)}) == [False, False]


def test_win_probability_allows_for_noise_and_uncertainty() -> None:
    assert win_probability(row("a", 1.0), row("b", 1.0)) == pytest.approx(0.5)
    ahead = win_probability(row("a", 2.0, 3.0), row("b", 0.0, 4.0))
    assert ahead == pytest.approx(0.6021, abs=1e-4)
    assert ahead + win_probability(row("b", 0.0, 4.0), row("a", 2.0, 3.0)) == pytest.approx(1)
