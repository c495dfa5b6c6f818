"""Leaderboards: the trueskill package's own numbers, exact counts, any order of games."""

from collections.abc import Sequence

import msgspec
import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.referee import Referee
from arena.perudo.rules import BGA
from arena.ratings.table import Duel, Leaderboard, Result, Row, leaderboards, rate
from arena.records import Cause, Fault, Fixture, GameRecord, PlayedFixture
from arena.wire.messages import Answer, Turn
from tests.publish import factory

each_set = settings(max_examples=60, deadline=None, database=None)

BY_HAND = [
    Result(("a", "b", "c"), (1, 2, 3), (False, False, True)),
    Result(("b", "c", "a"), (1, 3, 2), (False, True, False)),
    Result(("c", "a", "b"), (2, 1, 3), (False, False, False)),
    Result(("a", "b", "d"), (3, 1, 2), (True, False, False)),
]


def rows(board: Leaderboard) -> dict[str, Row]:
    return {row.bot: row for row in board.rows}


def by_package(results: Sequence[Result]) -> dict[str, trueskill.Rating]:
    """Rate with the package alone."""
    env = trueskill.TrueSkill(mu=25.0, sigma=25 / 3, beta=25 / 6, tau=0.0, draw_probability=0.0)
    skill: dict[str, trueskill.Rating] = {}
    for result in results:
        teams = [{bot: skill.get(bot, env.create_rating())} for bot in result.bots]
        for team in env.rate(teams, ranks=list(result.places)):
            skill.update(team)
    return skill


@st.composite
def results(draw: st.DrawFn) -> list[Result]:
    players = draw(st.integers(2, 6))
    seats = st.permutations("abcdefgh").map(lambda names: tuple(names[:players]))
    places = st.permutations(range(1, players + 1)).map(tuple)
    faulted = st.tuples(*[st.booleans()] * players)
    return draw(st.lists(st.builds(Result, seats, places, faulted), min_size=1, max_size=12))


@each_set
@given(results())
def test_ratings_are_the_package_s_relative_to_the_field(games: list[Result]) -> None:
    board = rate("bga", len(games[0].bots), games)
    skill = by_package(games)
    mean = sum(rating.mu for rating in skill.values()) / len(skill)
    assert {row.bot for row in board.rows} == set(skill)
    for row in board.rows:
        assert row.mu == pytest.approx(skill[row.bot].mu - mean, abs=1e-9)
        assert row.sigma == pytest.approx(skill[row.bot].sigma, abs=1e-9)
    assert sum(row.mu for row in board.rows) == pytest.approx(0, abs=1e-9)
    assert [row.mu for row in board.rows] == sorted((row.mu for row in board.rows), reverse=True)


def test_sigma_only_shrinks() -> None:
    # tau = 0: bots that do not change are never doubted anew.
    games = [Result(("a", "b"), (1, 2), (False, False))] * 40
    sigmas = [rows(rate("bga", 2, games[:n]))["a"].sigma for n in range(1, 41)]
    assert sigmas == sorted(sigmas, reverse=True)
    assert sigmas[0] < 25 / 3


def test_counts_of_a_set_made_by_hand() -> None:
    board = rows(rate("bga", 3, BY_HAND))
    counts = {bot: (row.games, row.wins, row.mean_place, row.faults) for bot, row in board.items()}
    assert counts == {
        "a": (4, 2, (1 + 2 + 1 + 3) / 4, 1),
        "b": (4, 2, (2 + 1 + 3 + 1) / 4, 0),
        "c": (3, 0, (3 + 3 + 2) / 3, 2),
        "d": (1, 0, 2.0, 0),
    }


def test_duels_of_a_set_made_by_hand() -> None:
    duels = rate("bga", 3, BY_HAND).duels
    assert duels["a", "b"] == Duel(2, 4)
    assert duels["b", "a"] == Duel(2, 4)
    assert duels["a", "c"] == Duel(3, 3)
    assert duels["c", "b"] == Duel(1, 3)
    assert duels["d", "a"] == Duel(1, 1)
    assert ("c", "d") not in duels
    assert ("a", "a") not in duels


@each_set
@given(results())
def test_duels_add_up(games: list[Result]) -> None:
    duels = rate("bga", len(games[0].bots), games).duels
    for (one, other), duel in duels.items():
        back = duels[other, one]
        assert duel.games == back.games == duel.ahead + back.ahead


def test_the_interval() -> None:
    row = Row(bot="a", mu=2.0, sigma=1.5, games=1, wins=0, mean_place=1.0, faults=0)
    assert (row.low, row.high) == pytest.approx((2 - 1.96 * 1.5, 2 + 1.96 * 1.5))
    assert row.conservative == pytest.approx(2 - 3 * 1.5)


def test_no_games_no_rows() -> None:
    assert rate("bga", 2, []).rows == []
    assert leaderboards([]) == []


def test_equal_bots_stand_by_name() -> None:
    games = [Result(("b", "a"), (1, 2), (False, False)), Result(("z", "y"), (1, 2), (False, False))]
    assert [row.bot for row in rate("bga", 2, games).rows] == ["b", "z", "a", "y"]


def test_variants_and_table_sizes_are_never_mixed() -> None:
    played = [
        factory.fixture(0, ("a", "b")),
        factory.fixture(1, ("a", "b", "c")),
        factory.fixture(2, ("a", "b"), "house rules"),
        factory.fixture(3, ("b", "a")),
    ]
    boards = {(board.variant, board.players): board for board in leaderboards(played)}
    assert list(boards) == [("bga", 2), ("bga", 3), ("house rules", 2)]
    for (variant, players), board in boards.items():
        own = [
            one
            for one in played
            if (one.fixture.variant, len(one.fixture.seats)) == (variant, players)
        ]
        assert leaderboards(own) == [board]
        games = sum(len(one.games) for one in own)
        assert sum(row.games for row in board.rows) == players * games
        assert sum(row.wins for row in board.rows) == games


PLAYED = factory.sample()[2]


@each_set
@given(st.permutations(PLAYED))
def test_the_order_in_which_fixtures_come_does_not_matter(played: list[PlayedFixture]) -> None:
    assert encoded(played) == encoded(PLAYED)


def encoded(played: Sequence[PlayedFixture]) -> list[bytes]:
    boards = leaderboards(iter(played))
    return [msgspec.json.encode((b.variant, b.players, b.rows)) for b in boards] + [
        repr(sorted(b.duels.items())).encode() for b in boards
    ]


def test_order_matters_to_the_fold_itself() -> None:
    # Else the test above would prove nothing.
    games = [
        Result(("a", "b"), (1, 2), (False, False)),
        Result(("b", "c"), (1, 2), (False, False)),
        Result(("c", "a"), (1, 2), (False, False)),
    ]
    assert rate("bga", 2, games).rows != rate("bga", 2, games[::-1]).rows


def test_a_bot_that_always_faults_is_last() -> None:
    names = ("crasher", "b", "c")
    fixture = Fixture("id", 0, "bga", names, "seed", 6)
    games = [game_without(0, number) for number in range(6)]
    played = PlayedFixture(fixture, games, "process", "wall", 0, 0.0)
    [board] = leaderboards([played])
    assert board.rows[-1].bot == "crasher"
    assert board.rows[-1].mean_place == 3.0
    assert [rows(board)[name].faults for name in names] == [6, 0, 0]


def game_without(seat: int, number: int) -> GameRecord:
    """Play a game whose other seats bid as little as they can and doubt what they must."""
    referee = Referee(BGA, 3, "seed", number)
    referee.forfeit({seat: Fault(Cause.CRASH, "exit status 1")})
    while referee.waiting:
        to_act = referee.waiting[0]
        referee.take(to_act, lowest(referee.request(to_act, 1)))
    return referee.record


def lowest(request: object) -> Answer:
    assert isinstance(request, Turn)
    if not request.raises:
        return Answer(id=1, action="dudo")
    first = request.raises[0]
    return Answer(id=1, action="bid", quantity=first.min, face=first.face)
