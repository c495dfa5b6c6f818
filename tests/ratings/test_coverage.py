"""95 % intervals contain the truth about 95 % of the time; `benchmarks/coverage.py` measures."""

from collections import Counter

import numpy as np
import pytest

from tests.support.depth import depth
from tests.support.interval_truth import by_formula, covering
from tests.support.ratings import rated_board
from tests.support.sampling import paired
from tests.support.simulated_leagues import Shape, play, tables

LEAGUES = depth(12, 40)
SHAPES = [Shape(8, 2, 8), Shape(8, 4, 3), Shape(8, 6, 2)]
MARGIN = 0.04 * (40 / LEAGUES) ** 0.5
"""Three standard errors of so few leagues."""


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "shared"), paired(SHAPES, [0.0, 0.3], "coverage"))
def test_intervals_have_their_nominal_coverage(shape: Shape, shared: float) -> None:
    shape = shape._replace(shared=shared)
    rng, schedule = np.random.default_rng(7), tables(shape)
    hits: Counter[str] = Counter()
    for _ in range(LEAGUES):
        skills = rng.normal(size=shape.bots) * 2.0
        board = rated_board("bga", shape.players, play(shape, skills, rng, schedule=schedule))
        hits.update(kind for kind, _ in covering(board, by_formula(skills, schedule)))
    intervals = LEAGUES * shape.bots
    assert hits["mu"] / intervals == pytest.approx(0.95, abs=MARGIN)
    assert hits["place"] / intervals == pytest.approx(0.95, abs=MARGIN)
    assert hits["rank"] / intervals >= 0.95
