"""What ratings keep of each game while they are made."""

import tracemalloc
from array import array

import numpy as np
import pytest
from msgspec.structs import replace

from arena.game.records import Division, FixtureResult
from arena.ratings import leaderboard_rows
from arena.ratings.league_ratings import rate_results
from arena.ratings.maths import arrays
from arena.ratings.model import posterior
from arena.ratings.model.games import as_arrays
from arena.ratings.model.head_to_head import probabilities, scores
from tests.support.depth import depth
from tests.support.simulated_leagues import Shape, play, play_with_luck
from tests.support.twists import with_faults

SKILLS = np.linspace(3.0, -3.0, 8)


def peak(played: list[FixtureResult], players: int = 6) -> int:
    """Return how many bytes rating takes at most."""
    tracemalloc.start()
    try:
        rate_results({Division("bga", players): played})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_game_at_a_table_of_six_takes_little_memory_to_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "CHUNK", 64)
    monkeypatch.setattr(leaderboard_rows, "POINTS", 2)
    monkeypatch.setattr(posterior, "_KEPT", 0)  # beyond it nothing is kept for the next step
    rng = np.random.default_rng(1)
    shapes = [Shape(8, 6, games) for games in depth((4, 12), (10, 40))]
    few, many = [with_faults(play(shape, SKILLS, rng), rng) for shape in shapes]
    more = sum(len(one.games) for one in many) - sum(len(one.games) for one in few)
    peak(few)  # imports what is imported late
    # Two factors between neighbours for this solution and the one that is found from it.
    assert (peak(many) - peak(few)) / more < 300


@pytest.mark.slow
def test_luck_takes_next_to_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "CHUNK", 64)
    monkeypatch.setattr(leaderboard_rows, "POINTS", 2)
    shape = Shape(8, 2, depth(60, 200))
    played = play_with_luck(shape, SKILLS, np.random.default_rng(1), 0.4)
    packed = [replace(one, luck=array("i", one.luck)) for one in played]
    without = [replace(one, luck=()) for one in played]
    peak(without, 2)
    games = sum(len(one.games) for one in played)
    assert (peak(packed, 2) - peak(without, 2)) / games < 12


@pytest.mark.slow
def test_values_of_pairs_take_little_more_memory_than_their_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "CHUNK", 1024)
    mu = np.linspace(3.0, -3.0, 400)
    for values in (probabilities, scores):
        tracemalloc.start()
        try:
            matrix = values(mu)
            assert tracemalloc.get_traced_memory()[1] < 2 * matrix.nbytes
        finally:
            tracemalloc.stop()


def test_the_first_games_are_parts_of_all() -> None:
    games = as_arrays(play(Shape(8, 2, 2), SKILLS, np.random.default_rng(1)))
    first = games.first(20)
    assert len(first.order) == 20
    for name in ("order", "faulted", "game"):
        assert np.shares_memory(getattr(first, name), getattr(games, name))
