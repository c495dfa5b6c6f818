"""Two versions compared block by block: an exact paired t-test, whose intervals hold."""

from math import inf
from random import Random

import pytest

from arena.ratings.t_distribution import paired, t_cdf
from tests.support.depth import depth

TABLE = {1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 30: 2.0423, 120: 1.9799}
"""The t below which 97.5 % lie, by degrees of freedom, from the tables."""


@pytest.mark.parametrize(("freedom", "t"), TABLE.items())
def test_t_cdf_agrees_with_published_tables(freedom: int, t: float) -> None:
    assert t_cdf(t, freedom) == pytest.approx(0.975, abs=1e-5)
    assert t_cdf(-t, freedom) == pytest.approx(0.025, abs=1e-5)
    assert t_cdf(0, freedom) == 0.5
    assert (t_cdf(-inf, freedom), t_cdf(inf, freedom)) == pytest.approx((0, 1))


def test_paired_agrees_with_a_computation_by_hand() -> None:
    found = paired([1, 2, 3], [2, 2, 5])
    assert (found.old, found.new, found.difference) == (2, 3, 1)
    # The differences 1, 0, 2 have standard deviation 1, so the mean's error is 1/sqrt(3).
    assert found.high - 1 == pytest.approx(4.30265 / 3**0.5, abs=1e-4)
    assert 1 - found.low == pytest.approx(found.high - 1)
    assert found.above == pytest.approx(t_cdf(3**0.5, 2))


def test_equal_versions_have_no_difference() -> None:
    found = paired([1.5, 1.25, 2], [1.5, 1.25, 2])
    assert (found.difference, found.low, found.high, found.above) == (0, 0, 0, 0.5)


def test_a_difference_without_spread_is_certain() -> None:
    found = paired([1, 2, 1], [0.5, 1.5, 0.5])
    assert (found.low, found.high, found.above) == (-0.5, -0.5, 0)


def test_luck_that_blocks_share_cancels_out() -> None:
    draw = Random(1)
    luck = [draw.gauss(0, 10) for _ in range(20)]
    old = [block + draw.gauss(0, 0.1) for block in luck]
    new = [block + draw.gauss(0.3, 0.1) for block in luck]
    found = paired(old, new)
    assert 0.2 < found.low < 0.3 < found.high < 0.4
    assert found.above > 0.999


def test_95_of_100_intervals_contain_the_truth() -> None:
    draw = Random(2)
    held, trials = 0, depth(200, 1000)
    for _ in range(trials):
        old = [draw.gauss(1, 2) for _ in range(6)]
        new = [draw.gauss(1.5, 1) for _ in range(6)]
        found = paired(old, new)
        held += found.low <= 0.5 <= found.high
    assert 0.93 <= held / trials <= 0.97
