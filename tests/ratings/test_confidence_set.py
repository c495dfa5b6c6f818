"""The statement about a field: who may be first, the ranks, the pairs, right at once."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.ratings.board.ranks import (
    Statement,
    better_probabilities,
    joint_statement,
    may_be_first,
)
from arena.ratings.maths.arrays import Floats
from arena.ratings.maths.intervals import CONFIDENCE
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
        # The limit for two is 1.96 times the error of a difference, that for three is higher.
        ([2.0 * 2**0.5, 0.0], [True, False]),
        ([2.0 * 2**0.5, 0.0, 1.4 * 2**0.5], [True, True, True]),
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
def test_one_of_equal_bots_is_left_out_in_five_of_a_hundred_leagues(bots: int) -> None:
    """How far bots vary is estimated from few units."""
    rng, leagues, units = np.random.default_rng(1), depth(120, 400), 101
    apart, wrong = np.zeros((bots, bots), np.bool_), 0
    for _ in range(leagues):
        scores = rng.normal(size=(units, bots))
        values, covariance = scores.mean(0) * units**0.5, np.cov(scores.T)
        wrong += not may_be_first(values, np.full(bots, units - 1.0), covariance, apart).all()
    assert 0.02 < wrong / leagues < 0.08


@pytest.mark.parametrize("shape", [Shape(8, 2, 12), Shape(8, 4, 5), Shape(2, 2, 10)])
def test_bots_that_may_be_first_come_first_on_a_leaderboard(shape: Shape) -> None:
    rows = rated_board("bga", shape.players, league(shape)).rows
    assert rows[0].may_be_first
    assert all(row.best == 1 for row in rows if row.may_be_first)


def said_of(
    values: Floats, covariance: Floats, df: float = inf
) -> tuple[Statement, NDArray[np.bool_]]:
    """Return what is said of a field, and who is told to be better than whom."""
    bots = len(values)
    freedom, nobody = np.full(bots, df), np.zeros((bots, bots), np.bool_)
    better = better_probabilities(values, freedom, covariance)
    statement = joint_statement(better, values, freedom, covariance, nobody)
    return statement, (better > 0.5) & (statement.sure >= CONFIDENCE)


@each_field
@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(0.01, 4)), min_size=2, max_size=9),
    st.floats(3, 100),
)
def test_an_order_that_agrees_with_all_that_is_said_is_that_of_the_ranks(
    field: list[tuple[float, float]], df: float
) -> None:
    """Bots whose skills are known badly stand between others that are told apart."""
    values, variances = np.array(field).T
    statement, better = said_of(values, np.diag(variances), df)
    best, worst, first = statement.columns.values()
    order = sorted(range(len(values)), key=lambda bot: (best[bot], worst[bot], -values[bot]))
    for rank, bot in enumerate(order, 1):
        assert best[bot] <= rank <= worst[bot]
        assert not better[order[rank:], bot].any()
    assert first.tolist() == (best == 1).tolist()
    assert first.any()
    if first.sum() == 1:
        assert (worst[first] == 1).all()
        assert better[first].sum() == len(values) - 1
    follows = better[:, :, None] & better[None, :, :]
    assert not (follows.any(1) & ~better).any()


def test_pairs_are_told_apart_one_after_another() -> None:
    """The clearest pairs leave fewer that may be equal, so the last one need be less clear."""
    ahead = 2.5 * 2**0.5
    _, among_equal = said_of(np.array([ahead, 0.0, 0.0, 0.0]), np.eye(4))
    assert not among_equal.any()
    _, last = said_of(np.array([60.0 + ahead, 60.0, 30.0, 0.0]), np.eye(4))
    assert last[0, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "true",
    [[0.0] * 6, [3.0, 3.0, 0.0, -3.0], [20.0, 20.0, 10.0, 10.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0]],
    ids=["equal", "two tied", "tied pairs", "one ahead"],
)
def test_all_that_is_said_is_right_in_95_of_100_leagues(true: list[float]) -> None:
    rng, leagues, wrong = np.random.default_rng(1), depth(100, 400), 0
    skills = np.array(true)
    above = (skills[None, :] > skills[:, None]).sum(1)
    below = (skills[None, :] < skills[:, None]).sum(1)
    for _ in range(leagues):
        statement, better = said_of(skills + rng.normal(size=len(true)), np.eye(len(true)))
        best, worst, first = statement.columns.values()
        wrong += bool(
            (better & (skills[:, None] <= skills[None, :])).any()
            or not first[above == 0].all()
            or (best > 1 + above).any()
            or (worst < len(true) - below).any()
        )
    assert wrong / leagues <= 0.05 + 3 * (0.05 * 0.95 / leagues) ** 0.5
