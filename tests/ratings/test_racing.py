"""A race: bots that can no longer be first are out, whenever one looks, and seldom wrongly."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.racing import FIRST_MEETINGS, Race, by_block, by_opponent
from tests.support.depth import depth

GAMES = 20


def raced(strengths: Mapping[str, float], seed: int, passes: int) -> Race:
    """Return a race in which scores are normal around strengths."""
    draw, race = np.random.default_rng(seed), Race([*strengths], 0.9)
    for _ in range(passes):
        left = race.left
        scores = np.array([draw.normal(strengths[bot], 1, len(left) - 1) for bot in left])
        race.add(left, by_block(scores.T), GAMES)
        race.judge()
        if len(race.left) == 1:
            break
    return race


def test_best_bot_is_named_and_others_are_out_in_turn() -> None:
    race = Race(["a", "b", "c"], 0.95)
    for _ in range(10):
        race.add(["a", "b", "c"], by_block(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.1]])), 1)
    race.judge()
    assert list(race.left) == ["a", "b"]
    for noise in (0.1, -0.1) * 5:
        race.add(["a", "b"], by_block(np.array([[1.0 + noise, 0.0]])), 1)
    race.judge()
    assert list(race.left) == ["a"]
    assert race.order()[0] == "a"


def test_few_games_decide_nothing() -> None:
    race = Race(["a", "b"], 0.95)
    for played in range(1, FIRST_MEETINGS + 1):
        race.add(["a", "b"], by_block(np.array([[1.0, 0.0]])), 1)
        race.judge()
        assert len(race.left) == (2 if played < FIRST_MEETINGS else 1)


def test_differences_add_up_to_those_of_scores() -> None:
    """Two of four bots have a unit for each seat and rival that both met, and for each other."""
    first = np.random.default_rng(1).random((4, 4)) * (1 - np.eye(4))
    ahead = by_opponent(np.array([first, (1 - first.T) * (1 - np.eye(4))]))
    scores = (first + (1 - first.T) * (1 - np.eye(4))).sum(1)
    assert np.nansum(ahead, 0) == pytest.approx(scores[:, None] - scores)
    assert (~np.isnan(ahead[:, 0, 1])).sum() == 6


@pytest.mark.parametrize("bots", [2, 5])
def test_equal_bots_are_seldom_told_apart_however_often_one_looks(bots: int) -> None:
    equal = dict.fromkeys("abcde"[:bots], 0.0)
    trials = depth(100, 400)
    named = sum(len(raced(equal, seed, 40).left) == 1 for seed in range(trials))
    assert named <= 0.1 * trials


def test_best_bot_is_seldom_dropped() -> None:
    strengths = {"a": 0.3, "b": 0.2, "c": 0.0, "d": 0.0}
    trials = depth(100, 400)
    dropped = sum("a" not in raced(strengths, seed, 60).left for seed in range(trials))
    assert dropped <= 0.1 * trials


def test_best_bots_are_seldom_dropped_if_games_of_a_fixture_are_alike() -> None:
    """In each fixture of ten games one of the two is by chance in better form."""
    trials, dropped, draw = depth(60, 200), 0, np.random.default_rng(1)
    for _ in range(trials):
        race = Race([*"abcd"], 0.9)
        for _ in range(20):
            won = draw.binomial(10, draw.choice([0.2, 0.8], (4, 4))) / 10
            race.add([*"abcd"], by_opponent(np.array([won, 1.0 - won.T])), 10)
            race.judge()
        dropped += len(race.left) < 4
    assert dropped <= 0.1 * trials


@settings(max_examples=50, deadline=None, database=None)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=16, max_size=20), min_size=3, max_size=6))
def test_somebody_can_always_be_first(scores: Sequence[Sequence[int]]) -> None:
    units = min(map(len, scores))
    bots = [f"{number}" for number in range(len(scores))]
    race = Race(bots, 0.5)
    for _ in range(5):
        race.add(bots, by_block(np.array([one[:units] for one in scores], float).T), 1)
        race.judge()
        assert race.left
    assert race.order()[: len(race.left)] == sorted(race.left, key=race.order().index)
