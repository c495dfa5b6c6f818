"""Leaderboards: counts, any order of games, anchors, variants and table sizes never mixed."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.records import (
    Cause,
    Fault,
    FixtureResult,
    GameRecord,
    PlayedFixture,
    RatingsInfo,
)
from arena.game.referee import Referee
from arena.game.rules.books import BGA
from arena.game.wire.messages import Answer, Turn
from arena.ratings.leaderboard_rows import Duel, Leaderboard, LeaderboardRow
from tests.ratings.simulated import game
from tests.support import factory, records
from tests.support.depth import depth
from tests.support.played_games import play_out
from tests.support.ratings import rated_board
from tests.support.results import rate_league

each_set = settings(max_examples=depth(4, 25), deadline=None, database=None)

BY_HAND = [
    game(("a", "b", "c"), (1, 2, 3), [2]),
    game(("b", "c", "a"), (1, 3, 2), [1]),
    game(("c", "a", "b"), (2, 1, 3)),
    game(("a", "b", "d"), (3, 1, 2), [0]),
]


def rows(board: Leaderboard) -> dict[str, LeaderboardRow]:
    return {row.bot: row for row in board.rows}


@st.composite
def results(draw: st.DrawFn) -> list[FixtureResult]:
    players = draw(st.integers(2, 6))
    seats = st.permutations("abcdefgh").map(lambda names: tuple(names[:players]))
    places = st.permutations(range(1, players + 1)).map(tuple)
    faulted = st.sets(st.integers(0, players - 1))
    small = st.integers(0, 3)
    games = st.builds(game, seats, places, faulted, small, small, small)
    return draw(st.lists(games, min_size=1, max_size=12))


def board_of(games: Sequence[FixtureResult], options: RatingsInfo | None = None) -> Leaderboard:
    return rated_board("bga", len(games[0].fixture.seats), games, options)


@each_set
@given(results())
def test_rows_are_best_first_about_the_mean_of_the_field(games: list[FixtureResult]) -> None:
    board = board_of(games)
    assert {row.bot for row in board.rows} == {bot for one in games for bot in one.fixture.seats}
    assert sum(row.mu for row in board.rows) == pytest.approx(0, abs=1e-9)
    assert sum(row.mu_sequential for row in board.rows) == pytest.approx(0, abs=1e-6)
    assert [row.mu for row in board.rows] == sorted((row.mu for row in board.rows), reverse=True)


@each_set
@given(results(), st.randoms(use_true_random=False))
def test_a_rating_depends_on_the_set_of_games_alone(
    games: list[FixtureResult], random: Random
) -> None:
    shuffled = list(games)
    random.shuffle(shuffled)
    assert board_of(shuffled) == board_of(games)


@each_set
@given(results())
def test_an_anchor_shifts_every_mu_alike(games: list[FixtureResult]) -> None:
    plain = rows(board_of(games))
    for anchor in plain:
        anchored = rows(board_of(games, RatingsInfo(anchor=anchor)))
        assert anchored[anchor].mu == anchored[anchor].low == anchored[anchor].high == 0.0
        assert anchored[anchor].mu_sequential == 0.0
        for bot, row in plain.items():
            assert row.mu - anchored[bot].mu == pytest.approx(plain[anchor].mu, abs=1e-9)
            assert (row.best, row.worst) == (anchored[bot].best, anchored[bot].worst)


def test_bots_with_few_games_are_provisional() -> None:
    board = rows(board_of(BY_HAND, RatingsInfo(provisional=4)))
    assert {bot for bot, row in board.items() if row.provisional} == {"c", "d"}
    assert not any(row.provisional for row in board_of(BY_HAND, RatingsInfo(provisional=0)).rows)
    assert all(row.provisional for row in board_of(BY_HAND, RatingsInfo()).rows)


def test_counts_of_a_set_made_by_hand() -> None:
    board = rows(board_of(BY_HAND))
    counts = {bot: (row.games, row.wins, row.mean_place, row.faults) for bot, row in board.items()}
    assert counts == {
        "a": (4, 2, (1 + 2 + 1 + 3) / 4, 1),
        "b": (4, 2, (2 + 1 + 3 + 1) / 4, 0),
        "c": (3, 0, (3 + 3 + 2) / 3, 2),
        "d": (1, 0, 2.0, 0),
    }


def test_duels_of_a_set_made_by_hand() -> None:
    duels = board_of(BY_HAND).duels
    assert duels["a", "b"] == Duel(2, 4)
    assert duels["b", "a"] == Duel(2, 4)
    assert duels["a", "c"] == Duel(3, 3)
    assert duels["c", "b"] == Duel(1, 3)
    assert duels["d", "a"] == Duel(1, 1)
    assert ("c", "d") not in duels
    assert ("a", "a") not in duels


@each_set
@given(results())
def test_duels_add_up(games: list[FixtureResult]) -> None:
    duels = board_of(games).duels
    for (one, other), duel in duels.items():
        back = duels[other, one]
        assert duel.games == back.games == duel.ahead + back.ahead


def test_conservative_rating_and_win_share() -> None:
    row = rows(board_of(BY_HAND))["a"]
    assert row.conservative == row.mu - 3 * row.sigma
    assert row.win_share == 2 / 4


def test_no_games_give_no_boards() -> None:
    assert rate_league([]).boards == []
    assert rate_league([], RatingsInfo(overall=True)).overall is None


def test_equal_bots_are_sorted_by_name() -> None:
    games = [game(("b", "a"), (1, 2)), game(("z", "y"), (1, 2))]
    assert [row.bot for row in board_of(games).rows] == ["b", "z", "a", "y"]


def test_variants_and_table_sizes_are_never_mixed() -> None:
    played = [
        factory.fixture(0, ("a", "b")),
        factory.fixture(1, ("a", "b", "c")),
        factory.fixture(2, ("a", "b"), "house rules"),
        factory.fixture(3, ("b", "a")),
    ]
    boards = {(board.variant, board.players): board for board in rate_league(played).boards}
    assert list(boards) == [("bga", 2), ("bga", 3), ("house rules", 2)]
    for (variant, players), board in boards.items():
        own = [
            one
            for one in played
            if (one.fixture.variant, len(one.fixture.seats)) == (variant, players)
        ]
        assert rate_league(own).boards == [board]
        games = sum(len(one.games) for one in own)
        assert sum(row.games for row in board.rows) == players * games
        assert sum(row.wins for row in board.rows) == games


PLAYED = factory.sample()[2]


@each_set
@given(st.permutations(PLAYED))
def test_the_order_in_which_fixtures_come_does_not_matter(played: list[PlayedFixture]) -> None:
    assert encoded(played) == encoded(PLAYED)


def encoded(played: Sequence[PlayedFixture]) -> list[bytes]:
    boards = rate_league(iter(played)).boards
    return [msgspec.json.encode((b.variant, b.players, b.rows)) for b in boards] + [
        repr(sorted(b.duels.items())).encode() for b in boards
    ]


def test_a_bot_that_always_faults_is_last() -> None:
    names = ("crasher", "b", "c")
    games = [game_without(0, number) for number in range(6)]
    played = records.played(records.fixture(names, 6), games)
    [board] = rate_league([played]).boards
    assert board.rows[-1].bot == "crasher"
    assert board.rows[-1].mean_place == 3.0
    assert [rows(board)[name].faults for name in names] == [6, 0, 0]


def game_without(seat: int, number: int) -> GameRecord:
    """Play a game in which the other seats bid the minimum and doubt only if they must."""
    referee = Referee(BGA, 3, "seed", number)
    referee.forfeit({seat: Fault(Cause.CRASH, "exit status 1")})
    return play_out(referee, lowest)


def lowest(_: int, request: object) -> Answer:
    assert isinstance(request, Turn)
    if not request.raises:
        return Answer(id=0, action="dudo")
    first = request.raises[0]
    return Answer(id=0, action="bid", quantity=first.min, face=first.face)
