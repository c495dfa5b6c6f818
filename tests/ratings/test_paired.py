"""Two versions compared by pairs of tables, opponent by opponent: intervals that hold."""

from math import inf

import numpy as np
import pytest

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.maths.t_distribution import normal_cdf, t_cdf, t_quantile
from arena.ratings.two_versions import Grain, Paired, clear, paired, planned_looks, tails
from tests.support.depth import depth

TABLE = {1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 30: 2.0423, 120: 1.9799}
"""The t below which 97.5 % lie, by degrees of freedom, from the tables."""
MANY = Grain(1e12, most=inf)
"""So many games that nothing but the scatter between tables matters."""


@pytest.mark.parametrize(("freedom", "t"), TABLE.items())
def test_t_cdf_agrees_with_published_tables(freedom: int, t: float) -> None:
    assert t_cdf(t, freedom) == pytest.approx(0.975, abs=1e-5)
    assert t_cdf(-t, freedom) == pytest.approx(0.025, abs=1e-5)
    assert t_cdf(0, freedom) == 0.5
    assert (t_cdf(-inf, freedom), t_cdf(inf, freedom)) == pytest.approx((0, 1))


def column(*values: float) -> Floats:
    """Return the figures of blocks against one opponent."""
    return as_floats(values)[:, None]


def test_one_opponent_is_a_paired_t_test() -> None:
    found = paired(column(1, 2, 3), column(2, 2, 5), MANY)
    assert (found.old, found.new, found.difference) == (2, 3, 1)
    # The differences 1, 0, 2 have standard deviation 1, so the mean's error is 1/sqrt(3).
    assert found.high - 1 == pytest.approx(4.30265 / 3**0.5, abs=1e-4)
    assert 1 - found.low == pytest.approx(found.high - 1)
    assert found.above == pytest.approx(t_cdf(3**0.5, 2))


def test_differences_between_opponents_are_no_error() -> None:
    old = as_floats([[1.5, 1.2], [1.6, 1.1], [1.4, 1.3]])
    one = paired(old, old + as_floats([[0.1, 0.2], [0.2, 0.1], [0.3, 0.3]]), MANY)
    other = paired(old, old + as_floats([[1.1, -0.8], [1.2, -0.9], [1.3, -0.7]]), MANY)
    assert one.difference == pytest.approx(other.difference)
    assert one.high == pytest.approx(other.high)


def test_opponent_that_alone_varies_has_its_own_degrees_of_freedom() -> None:
    still = np.zeros((3, 9))
    found = paired(still, np.hstack([column(0.1, 0.2, 0.3), still[:, 1:]]), MANY)
    error = 0.1 / 3**0.5 / 9
    assert found.high - found.difference == pytest.approx(TABLE[2] * error, rel=1e-4)


def test_versions_that_never_differed_may_still_differ() -> None:
    """The interval of no difference in 40 games is 1.96² / (40 + 1.96²) (Tango, 1998), by t."""
    found = paired(np.zeros((40, 1)), np.zeros((40, 1)), Grain(40))
    t = float(t_quantile(0.975, 39))
    assert found.high == pytest.approx(t**2 / (40 + t**2))
    assert (found.low, found.difference, found.above) == (-found.high, 0, 0.5)


def test_the_same_difference_at_two_tables_is_not_certain() -> None:
    found = paired(column(0.5, 0.5), column(0.6, 0.6), Grain(20))
    assert found.low < 0 < found.high
    assert 0.5 < found.above < 0.95


def test_a_version_that_wins_all_games_that_differ_is_better_from_six_on() -> None:
    """Of 40 games; McNemar's exact test gives 6 % for five games and 3 % for six."""
    still = np.zeros((40, 1))
    for won, is_clear in ((4, False), (6, True)):
        new = still.copy()
        new[:won] = 1.0
        assert (paired(still, new, Grain(40)).low > 0) == is_clear


@pytest.mark.parametrize(("blocks", "games"), [(2, 10), (20, 1)])
@pytest.mark.parametrize(("gained", "lost"), [(0.5, 0.5), (0.05, 0.0), (0.03, 0.03)])
def test_intervals_of_few_games_have_a_width_and_hold(
    blocks: int, games: int, gained: float, lost: float
) -> None:
    """Against one opponent; a mended crash changes few games, and only for the better."""
    draw, trials, held = np.random.default_rng(2), depth(60, 400), 0
    still = np.zeros((blocks, 1))
    for _ in range(trials):
        drawn = draw.random((blocks, 1, games))
        differences = (drawn < gained).mean(2) - (drawn > 1.0 - lost).mean(2)
        found = paired(still, as_floats(differences), Grain(blocks * games))
        assert found.low < found.high
        held += found.low <= gained - lost <= found.high
    assert held >= 0.9 * trials


def test_luck_that_tables_share_cancels_out() -> None:
    draw = np.random.default_rng(1)
    luck = draw.normal(0, 10, (10, 2))
    found = paired(luck + draw.normal(0, 0.1, (10, 2)), luck + draw.normal(0.3, 0.1, (10, 2)), MANY)
    assert 0.2 < found.low < 0.3 < found.high < 0.4
    assert found.above > 0.999


@pytest.mark.slow
@pytest.mark.parametrize(("blocks", "opponents"), [(2, 8), (6, 1), (3, 3)])
def test_95_of_100_intervals_contain_the_truth(blocks: int, opponents: int) -> None:
    draw, trials = np.random.default_rng(2), depth(120, 1500)
    spread = np.linspace(0.5, 1.5, opponents)
    shape = blocks, opponents
    drawn = (paired(np.zeros(shape), draw.normal(0.5, spread, shape), MANY) for _ in range(trials))
    held = sum(found.low <= 0.5 <= found.high for found in drawn)
    assert 0.92 <= held / trials <= 0.985


def test_several_differences_are_clear_if_holm_says_so() -> None:
    def figures(*above: float) -> list[Paired]:
        return [Paired(0.5, 0.5, one - 0.5, 0, 0, one) for one in above]

    assert clear(figures(0.98)) == [True]
    assert clear(figures(0.98, 0.5)) == [False, False]
    assert clear(figures(0.02, 0.99)) == [True, True]
    assert clear(figures(0.995, 0.5, 0.985)) == [True, False, False]
    assert clear(figures(0.5, 1.0, 0.988)) == [False, True, True]
    assert clear([]) == []


def test_looks_are_at_least_four_rounds_and_eight_pairs_apart() -> None:
    assert planned_looks(20, 8) == (4, 8, 12, 16, 20)
    assert planned_looks(20, 1) == (10, 20)
    assert planned_looks(9, 3) == (5, 9)
    assert planned_looks(2, 1) == (2,)
    assert len(planned_looks(1000, 8)) == 20


POCOCK = {1: 1.960, 2: 2.178, 3: 2.289, 5: 2.413, 10: 2.555}
"""Constant bounds of several looks at 95 %, as published (Pocock, 1977)."""


@pytest.mark.parametrize(("count", "bound"), POCOCK.items())
def test_bounds_agree_with_published_ones(
    count: int, bound: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.ratings.two_versions._SHAPE", 0.5)
    expected = [float(normal_cdf(-bound))] * count
    assert tails(range(1, count + 1), 0.95) == pytest.approx(expected, abs=2e-5)


def test_one_look_is_the_usual_interval() -> None:
    assert tails([7], 0.95) == pytest.approx([0.025])
    assert tails([7], 0.9999) == pytest.approx([0.00005])


def test_earlier_looks_ask_for_more() -> None:
    found = tails(planned_looks(40, 8), 0.95)
    assert found == sorted(found)
    assert 0 < found[0] < 1e-4
    assert 0.01 < found[-1] < 0.025


@pytest.mark.slow
def test_intervals_of_all_looks_hold_at_once() -> None:
    draw, trials = np.random.default_rng(3), depth(70, 1000)
    looks = planned_looks(12, 4)
    bounds = tails(looks, 0.9)

    def seen(new: Floats) -> list[Paired]:
        cut = zip(looks, bounds, strict=True)
        return [paired(np.zeros((look, 4)), new[:look], MANY, tail) for look, tail in cut]

    drawn = (seen(draw.normal(0.5, 1, (12, 4))) for _ in range(trials))
    held = sum(all(one.low <= 0.5 <= one.high for one in found) for found in drawn)
    assert 0.85 <= held / trials <= 0.95
