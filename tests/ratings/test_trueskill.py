"""TrueSkill agrees with the trueskill package; effects of tau = 0 and of the order of games."""

from collections.abc import Sequence

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.model.trueskill import BETA, MU, SIGMA, Rating, rate_all
from tests.support.depth import depth

each_set = settings(max_examples=depth(20, 60), deadline=None, database=None)

TOLERANCE = 1e-5
"""The largest difference in mu after a few games: the package stops its sweeps early."""

PACKAGE = trueskill.TrueSkill(mu=25.0, sigma=25 / 3, beta=25 / 6, tau=0.0, draw_probability=0.0)


def by_package(orders: Sequence[Sequence[str]]) -> dict[str, trueskill.Rating]:
    """Rate games, given in finishing order, with the package alone."""
    skill: dict[str, trueskill.Rating] = {}
    for order in orders:
        teams = [{bot: skill.get(bot, PACKAGE.create_rating())} for bot in order]
        for team in PACKAGE.rate(teams):
            skill.update(team)
    return skill


orders = st.integers(2, 6).flatmap(
    lambda players: st.lists(
        st.permutations("abcdefgh").map(lambda names: names[:players]), min_size=1, max_size=12
    )
)
ratings = st.builds(Rating, st.floats(5, 45), st.floats(0.3, SIGMA))


@each_set
@given(orders)
def test_games_are_rated_as_the_package_does(games: list[list[str]]) -> None:
    ours, theirs = rate_all(games), by_package(games)
    assert set(ours) == set(theirs)
    for bot, rating in ours.items():
        assert rating.mu == pytest.approx(theirs[bot].mu, abs=TOLERANCE)
        assert rating.sigma == pytest.approx(theirs[bot].sigma, abs=TOLERANCE)


@each_set
@given(st.lists(ratings, min_size=2, max_size=6))
def test_one_game_of_any_bots_is_rated_as_the_package_does(before: list[Rating]) -> None:
    groups = [(PACKAGE.create_rating(*rating),) for rating in before]
    start = {str(place): rating for place, rating in enumerate(before)}
    after = rate_all([list(start)], start).values()
    for ours, (theirs,) in zip(after, PACKAGE.rate(groups), strict=True):
        assert ours.mu == pytest.approx(theirs.mu, abs=TOLERANCE)
        assert ours.sigma == pytest.approx(theirs.sigma, abs=TOLERANCE)


def test_defaults_are_those_of_the_package() -> None:
    assert (PACKAGE.mu, PACKAGE.sigma, PACKAGE.beta) == (MU, SIGMA, BETA)


def test_sigma_only_shrinks() -> None:
    # tau = 0: bots that do not change are never doubted anew.
    sigmas = [rate_all([("a", "b")] * n)["a"].sigma for n in range(1, 41)]
    assert sigmas == sorted(sigmas, reverse=True)
    assert sigmas[0] < SIGMA


def test_order_of_games_matters_to_trueskill() -> None:
    # Else it would prove nothing that leaderboards do not depend on it.
    games = [("a", "b"), ("b", "c"), ("c", "a")]
    assert rate_all(games) != rate_all(games[::-1])
