"""Suspicions: thrown games and drift are found, fair bots are not accused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import Division, RatingsInfo
from arena.ratings.board.leaderboard import solve
from arena.ratings.leaderboard_rows import Cases, Suspicion
from arena.ratings.league_ratings import Ratings, rate_results
from arena.ratings.model.games import as_arrays
from arena.ratings.suspicion import _typical, collusion, holm
from tests.ratings.simulated import decided, league
from tests.support.depth import depth
from tests.support.simulated_leagues import Shape, Twist
from tests.support.twists import circle, drifting, faulty, neighbours, thrown, with_faults

each_set = settings(max_examples=depth(20, 60), deadline=None, database=None)


def rated(shape: Shape, twist: Twist | None, alpha: float = 0.01) -> Ratings:
    games = {Division("bga", shape.players): league(shape, 3, twist)}
    return rate_results(games, RatingsInfo(alpha=alpha))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [Shape(8, 2, 60, 2), Shape(8, 4, 20, 2), Shape(8, 6, 30, 2)])
def test_bot_that_throws_games_is_named(shape: Shape) -> None:
    found = [case for case in rated(shape, thrown).suspicions if case.kind == "collusion"]
    assert [(case.bot, case.opponent) for case in found] == [("bot00", "bot01")]
    assert found[0].observed < found[0].expected
    assert found[0].p <= 0.01


@pytest.mark.slow
def test_bot_that_throws_few_games_is_nearly_always_named() -> None:
    shape, options, named = Shape(8, 2, 20, 2), RatingsInfo(alpha=0.05), 0
    for seed in range(10):
        games = {Division("bga", 2): league(shape, seed, thrown)}
        found = rate_results(games, options).suspicions
        named += ("bot00", "bot01") in [(case.bot, case.opponent) for case in found]
    assert named >= 9


@pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.2])
@pytest.mark.parametrize("twist", [thrown, circle(8)])
def test_clear_pairs_are_those_of_any_less_strict_test(alpha: float, twist: Twist) -> None:
    solution = solve(as_arrays(league(Shape(8, 4, 10, 2), 3, twist)))
    division = Division("bga", 4)
    every = collusion(division, solution, 0.5)
    clear = [case for case in every.cases if case.p <= alpha]
    assert collusion(division, solution, alpha) == every._replace(cases=clear)
    assert 0 < len(every.cases) < every.number == 8 * 7


@pytest.mark.parametrize("shape", [Shape(8, 2, 30, 2), Shape(8, 4, 10, 2), Shape(8, 6, 10, 2)])
def test_bot_that_improves_is_named(shape: Shape) -> None:
    found = [case for case in rated(shape, drifting).suspicions if case.kind == "drift"]
    assert [(case.bot, case.opponent) for case in found] == [("bot00", None)]
    assert 2 < found[0].observed < 6


@pytest.mark.parametrize("shape", [Shape(8, 2, 20, 2), Shape(8, 4, 8, 2), Shape(8, 6, 6, 2)])
def test_fair_bots_are_not_suspicious(shape: Shape) -> None:
    assert rated(shape, None).suspicions == []


@pytest.mark.slow
@pytest.mark.parametrize("shape", [Shape(8, 2, 40, 2), Shape(8, 4, 10, 2), Shape(8, 6, 10, 2)])
def test_company_that_the_schedule_brings_is_no_drift(shape: Shape) -> None:
    """Its opponents and neighbours change from block to block, but the bot does not."""
    for twist in (circle(8), neighbours(8)):
        found = rated(shape, twist).suspicions
        assert [case for case in found if case.kind == "drift"] == []


def test_typical_deviation_is_that_of_most_pairs() -> None:
    usual = np.random.default_rng(1).normal(0, 2, 1000)
    odd = np.concatenate((usual, np.full(50, 40.0)))
    assert _typical(usual) == pytest.approx(2, rel=0.1)
    assert _typical(odd) == pytest.approx(2, rel=0.2)


def test_faults_are_no_collusion() -> None:
    shape = Shape(8, 2, 60, 2)
    played = with_faults(league(shape, 3), np.random.default_rng(1))
    assert rate_results({Division("bga", 2): played}).suspicions == []


def test_league_with_a_fault_in_every_game_has_no_suspicions() -> None:
    games = [
        replace(one, games=[faulty(game, 0) for game in one.games])
        for one in league(Shape(8, 2, 4), 3)
    ]
    assert rate_results({Division("bga", 2): games}, RatingsInfo(alpha=0.5)).suspicions == []


def test_alpha_0_lists_no_suspicions() -> None:
    assert rated(Shape(8, 4, 20, 2), thrown, alpha=0.0).suspicions == []


def test_too_few_bots_are_not_tested() -> None:
    assert rated(Shape(4, 2, 60), thrown, alpha=0.5).suspicions == []


def case(p: float) -> Suspicion:
    return Suspicion("drift", "bga", 2, "a", None, 1, 0.0, 0.0, p)


def test_holm_correction_of_a_known_example() -> None:
    # 4 cases: times 4, 3, 2, 1, never below the one before.
    corrected = [one.p for one in holm([Cases(4, [*map(case, (0.04, 0.01, 0.03, 0.005))])])]
    assert corrected == pytest.approx([0.02, 0.03, 0.06, 0.06])


@each_set
@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_makes_a_case_clearer(ps: list[float]) -> None:
    corrected = [one.p for one in holm([Cases(len(ps), [*map(case, ps)])])]
    assert corrected == sorted(corrected)
    assert all(old <= new <= 1 for old, new in zip(sorted(ps), corrected, strict=True))


def test_field_without_upsets_is_not_suspicious() -> None:
    games = [
        decided(one, (1, 2) if one.fixture.seats[0] < one.fixture.seats[1] else (2, 1))
        for one in league(Shape(8, 2, 10, 2))
    ]
    found = rate_results({Division("bga", 2): games})
    assert found.suspicions == []
    rows = found.boards[0].rows
    assert (rows[0].best, rows[-1].worst) == (1, 8)
    assert rows[0].worst < 4
    assert rows[-1].best > 5
