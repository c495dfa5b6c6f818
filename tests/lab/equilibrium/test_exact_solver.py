"""The solver agrees with exact values, and its bounds with exact best responses."""

from fractions import Fraction

import numpy as np
import pytest
from msgspec.structs import replace

from arena.game.rules.books import VARIANTS
from arena.game.rules.round import Standing, perft
from arena.lab.equilibrium.endgames import EndgameState, round_game, stakes, states
from arena.lab.equilibrium.exact_solver import TreeGame, solve
from tests.exact.certify import rounded, upper_bound
from tests.exact.game import normal
from tests.exact.lp import sequences
from tests.exact.values import PALIFICO, game_of, is_played

ROUND_ALONE = (0.0, 1.0)
"""The stakes if only the coming round counts."""


def tree(variant: str, state: EndgameState, worth: tuple[float, float] = ROUND_ALONE) -> TreeGame:
    return TreeGame(round_game(state, VARIANTS[variant], worth))


@pytest.mark.parametrize("variant", VARIANTS)
def test_tree_holds_every_sequence_up_to_the_dice_on_the_table(variant: str) -> None:
    short = replace(VARIANTS[variant], starting_dice=1)
    counted = sum(level.bid.size for level in tree(variant, EndgameState(1, 1)).levels) - 1
    assert counted == perft(Standing(short, (1, 1), (False, False), 0))


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["bga", "pressman"])
def test_normal_round_of_one_die_each_is_worth_17_in_36(variant: str) -> None:
    game = tree(variant, EndgameState(1, 1))
    bounds = game.bounds(solve(game, 150))
    assert bounds.low - 1e-6 <= 17 / 36 <= bounds.high + 1e-6
    assert bounds.high - bounds.low < 2e-4


@pytest.mark.parametrize("name", PALIFICO)
def test_palifico_rounds_are_worth_their_exact_values(name: str) -> None:
    rules, other = VARIANTS["bga"], PALIFICO[name]
    assert is_played(rules, name)
    exact = {1: "5/6", 2: "25/36", 3: "125/216"}
    game = tree("bga", EndgameState(1, other, palifico=True))
    bounds = game.bounds(solve(game, 100))
    if other in exact:
        assert bounds.middle == pytest.approx(float(Fraction(exact[other])), abs=2e-3)
    assert bounds.high - bounds.low < 5e-3


def test_best_response_to_random_play_is_the_exact_one() -> None:
    exact = game_of(VARIANTS["bga"], "normal 1 : 1")
    blind = rounded(exact, 1, dict.fromkeys(sequences(exact, 1), 1.0))
    game = tree("bga", EndgameState(1, 1))
    uniform = [game.chosen(at, choices) for at, choices in enumerate(game.blank())]
    assert game.best_response(0, uniform) == pytest.approx(
        float(upper_bound(normal(VARIANTS["bga"]), blind)), abs=1e-6
    )


def test_states_follow_the_rules_of_palifico() -> None:
    assert [str(one) for one in states(VARIANTS["bga"], (2, 3), 5)] == [
        "1-1-palifico",
        "1-1",
        "1-2-palifico",
        "2-1",
    ]
    assert [str(one) for one in states(VARIANTS["pressman"], (2, 3), 5)] == ["1-1", "1-2", "2-1"]
    assert len(list(states(VARIANTS["bga"], range(2, 11), 5))) == 26
    assert len(list(states(VARIANTS["pressman"], range(2, 11), 5))) == 25


def test_stakes_are_what_follows_the_round() -> None:
    chances = {EndgameState(1, 1, palifico=True): 0.8, EndgameState(1, 2, palifico=True): 0.1}
    rules = VARIANTS["bga"]
    assert stakes(EndgameState(2, 1), rules, chances.__getitem__) == (0.8, 1.0)
    assert stakes(EndgameState(2, 2), rules, chances.__getitem__) == pytest.approx((0.1, 0.9))


def test_probabilities_sum_to_one() -> None:
    game = tree("bga", EndgameState(2, 1))
    for at, choices in enumerate(solve(game, 3)):
        total = choices.dudo.copy()
        level = game.levels[at]
        if choices.raises.size:
            total[level.inner] += np.add.reduceat(choices.raises, level.first)
        assert np.allclose(total, 1, atol=1e-5)
