"""Ratings that are remembered are those from cold, whatever changed in between."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import FixtureResult, RatingsInfo
from arena.ratings.board import trajectory as past
from arena.ratings.board.memory import Entry
from arena.ratings.leaderboard_rows import checkpoints
from arena.ratings.league_ratings import Ratings, by_division, rate_results
from arena.ratings.model.trueskill import Rating, rate_all
from tests.support.depth import depth
from tests.support.simulated_leagues import Shape, play, play_with_luck
from tests.support.twists import with_faults

SKILLS = np.linspace(3.0, -3.0, 6)
OPTIONS = RatingsInfo(overall=True, alpha=0.5)


class Memory:
    """Remembers all that was made, and notes what was made again."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[bytes, bytes]] = {}
        self.made: list[str] = []

    def __call__(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return what was made with this key, perhaps earlier."""
        if name not in self.kept or self.kept[name][0] != key:
            self.made.append(name)
            self.kept[name] = key, make()
        return self.kept[name][1]


def league(players: int, seed: int = 1) -> list[FixtureResult]:
    """Some fixtures with faults, and with luck at tables of two."""
    rng = np.random.default_rng(seed)
    shape = Shape(6, players, 12)
    played = play(shape, SKILLS, rng) if players > 2 else play_with_luck(shape, SKILLS, rng, 0.4)
    return with_faults(played, rng)


LEAGUE = [*league(2), *league(3)]


def rated(
    played: Iterable[FixtureResult], memory: Memory | None = None, options: RatingsInfo = OPTIONS
) -> Ratings:
    return rate_results(by_division(played), options, memory)


@settings(max_examples=depth(1, 10), deadline=None, database=None)
@given(st.randoms(use_true_random=False), st.lists(st.integers(1, len(LEAGUE)), max_size=4))
def test_any_fixtures_give_the_ratings_from_cold(random: Random, sizes: Sequence[int]) -> None:
    memory = Memory()
    for size in [*sizes, len(LEAGUE)]:
        some = random.sample(LEAGUE, size)
        assert rated(some, memory) == rated(some)


def test_a_past_that_is_rated_meanwhile_is_remembered_like_any_other() -> None:
    def begin(call: Callable[[], list[Entry]]) -> Callable[[], list[Entry]]:
        made = call()
        return lambda: made

    usual, meanwhile = Memory(), Memory()
    found = rate_results(by_division(LEAGUE), OPTIONS, meanwhile, begin)
    assert found == rated(LEAGUE, usual)
    assert meanwhile.kept == usual.kept


def test_brief_ratings_are_the_others_without_their_past() -> None:
    whole, brief = rated(LEAGUE), rate_results(by_division(LEAGUE), OPTIONS, brief=True)
    assert brief.overall == whole.overall
    assert not brief.suspicions
    for board, short in zip(whole.boards, brief.boards, strict=True):
        rows = [
            replace(row, mu_sequential=one.mu_sequential)
            for row, one in zip(board.rows, short.rows, strict=True)
        ]
        assert rows == [*short.rows]
        assert short.better == board.better


def test_brief_ratings_are_not_taken_for_whole_ones() -> None:
    memory = Memory()
    rate_results(by_division(LEAGUE), OPTIONS, memory, brief=True)
    assert rated(LEAGUE, memory) == rated(LEAGUE)


def first_game(one: FixtureResult, **changes: object) -> FixtureResult:
    first, *others = one.games
    return replace(one, games=[replace(first, **changes), *others])


def places(one: FixtureResult) -> FixtureResult:
    return first_game(one, places=one.games[0].places[::-1])


def faults(one: FixtureResult) -> FixtureResult:
    return first_game(one, faults=one.games[0].faults[::-1])


def luck(one: FixtureResult) -> FixtureResult:
    return replace(one, luck=[one.luck[0] + 1000, *one.luck[1:]])


def no_luck(one: FixtureResult) -> FixtureResult:
    return replace(one, luck=())


def seats(one: FixtureResult) -> FixtureResult:
    return replace(one, fixture=replace(one.fixture, seats=one.fixture.seats[::-1]))


def newcomer(one: FixtureResult) -> FixtureResult:
    return replace(one, fixture=replace(one.fixture, seats=("new", *one.fixture.seats[1:])))


def block(one: FixtureResult) -> FixtureResult:
    return replace(one, fixture=replace(one.fixture, block=one.fixture.block + 1))


def later(one: FixtureResult) -> FixtureResult:
    return replace(one, fixture=replace(one.fixture, index=one.fixture.index + 1000))


def fewer(one: FixtureResult) -> FixtureResult:
    return replace(one, games=one.games[:-1], luck=one.luck[:-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [places, faults, luck, no_luck, seats, newcomer, block, later, fewer]
)
def test_whatever_changes_in_a_fixture_shows(
    change: Callable[[FixtureResult], FixtureResult],
) -> None:
    played = league(2)
    faulty = next(at for at, one in enumerate(played) if any(one.games[0].faulted))
    changed = [change(one) if at == faulty else one for at, one in enumerate(played)]
    memory = Memory()
    before = rated(played, memory)
    after = rated(changed, memory)
    assert after == rated(changed)
    assert after != before


@pytest.mark.parametrize(
    "changes",
    [{"anchor": "bot03"}, {"provisional": 10_000}, {"overall": False}, {"alpha": 0.0}],
    ids=lambda changes: next(iter(changes)),
)
def test_whatever_is_asked_of_ratings_shows(changes: Mapping[str, object]) -> None:
    memory = Memory()
    before = rated(LEAGUE, memory)
    options = replace(OPTIONS, **changes)
    after = rated(LEAGUE, memory, options)
    assert after == rated(LEAGUE, options=options)
    assert after != before


def test_only_the_division_of_a_new_fixture_is_rated_again() -> None:
    *earlier, last = LEAGUE
    memory = Memory()
    rated(earlier, memory)
    memory.made.clear()
    rated(earlier, memory)
    assert memory.made == []
    rated(LEAGUE, memory)
    assert {name.split()[-2] for name in memory.made} == {str(len(last.fixture.seats))}


def test_the_usual_pass_goes_on_where_games_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def counting(orders: Iterable[Sequence[str]], start: Mapping[str, Rating]) -> object:
        games = list(orders)
        seen.append(len(games))
        return rate_all(games, start)

    monkeypatch.setattr(past, "rate_all", counting)
    played = league(3)
    memory = Memory()
    rated(played[:-1], memory)
    assert sum(seen) == sum(len(one.games) for one in played[:-1])
    seen.clear()
    memory.made.clear()
    rated(played, memory)
    games = sum(len(one.games) for one in played)
    assert sum(seen) == games - max(stop for stop in checkpoints(games) if stop < games - 12)
    assert len([name for name in memory.made if name.startswith("point")]) <= 1


def test_fixtures_struck_in_the_middle_leave_the_first_games() -> None:
    played = league(3)
    memory = Memory()
    rated(played, memory)
    memory.made.clear()
    without = [*played[:10], *played[11:]]
    assert rated(without, memory) == rated(without)
    assert "point 0 3 'bga'" not in memory.made
