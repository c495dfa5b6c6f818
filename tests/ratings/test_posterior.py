"""The posterior of all games at once: it is the model's, and the order of games does not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.io.job import in_copy
from arena.ratings.maths import arrays
from arena.ratings.maths.t_distribution import normal_cdf
from arena.ratings.model.games import Games, as_arrays
from arena.ratings.model.posterior import Posterior, distinct, posterior
from arena.ratings.model.trueskill import BETA, SIGMA
from tests.ratings.simulated import game, league
from tests.support.depth import depth
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape

each_league = settings(max_examples=depth(10, 40), deadline=None, database=None)

SEQUENTIAL_APART = 1.0
"""TrueSkill's usual pass is at most so many sigma off for each bot, relative to the field."""
SEQUENTIAL_APART_ON_AVERAGE = 0.35

shapes = st.sampled_from([Shape(3, 2, 4), Shape(7, 2, 1), Shape(5, 3, 2), Shape(7, 6, 3, 2)])


def solved(games: Games) -> Posterior:
    return posterior(distinct(games))


def simulated(shape: Shape, seed: int) -> Games:
    return as_arrays(league(shape, seed))


def duels(wins: int, losses: int) -> Games:
    places = [(1, 2)] * wins + [(2, 1)] * losses
    return as_arrays([game(("a", "b"), one, number=n) for n, one in enumerate(places)])


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (3, 1), (8, 0), (5, 5), (30, 10)])
def test_two_bots_have_the_exact_posterior(wins: int, losses: int) -> None:
    skills = solved(duels(wins, losses))
    difference = np.linspace(-60, 60, 40_001)
    log_density = wins * np.log(normal_cdf(difference / (2**0.5 * BETA)))
    log_density += losses * np.log(normal_cdf(-difference / (2**0.5 * BETA)))
    density = np.exp(log_density - log_density.max() - (difference / SIGMA) ** 2 / 4)
    mean = float((difference * density).sum() / density.sum())
    error = float((((difference - mean) ** 2 * density).sum() / density.sum()) ** 0.5)
    covariance = skills.covariance
    assert skills.mu[0] - skills.mu[1] == pytest.approx(mean, abs=0.03 * error)
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    # A posterior that only wins bound is skew, and wider than the approximation.
    assert spread**0.5 == pytest.approx(error, rel=0.03 if losses else 0.15)


def test_another_process_that_refines_half_of_the_factors_changes_no_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrays, "CHUNK", 10)
    results = distinct(simulated(Shape(7, 6, 3, 2), 5))
    alone, halved = posterior(results), posterior(results, beside=in_copy)
    assert results.size > 20
    for one, other in (
        (alone.mu, halved.mu),
        (alone.covariance, halved.covariance),
        (alone.factors.precision, halved.factors.precision),
        (alone.factors.shift, halved.factors.shift),
    ):
        assert np.array_equal(one, other)


@pytest.mark.slow
def test_three_bots_have_the_exact_posterior() -> None:
    """By importance sampling from the prior: who came first and last at a table of three."""
    orders = [("a", "b", "c"), ("a", "c", "b"), ("b", "a", "c"), ("a", "b", "c")]
    games = as_arrays([game(bots, (1, 2, 3), number=n) for n, bots in enumerate(orders)])
    rng = np.random.default_rng(1)
    skills = rng.normal(0, SIGMA, (depth(100_000, 400_000), 3))
    weight = np.ones(len(skills))
    for bots in orders:
        # The chance of an order is that of the first, times that of the rest given the first.
        columns = skills[:, ["abc".index(bot) for bot in bots]]
        noise = rng.normal(0, BETA, (8, *columns.shape))
        performances = columns + noise
        weight *= ((performances[:, :, :-1] > performances[:, :, 1:]).all(2)).mean(0)
    mean = (weight[:, None] * skills).sum(0) / weight.sum()
    found = solved(games)
    errors = np.sqrt(found.covariance.diagonal())
    assert np.abs((found.mu - mean) / errors).max() < 0.05


@each_league
@given(shapes, st.integers(0, 1000))
def test_scores_and_information_add_up_to_the_posterior(shape: Shape, seed: int) -> None:
    games = simulated(shape, seed)
    skills = solved(games)
    scores = np.bincount(games.order.ravel(), skills.scores().ravel(), games.size)
    assert scores == pytest.approx(skills.mu / SIGMA**2, abs=1e-6)
    assert skills.scores().sum(1) == pytest.approx(0, abs=1e-9)
    precision = sum(skills.information(games.block), np.eye(games.size) / SIGMA**2)
    assert np.linalg.inv(precision) == pytest.approx(skills.covariance, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("seed", range(depth(1, 3)))
def test_sequential_pass_is_roughly_the_posterior(players: int, seed: int) -> None:
    rows = rated_board("bga", players, league(Shape(8, players, 12), seed)).rows
    apart = [abs(row.mu - row.mu_sequential) / row.sigma for row in rows]
    assert max(apart) <= SEQUENTIAL_APART
    assert sum(apart) / len(apart) <= SEQUENTIAL_APART_ON_AVERAGE


@pytest.mark.slow
def test_bot_that_never_wins_has_a_finite_skill() -> None:
    skills = solved(duels(depth(5_000, 100_000), 0))
    assert 10 < skills.mu[0] - skills.mu[1] < 60
