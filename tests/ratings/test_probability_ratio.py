"""The sequential probability ratio test of two versions: errors within what it promises."""

from collections import Counter
from math import log

import numpy as np
import pytest

from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.two_versions import RatioOutcome, RatioTest, ratio_looks
from tests.support.depth import depth

BLOCKS, OPPONENTS = 120, 4


def outcome(test: RatioTest, drawn: Floats) -> RatioOutcome | None:
    """Look until the test ends."""
    looks = (test.outcome(drawn[:look], 0.1) for look in ratio_looks(BLOCKS, OPPONENTS))
    return next((said for said in looks if said), None)


def outcomes(mean: float) -> Counter[RatioOutcome | None]:
    """Test versions whose differences have this mean, and against each opponent another one."""
    draw = np.random.default_rng(4)
    means = mean + as_floats([-0.3, -0.1, 0.1, 0.3])
    test = RatioTest(0.9, 0.1)
    trials = (draw.normal(means, 0.3, (BLOCKS, OPPONENTS)) for _ in range(depth(80, 1000)))
    return Counter(outcome(test, drawn) for drawn in trials)


def test_equal_versions_are_seldom_told_apart() -> None:
    said = outcomes(0.0)
    wrong = said[RatioOutcome.NEW] + said[RatioOutcome.OLD]
    assert 0 < wrong <= 0.1 * said.total()
    assert said[RatioOutcome.EQUIVALENT] >= 0.9 * said.total()


@pytest.mark.parametrize(("mean", "better"), [(0.1, RatioOutcome.NEW), (-0.1, RatioOutcome.OLD)])
def test_versions_that_differ_are_seldom_called_equivalent(
    mean: float, better: RatioOutcome
) -> None:
    said = outcomes(mean)
    assert 0 < said[RatioOutcome.EQUIVALENT] <= 0.1 * said.total()
    assert said[better] >= 0.9 * said.total()


def test_ratio_is_that_of_two_normal_likelihoods() -> None:
    """With a variance of 1 after (squares + step²) / (pairs - opponents - 2)."""
    pairs, step = 18, 0.5
    away = ((pairs - 3 - step**2) / pairs) ** 0.5
    for mean, ended in ((0.9, False), (1.0, True)):
        drawn = as_floats([[mean + away], [mean - away]] * (pairs // 2))
        ratio = sum(-((value - 1) ** 2) / 2 + value**2 / 2 for value in [mean] * pairs)
        assert (ratio >= log(0.999 / 0.0005)) == ended
        assert (RatioTest(0.999, 1.0).outcome(drawn, step) is RatioOutcome.NEW) == ended


def test_few_equal_results_leave_doubt() -> None:
    """Two versions that differ in one game of twenty differ in none of 80 in 1.6 % of cases."""
    test = RatioTest(0.95, 0.05)
    assert test.outcome(np.zeros((80, 1)), 1.0) is None
    assert test.outcome(np.zeros((120, 1)), 1.0) is RatioOutcome.EQUIVALENT


@pytest.mark.parametrize("points", [0.02, 0.05, 0.1, 0.2])
def test_five_games_that_differ_make_no_version_better(points: float) -> None:
    """Two equal versions win five of five in 6 % of cases."""
    test, played = RatioTest(0.95, points), np.zeros((200, 1))
    played[:5] = 1.0
    said = [test.outcome(played[:look], 1.0) for look in ratio_looks(200, 1)]
    assert RatioOutcome.NEW not in said


def test_a_mended_crash_is_seldom_called_equivalent() -> None:
    """It loses one game of twenty less, and no other game changes."""
    test, draw, trials = RatioTest(0.9, 0.05), np.random.default_rng(3), depth(60, 400)
    said = Counter[RatioOutcome | None]()
    for _ in range(trials):
        played = as_floats(draw.random((400, 1)) < 0.05)
        looks = (test.outcome(played[:look], 1.0) for look in ratio_looks(400, 1))
        said[next((one for one in looks if one), None)] += 1
    assert said[RatioOutcome.EQUIVALENT] <= 0.1 * trials


def test_there_is_a_look_after_each_round_once_there_are_enough_pairs() -> None:
    assert list(ratio_looks(5, 8)) == [2, 3, 4, 5]
    assert list(ratio_looks(5, 40)) == [2, 3, 4, 5]
    assert list(ratio_looks(18, 1)) == [16, 17, 18]
    assert list(ratio_looks(4, 2)) == [4]
    assert RatioTest(0.95, 0.05).outcome(np.ones((4, 2)), 1.0) is None
