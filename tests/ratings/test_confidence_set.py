"""Which bots may be first: the best are left, clearly worse ones are not."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.board.ranks import may_be_first
from tests.ratings.simulated import league
from tests.support.depth import depth
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape

each_field = settings(max_examples=depth(20, 100), deadline=None, database=None)


def first(values: list[float], df: float = 30.0, parts: int = 1) -> list[bool]:
    """Tell who may be first among bots with a standard error of 1, in parts of equal size."""
    n = len(values)
    part = np.arange(n) * parts // n
    apart = part[:, None] != part[None, :]
    return [bool(one) for one in may_be_first(np.array(values), np.full(n, df), np.eye(n), apart)]


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        ([0.0], [True]),
        ([0.0, 0.0], [True, True]),
        ([9.0, 0.0], [True, False]),
        ([0.0, 9.0, 8.5, 0.3], [False, True, True, False]),
        # The limit for two is 2.24 times the error of a difference, that for three is higher.
        ([2.3 * 2**0.5, 0.0], [True, False]),
        ([2.3 * 2**0.5, 0.0, 1.4 * 2**0.5], [True, True, True]),
    ],
)
@pytest.mark.parametrize("df", [1e9, inf])
def test_clearly_worse_bots_may_not_be_first(
    values: list[float], chosen: list[bool], df: float
) -> None:
    assert first(values, df) == chosen


@each_field
@given(st.lists(st.floats(-6, 6), min_size=1, max_size=12), st.floats(2, 100))
def test_the_best_by_estimate_may_be_first_and_whoever_is_as_good(
    values: list[float], df: float
) -> None:
    chosen = first(values, df)
    assert chosen[int(np.argmax(values))]
    assert chosen == first(values, df)
    left = [value for value, may in zip(values, chosen, strict=True) if may]
    # All have the same error: so nobody is left out who is better than one that is not.
    assert all(value < min(left) for value in values if value not in left)


def test_parts_of_the_field_each_have_bots_that_may_be_first() -> None:
    assert first([20.0, 0.0, 11.0, 2.0], parts=2) == [True, False, True, False]


def test_few_degrees_of_freedom_leave_more_bots() -> None:
    values = [3.0 * 2**0.5, 0.0, 0.0]
    assert first(values, 1e9) == [True, False, False]
    assert first(values, 2.0) == [True, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("bots", [3, 20])
def test_one_of_equal_bots_is_left_out_in_five_of_two_hundred_leagues(bots: int) -> None:
    """How far bots vary is estimated from few units."""
    rng, leagues, units = np.random.default_rng(1), depth(120, 400), 101
    apart, wrong = np.zeros((bots, bots), np.bool_), 0
    for _ in range(leagues):
        scores = rng.normal(size=(units, bots))
        values, covariance = scores.mean(0) * units**0.5, np.cov(scores.T)
        wrong += not may_be_first(values, np.full(bots, units - 1.0), covariance, apart).all()
    assert 0.0 < wrong / leagues < 0.055


@pytest.mark.parametrize("shape", [Shape(8, 2, 12), Shape(8, 4, 5), Shape(2, 2, 10)])
def test_bots_that_may_be_first_come_first_on_a_leaderboard(shape: Shape) -> None:
    rows = rated_board("bga", shape.players, league(shape)).rows
    assert rows[0].may_be_first
    assert all(row.best == 1 for row in rows if row.may_be_first)
