"""Which games vary independently: blocks, or the games of one number in a block."""

from collections.abc import Callable, Sequence
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.ratings.board.leaderboard import estimate, solve
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.maths.arrays import Floats, as_floats
from arena.ratings.model.games import as_arrays
from tests.ratings.simulated import league
from tests.support.ratings import rated_board
from tests.support.results import result
from tests.support.simulated_leagues import Moment, Shape
from tests.support.twists import circle

Change = Callable[[Sequence[FixtureResult]], Sequence[FixtureResult]]


def rated(played: Sequence[FixtureResult]) -> Leaderboard:
    return rated_board("bga", len(played[0].fixture.seats), played)


@pytest.mark.parametrize(
    ("shape", "method"),
    [
        (Shape(8, 2, 6), "dice"),
        (Shape(2, 2, 10), "dice"),
        (Shape(8, 2, 1), "blocks"),
        (Shape(8, 2, 1, 2), "blocks"),
        (Shape(8, 3, 6), "blocks"),
        (Shape(3, 3, 2), "games"),
        (Shape(2, 2, 3), "games"),
    ],
)
def test_whole_passes_at_tables_of_two_vary_by_dice(shape: Shape, method: str) -> None:
    assert rated(league(shape)).method == method


@pytest.mark.parametrize("passes", [1, 2])
def test_independent_games_mostly_vary_by_dice(passes: int) -> None:
    """One league in twenty looks as if bots learnt, by chance."""
    methods = [rated(league(Shape(8, 2, 6, passes), seed)).method for seed in range(10)]
    assert methods.count("dice") > 7


CHANGES: dict[str, Change] = {
    "a fixture is missing": lambda played: played[1:],
    "a block is missing": lambda played: [one for one in played if one.fixture.block],
    "a fixture has one game fewer": lambda played: [
        replace(played[0], games=played[0].games[1:]),
        *played[1:],
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_passes_that_are_not_whole_vary_by_block(change: str) -> None:
    assert rated(CHANGES[change](league(Shape(8, 2, 6)))).method == "blocks"


def learner(moment: Moment, shown: Floats) -> Floats:
    """Let the outcome of a fixture's first game be the likely one of all its games."""
    del moment
    return as_floats(shown + 0.8 * shown[:1])


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_bots_that_learn_within_a_fixture_vary_by_block(seed: int, passes: int) -> None:
    assert rated(league(Shape(8, 2, 6, passes), seed, learner)).method == "blocks"


def length(board: Leaderboard) -> float:
    return float(np.mean([row.place_high - row.place_low for row in board.rows]))


def test_whom_a_bot_suits_is_not_chance() -> None:
    """Of bots that suit half of the others by 4 mu more than the rest."""
    shape, drop = Shape(8, 2, 10), CHANGES["a fixture is missing"]
    suited = [league(shape, seed, circle(8)) for seed in range(3)]
    plain = np.mean([length(rated(league(shape, seed))) for seed in range(3)])
    by_dice = np.mean([length(rated(played)) for played in suited])
    by_block = np.mean([length(rated(drop(played))) for played in suited])
    assert by_dice < plain < by_block


def test_games_of_one_number_are_one_unit() -> None:
    """The error of two bots' mean places follows from their games alone."""
    played = league(Shape(2, 2, 60), seed=3)
    seats = [one.fixture.seats.index("bot00") for one in played]
    places = np.array(
        [[game.places[seat] for game in one.games] for seat, one in zip(seats, played, strict=True)]
    )
    by_number = (places - places.mean(1, keepdims=True)).sum(0)
    variance = float((by_number**2).sum()) * 60 / 59 / places.size**2
    covariance = estimate(solve(as_arrays(played))).covariance
    assert covariance.place[0, 0] == pytest.approx(variance)
    assert covariance.degrees_of_freedom == pytest.approx([59.0, 59.0])


def test_three_equal_bots_with_four_games_each_are_seldom_told_apart() -> None:
    """All results that one block of two games a fixture can have, with their probabilities."""
    tables = [("a", "b"), ("b", "c"), ("c", "a")]
    wrong = 0.0
    for wins in product(range(3), repeat=len(tables)):
        played = [
            result(table, [(1, 2)] * won + [(2, 1)] * (2 - won), index=index)
            for index, (table, won) in enumerate(zip(tables, wins, strict=True))
        ]
        games = as_arrays(played)
        if (estimate(solve(games)).statement.columns["best"] > 1).any():
            wrong += prod(comb(2, won) / 4 for won in wins)
    assert wrong <= 0.05
