"""Large fields are rated without matrices of all pairs; where both ways work they agree."""

from math import inf

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings import division
from arena.ratings.board import overall as overall_table
from arena.ratings.division import Rated, rank_all, rate_division
from arena.ratings.league_ratings import rate_results
from arena.ratings.maths.sparse import Plan, SparseInverse
from arena.ratings.model import posterior
from arena.ratings.model.games import as_arrays
from tests.support.depth import depth
from tests.support.simulated_leagues import Shape, play, play_with_luck, tables

CLOSE = 1e-6
NOT_OF_LARGE = {"shift", "shift_without", "sensitive", "rank", "best", "worst", "may_be_first"}

graphs = st.sampled_from(["ring", "tree", "random", "two parts"])


def edges(kind: str, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if kind in ("random", "crowd"):
        met = (4 if kind == "random" else 60) * size
        return rng.integers(0, size, met), rng.integers(0, size, met)
    one = rng.permutation(size)
    if kind == "tree":
        return one[1:], one[(np.arange(1, size) * rng.random(size - 1)).astype(int)]
    if kind == "two parts":
        one = np.arange(0, size - 2)
        return one, one + 2
    return one, np.roll(one, 1)


@settings(max_examples=depth(6, 60), deadline=None, database=None)
@given(graphs, st.integers(3, 250), st.integers(0, 2**32))
@example("ring", 250, 1)
@example("random", 250, 2)
@example("crowd", 1200, 3)
def test_a_sparse_inverse_is_that_of_numpy(kind: str, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = edges(kind, size, rng)
    one, other = one[one != other], other[one != other]
    matrix, weight = np.zeros((size, size)), rng.random(len(one))
    np.subtract.at(matrix, (one, other), weight)
    np.subtract.at(matrix, (other, one), weight)
    np.fill_diagonal(matrix, 0.1 - matrix.sum(1))
    plan = Plan(size, one, other)
    low, high = np.divmod(np.unique(np.minimum(one, other) * size + np.maximum(one, other)), size)
    low, high = np.append(low, np.arange(size)), np.append(high, np.arange(size))
    values = np.zeros(plan.length)
    values[plan.cells(low, high)] = matrix[low, high]
    found, expected = SparseInverse(plan, values), np.linalg.inv(matrix)
    some = rng.permutation(size)[:7]
    np.testing.assert_allclose(found[low, high], expected[low, high], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.diagonal(), expected.diagonal(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.columns(some), expected[:, some], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.mean(1), expected.mean(1), rtol=0, atol=1e-9)


def rated(played: list[FixtureResult], many: float, options: RatingsInfo) -> Rated:
    with pytest.MonkeyPatch.context() as patch:
        for module in (posterior, division):
            patch.setattr(module, "MANY", many)
        players = len(played[0].fixture.seats)
        return rate_division(Division("bga", players), as_arrays(played), options)


def simulated(shape: Shape, blocks: int, seed: int, *, lucky: bool) -> list[FixtureResult]:
    """Play the first blocks of a league, one bot of which always wins, and one never."""
    rng = np.random.default_rng(seed)
    skills = np.append(rng.standard_normal(shape.bots - 2) * 4.0, [-40.0, 40.0])
    if lucky:
        return play_with_luck(shape, skills, rng, 0.4, tables(shape)[:blocks])
    return play(shape, skills, rng, schedule=tables(shape)[:blocks])


CASES = [
    (Shape(40, 2, 2), 12, False),
    (Shape(40, 2, 20), 1, False),
    (Shape(30, 4, 2), 5, False),
    (Shape(40, 2, 4), 8, True),
    (Shape(24, 6, 1), 9, False),
    (Shape(30, 2, 1), 2, False),
]


@pytest.mark.slow
@settings(max_examples=depth(3, 30), deadline=None, database=None, phases=[Phase.generate])
@given(st.sampled_from(CASES), st.integers(0, 2**32), st.sampled_from([None, "bot03"]))
def test_ratings_are_the_same_with_and_without_matrices_of_all_pairs(
    case: tuple[Shape, int, bool], seed: int, anchor: str | None
) -> None:
    shape, blocks, lucky = case
    played = simulated(shape, blocks, seed, lucky=lucky)
    options = RatingsInfo(anchor=anchor, alpha=0.0)
    large, small = rated(played, 0, options), rated(played, inf, options)
    rows = {row.bot: asdict(row) for row in small.board.rows}
    for row in large.board.rows:
        for name, value in asdict(row).items():
            expected = rows[row.bot][name]
            if isinstance(expected, float):
                expected = pytest.approx(expected, rel=CLOSE, abs=CLOSE)
            assert value == expected or name in NOT_OF_LARGE, name
        # All pairs have the same error, so ranges are a little wider.
        small_row = rows[row.bot]
        assert row.best <= max(2, small_row["best"])
        assert row.worst >= small_row["worst"]
        assert row.best <= row.rank <= row.worst
        assert (row.best == 1) == row.may_be_first
    assert large.board.duels == dict(small.board.duels)
    for pair, probability in large.board.better.items():
        assert probability == pytest.approx(small.board.better[pair], abs=CLOSE)
    assert (large.board.parts, large.board.method) == (small.board.parts, small.board.method)


@pytest.mark.parametrize("overall", [False, True])
def test_a_large_field_has_the_tables_of_a_small_one(
    monkeypatch: pytest.MonkeyPatch, overall: bool
) -> None:
    played = simulated(Shape(20, 2, 2), 6, 1, lucky=overall)
    options = RatingsInfo(overall=overall, alpha=0.01)
    small = rate_results({Division("bga", 2): played}, options)
    for module in (posterior, division, overall_table):
        monkeypatch.setattr(module, "MANY", 10)
    large = rate_results({Division("bga", 2): played}, options)
    ranges = {row.bot: (row.best, row.worst) for row in large.boards[0].rows}
    assert rank_all(played) == (large.boards[0].blocks, ranges)
    assert (large.overall is None) == (not overall)
    pairs = large.boards[0].better
    assert len(pairs) == len({*pairs}) == 20 * 19
    assert all(chance == pytest.approx(small.boards[0].better[of]) for of, chance in pairs.items())
    with pytest.raises(KeyError):
        pairs["bot00", "bot00"]
    if large.overall and small.overall:
        rows = {row.bot: row for row in small.overall.rows}
        for wide in large.overall.rows:
            row = rows[wide.bot]
            assert wide.low == pytest.approx(row.low)
            assert wide.best <= max(2, row.best)
            assert row.worst <= wide.worst
