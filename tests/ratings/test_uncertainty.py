"""Intervals, ranks and probabilities of being better: by block, and consistent."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import FixtureResult
from arena.ratings.board.leaderboard import solve
from arena.ratings.board.ranks import better_probabilities, joint_statement
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.maths.intervals import CONFIDENCE
from arena.ratings.maths.t_distribution import normal_cdf, t_cdf, t_quantile
from arena.ratings.model.games import as_arrays
from arena.ratings.model.posterior import distinct, posterior
from arena.ratings.variance import leverage
from arena.ratings.variance.block_variance import GameScores, dice_gain
from tests.ratings.simulated import decided, league
from tests.support.depth import depth
from tests.support.ratings import rated_board
from tests.support.simulated_leagues import Shape, play, tables

each_set = settings(max_examples=depth(20, 60), deadline=None, database=None)
each_league = settings(max_examples=depth(5, 15), deadline=None, database=None)

LEAGUES = [Shape(8, 2, 6), Shape(8, 4, 3), Shape(8, 6, 2), Shape(5, 2, 4, 3), Shape(3, 2, 5)]


def rated(shape: Shape, seed: int = 1) -> Leaderboard:
    return rated_board("bga", shape.players, league(shape, seed))


@pytest.mark.parametrize(
    ("share", "freedom", "t"),
    # A table of Student's t in any textbook.
    [(0.975, 1, 12.706), (0.975, 6, 2.447), (0.95, 10, 1.812), (0.995, 30, 2.750)],
)
def test_t_quantiles_are_those_of_a_published_table(share: float, freedom: float, t: float) -> None:
    assert t_quantile(share, freedom) == pytest.approx(t, abs=5e-4)
    assert t_cdf(t, freedom) == pytest.approx(share, abs=1e-4)


@each_set
@given(st.floats(-40, 40), st.floats(1, 200) | st.just(inf))
def test_t_cdf_is_a_symmetric_distribution(t: float, freedom: float) -> None:
    assert 0 <= t_cdf(t, freedom) <= 1
    assert t_cdf(t, freedom) + t_cdf(-t, freedom) == pytest.approx(1, abs=1e-12)
    assert t_cdf(t, freedom) <= t_cdf(t + 0.1, freedom)


@each_set
@given(
    st.floats(0.501, 0.9999),
    st.lists(st.tuples(st.floats(-40, 40), st.floats(0.5, 200) | st.just(inf)), min_size=1),
)
def test_arrays_agree_with_scalars(share: float, cases: list[tuple[float, float]]) -> None:
    t, freedom = np.array(cases).T
    assert t_cdf(t, freedom).tolist() == [float(t_cdf(*case)) for case in cases]
    quantiles = t_quantile(share, freedom)
    assert quantiles.tolist() == [float(t_quantile(share, one)) for one in freedom]
    assert t_cdf(quantiles, freedom) == pytest.approx(share, abs=1e-9)


def test_t_tends_to_the_normal_distribution() -> None:
    assert t_quantile(0.975, inf) == pytest.approx(1.959964, abs=1e-6)
    assert t_cdf(1.3, 1e7) == pytest.approx(normal_cdf(1.3), abs=1e-6)


@each_league
@given(st.sampled_from(LEAGUES), st.integers(0, 1000))
def test_intervals_contain_their_estimates(shape: Shape, seed: int) -> None:
    board = rated(shape, seed)
    for rank, row in enumerate(board.rows, 1):
        assert row.low is None or row.low < row.mu
        assert row.high is None or row.mu < row.high
        assert 1 <= row.place_low <= row.mean_place <= row.place_high <= shape.players
        assert 1 <= row.best <= rank <= row.worst <= shape.bots


@each_league
@given(st.sampled_from(LEAGUES), st.integers(0, 1000))
def test_probability_of_being_better_agrees_with_mu(shape: Shape, seed: int) -> None:
    board = rated(shape, seed)
    rows = sorted(board.rows, key=lambda row: -row.mu)
    for at, row in enumerate(rows):
        for other in rows[at + 1 :]:
            chance = board.better[row.bot, other.bot]
            assert chance >= 0.5
            assert chance + board.better[other.bot, row.bot] == pytest.approx(1, abs=1e-12)


def test_distinguished_bots_have_disjoint_rank_ranges() -> None:
    values, df, covariance = np.array([9.0, 0.1, 0.0]), np.full(3, 20.0), np.eye(3)
    better = better_probabilities(values, df, covariance)
    ranges = joint_statement(better, values, df, covariance, np.zeros((3, 3), np.bool_)).columns
    assert (ranges["best"].tolist(), ranges["worst"].tolist()) == ([1, 2, 2], [1, 3, 3])
    assert better[0, 1] == pytest.approx(t_cdf(8.9 / 2**0.5, 20.0))
    assert better[1, 0] == t_cdf(-8.9 / 2**0.5, 20.0)


def test_differences_without_variance_are_certain() -> None:
    better = better_probabilities(np.array([1.0, 0.0, 0.0]), np.full(3, inf), np.zeros((3, 3)))
    assert (better[0, 1], better[1, 0], better[1, 2]) == (1.0, 0.0, 0.5)


def test_method_is_games_with_too_few_blocks() -> None:
    assert rated(Shape(3, 2, 1)).method == "games"
    assert rated(Shape(3, 2, 1)).blocks == 2
    assert rated(Shape(8, 2, 1)).method == "blocks"


def width(board: Leaderboard) -> float:
    return float(np.mean([row.place_high - row.place_low for row in board.rows]))


def repeated(played: list[FixtureResult]) -> list[FixtureResult]:
    """Repeat every game of a block four times, which adds no information."""
    return [
        replace(one, games=[replace(game, game=4 * game.game + copy) for game in one.games])
        for one in played
        for copy in range(4)
    ]


def test_more_games_of_the_same_blocks_do_not_narrow_intervals() -> None:
    games = league(Shape(8, 2, 6))
    once, often = (rated_board("bga", 2, one) for one in (games, repeated(games)))
    assert width(often) == pytest.approx(width(once), rel=0.02)
    sigmas = zip(once.rows, often.rows, strict=True)
    assert all(more.sigma < 0.6 * one.sigma for one, more in sigmas)


def test_scores_sum_to_zero_at_the_maximum() -> None:
    games, skills, _ = solve(as_arrays(league(Shape(8, 4, 3))))
    scores = GameScores(games, skills.scores()).sums(games.block)
    assert np.abs(scores.sum(1)).max() < 1e-9
    # At the maximum only the prior is left of the sum over all blocks.
    assert np.abs(scores.sum(0)).max() < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4, 6])
def test_dice_gain_is_above_1_only_if_dice_are_shared(players: int) -> None:
    alone, shared = (
        solve(as_arrays(league(Shape(8, players, 30, 1, part)))) for part in (0.0, 0.5)
    )
    gain, more = dice_gain(alone.games, alone.pairs), dice_gain(shared.games, shared.pairs)
    assert gain is not None
    assert more is not None
    assert gain.low < 1 < gain.high
    assert 1.2 < more.low < more.ratio < more.high


@pytest.mark.parametrize("shape", [Shape(8, 2, 4), Shape(9, 6, 2, 3), Shape(40, 2, 2)])
@pytest.mark.parametrize("most", [64, 3])
def test_correction_in_steps_is_that_by_eigenvalues(
    shape: Shape, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leverage, "_MOST_STEPS", most)
    skills = np.random.default_rng(1).normal(size=shape.bots)
    games = as_arrays(play(shape, skills, np.random.default_rng(2)))
    solution = posterior(distinct(games))
    parts = np.stack(list(solution.information(games.block)))
    scores = np.random.default_rng(3).normal(size=(len(parts), 2, games.size))
    exact = leverage.by_eigenvalues(parts, solution.covariance, scores)
    steps = leverage.in_steps(parts, solution.covariance, scores)
    assert (steps is None) == (most == 3)
    corrected = leverage.without_leverage(games, solution, scores)
    assert corrected == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_one_game_per_fixture_gives_no_dice_gain() -> None:
    assert rated(Shape(8, 2, 1)).dice_gain is None


def test_bot_that_never_wins_still_has_an_interval() -> None:
    games = [
        decided(one, (2, 1) if one.fixture.seats[0] == "bot07" else (1, 2))
        if "bot07" in one.fixture.seats
        else one
        for one in league(Shape(8, 2, 6))
    ]
    last = rated_board("bga", 2, games).rows[-1]
    assert (last.bot, last.mean_place, last.best) == ("bot07", 2.0, 8)
    assert last.place_low < 2.0
    assert last.low is None
    assert last.high is not None
    assert last.high > last.mu + 1.95 * last.sigma, "without a win nothing scatters"


def test_bot_that_always_wins_has_no_upper_end() -> None:
    games = [
        decided(one, (1, 2) if one.fixture.seats[0] == "bot00" else (2, 1))
        if "bot00" in one.fixture.seats
        else one
        for one in league(Shape(8, 2, 6))
    ]
    first = rated_board("bga", 2, games).rows[0]
    assert (first.bot, first.high) == ("bot00", None)
    assert first.low is not None
    assert first.low < first.mu - 1.95 * first.sigma
    assert first.place_low == pytest.approx(1.0)
    assert first.place_low < first.place_high


def hopeless(played: list[FixtureResult], bot: str) -> list[FixtureResult]:
    """Let a bot lose all of its games at tables of two."""
    return [
        decided(one, (2, 1) if one.fixture.seats[0] == bot else (1, 2))
        if bot in one.fixture.seats
        else one
        for one in played
    ]


def told_apart(board: Leaderboard, bots: set[str]) -> int:
    """Return how many pairs of these bots are distinguished among all."""
    pairs = [(bot, rival) for bot in bots for rival in bots - {bot}]
    return sum(board.sure[pair] >= CONFIDENCE for pair in pairs) // 2


@pytest.mark.parametrize("seed", range(5))
def test_a_hopeless_bot_does_not_hide_that_others_differ(seed: int) -> None:
    """Of a pass that is not whole: its intervals are by block."""
    played = [one for one in league(Shape(8, 2, 30), seed) if one.fixture.block < 6]
    alone = rated_board("bga", 2, [one for one in played if "bot07" not in one.fixture.seats])
    among = rated_board("bga", 2, hopeless(played, "bot07"))
    others = {row.bot for row in alone.rows}
    assert among.method == "blocks"
    # There are 28 pairs instead of 21, so each must be a little clearer.
    assert told_apart(among, others) >= 0.75 * told_apart(alone, others) > 0


def test_two_classes_are_bounded_only_towards_each_other() -> None:
    """The four best always beat the four worst: by how much they are better is not known."""
    games = [
        decided(one, (1, 2) if one.fixture.seats[0] < one.fixture.seats[1] else (2, 1))
        if (one.fixture.seats[0] < "bot04") != (one.fixture.seats[1] < "bot04")
        else one
        for one in league(Shape(8, 2, 12))
    ]
    rows = rated_board("bga", 2, games).rows
    assert [row.high is None for row in rows] == [True] * 4 + [False] * 4
    assert [row.low is None for row in rows] == [False] * 4 + [True] * 4


@pytest.mark.slow
def test_many_blocks_get_one_common_correction() -> None:
    few, many = Shape(8, 2, 1, 28), Shape(8, 2, 1, 30)
    assert len(tables(few)) < 200 < len(tables(many))
    widths = [width(rated(shape)) for shape in (few, many)]
    assert widths[0] == pytest.approx(widths[1] * (30 / 28) ** 0.5, rel=0.05)
