"""The order-free fit: it has the maximum, and TrueSkill in canonical order agrees with it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.arrays import Floats
from arena.ratings.leaderboard import rate
from arena.ratings.t_distribution import normal_cdf
from arena.ratings.thurstone import fit
from arena.ratings.trueskill import BETA, SIGMA
from tests.bench.leagues import Shape
from tests.ratings.simulated import league
from tests.support.depth import depth

each_set = settings(max_examples=depth(20, 60), deadline=None, database=None)

APART = 1.0
"""TrueSkill and the fit are at most so many sigma apart for each bot, relative to the field."""
APART_ON_AVERAGE = 0.35


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_trueskill_and_the_order_free_fit_agree(players: int, seed: int) -> None:
    rows = rate("bga", players, league(Shape(8, players, 12), seed)).board.rows
    apart = [abs(row.mu - row.batch_mu) / row.sigma for row in rows]
    assert max(apart) <= APART
    assert sum(apart) / len(apart) <= APART_ON_AVERAGE


def likelihood(ahead: Floats, mu: Floats) -> float:
    """Return the log-likelihood that the fit maximises, term by term."""
    total = -float((mu**2).sum()) / (2 * SIGMA**2)
    for i in range(len(mu)):
        for j in range(len(mu)):
            if ahead[i, j]:
                total += ahead[i, j] * np.log(normal_cdf((mu[i] - mu[j]) / (2**0.5 * BETA)))
    return float(total)


counts = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.integers(0, 40), min_size=n * n, max_size=n * n).map(
        lambda flat: np.array(flat, float).reshape(n, n) * (1 - np.eye(n))
    )
)


@each_set
@given(counts, st.integers(0, 4), st.sampled_from([-0.2, 0.2]))
def test_fitted_skills_are_the_most_likely(ahead: Floats, bot: int, step: float) -> None:
    found = fit(ahead)
    moved = found.mu.copy()
    moved[bot % len(moved)] += step
    assert likelihood(ahead, found.mu) > likelihood(ahead, moved)
    assert float(found.mu.mean()) == pytest.approx(0, abs=1e-6)


def test_a_bot_that_never_wins_has_a_finite_skill() -> None:
    found = fit(np.array([[0.0, 1e5], [0.0, 0.0]]))
    assert 10 < found.mu[0] - found.mu[1] < 60
