"""A race: bots that can no longer be first are out, whenever one looks, and seldom wrongly."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.racing import FIRST_MEETINGS, Race
from tests.support.depth import depth

GAMES = 20


def raced(strengths: Mapping[str, float], seed: int, passes: int) -> Race:
    """Return a race in which scores are normal around strengths."""
    draw, race = np.random.default_rng(seed), Race([*strengths], 0.9)
    for _ in range(passes):
        race.add({bot: draw.normal(strengths[bot], 1, GAMES).tolist() for bot in race.left})
        if len(race.left) == 1:
            break
    return race


def test_best_bot_is_named_and_others_are_out_in_turn() -> None:
    race = Race(["a", "b", "c"], 0.95)
    noise = [0.1, -0.1] * (GAMES // 2)
    race.add({"a": [1 + x for x in noise], "b": [1 - x for x in noise], "c": [0.0] * GAMES})
    assert list(race.left) == ["a", "b"]
    race.add({"a": [1 + x for x in noise], "b": [0.0] * GAMES})
    assert list(race.left) == ["a"]
    assert race.order()[0] == "a"


def test_few_games_decide_nothing() -> None:
    race, few = Race(["a", "b"], 0.95), FIRST_MEETINGS - 2
    race.add({"a": [1.0, 1.1] * (few // 2), "b": [0.0] * few})
    assert list(race.left) == ["a", "b"]
    race.add({"a": [1.0, 1.1], "b": [0.0, 0.0]})
    assert list(race.left) == ["a"]


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


@settings(max_examples=50, deadline=None, database=None)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=16, max_size=20), min_size=3, max_size=6))
def test_somebody_can_always_be_first(scores: Sequence[Sequence[int]]) -> None:
    units = min(map(len, scores))
    race = Race([f"{number}" for number in range(len(scores))], 0.5)
    for _ in range(5):
        race.add({bot: scores[int(bot)][:units] for bot in race.left})
        assert race.left
    assert race.order()[: len(race.left)] == sorted(race.left, key=race.order().index)
