"""95 % intervals hold the truth about as often as they say; `tests/bench/coverage.py` measures."""

from collections import Counter

import numpy as np
import pytest

from arena.ratings.leaderboard import rate
from tests.bench.coverage import held
from tests.bench.leagues import Shape, play, tables

LEAGUES = 40


@pytest.mark.parametrize("shape", [Shape(8, 2, 8), Shape(8, 4, 3), Shape(8, 6, 2)])
@pytest.mark.parametrize("shared", [0.0, 0.3])
def test_intervals_cover(shape: Shape, shared: float) -> None:
    shape = shape._replace(shared=shared)
    rng, schedule = np.random.default_rng(7), tables(shape)
    hits: Counter[str] = Counter()
    for _ in range(LEAGUES):
        skills = rng.normal(size=shape.bots) * 2.0
        board = rate("bga", shape.players, play(shape, skills, rng, schedule=schedule)).board
        hits.update(held(board, skills, schedule))
    # Three standard errors of so few leagues are 4 points.
    assert 0.91 <= hits["mu"] / (LEAGUES * shape.bots) <= 0.99
    assert 0.91 <= hits["place"] / (LEAGUES * shape.bots) <= 0.99
    assert hits["rank"] / (LEAGUES * shape.bots) >= 0.95
