"""Fields that change: who joins meets everyone, who leaves counts no more, nothing is replayed."""

import sys
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.league.schedule import Schedule, epochs
from arena.perudo.rules import BGA
from arena.records import Epoch, Fixture, LeagueInfo
from tests.publish import factory

each_field = settings(max_examples=10, deadline=None, database=None)
NAMES = tuple("abcdefghij")


def field(names: str, players: int = 2, **changes: object) -> LeagueInfo:
    return factory.league(tuple(names), players=(players,), variants={"bga": BGA}, **changes)


def then(before: LeagueInfo, names: str, kept: int | None = None, **changes: object) -> LeagueInfo:
    """Return a league with another field, all blocks of the earlier one kept, or `kept`."""
    [blocks] = Schedule(before).blocks.values()
    ended = Epoch(before.bots, before.rounds, (len(blocks) if kept is None else kept,))
    after = field(names, before.players[0], **changes)
    return replace(after, earlier=(*before.earlier, ended))


def new_files(info: LeagueInfo, name: str) -> LeagueInfo:
    """Return a league in which one bot has other files."""
    bots = tuple(replace(bot, digest="new") if bot.name == name else bot for bot in info.bots)
    return replace(info, bots=bots)


def meetings(fixtures: list[Fixture]) -> Counter[tuple[str, ...]]:
    return Counter(pair for one in fixtures for pair in permutations(one.seats, 2))


def games(fixtures: list[Fixture]) -> Counter[str]:
    return Counter(bot for one in fixtures for bot in one.seats)


@each_field
@given(st.integers(2, 8), st.integers(1, 3))
def test_with_two_players_every_ordered_pair_is_met_once_whoever_joined(old: int, new: int) -> None:
    league = field("".join(NAMES[:old]))
    first = Schedule(league).fixtures
    league = then(league, "".join(NAMES[: old + new]))
    fixtures = Schedule(league).fixtures
    assert fixtures[: len(first)] == first
    seats = sorted(one.seats for one in fixtures)
    assert seats == sorted(permutations(NAMES[: old + new], 2))


@each_field
@given(st.integers(3, 6), st.integers(0, 4))
def test_newcomer_meets_everyone_evenly_and_plays_as_much(players: int, more: int) -> None:
    old = "".join(NAMES[: players + more])
    first = Schedule(field(old, players)).fixtures
    fixtures = Schedule(then(field(old, players), old + "z")).fixtures
    added = fixtures[len(first) :]
    assert fixtures[: len(first)] == first
    met = meetings(added)
    assert len({met["z", bot] for bot in old}) == 1
    assert all("z" in one.seats for one in added)
    played = games(fixtures)
    assert len({played[bot] for bot in old}) == 1
    assert players * len(old) <= played["z"] <= played["a"]
    assert {one.seats.index("z") for one in added} == set(range(players))


@each_field
@given(st.integers(3, 6), st.integers(0, 4))
def test_in_a_block_for_a_newcomer_the_others_sit_alike(players: int, more: int) -> None:
    old = "".join(NAMES[: players + more])
    [blocks] = Schedule(then(field(old, players), old + "z")).blocks.values()
    for block in blocks[len(old) - 1 :]:
        [seat] = {one.seats.index("z") for one in block}
        for other in set(range(players)) - {seat}:
            assert sorted(one.seats[other] for one in block) == sorted(old)


def test_games_with_a_bot_that_left_are_replaced() -> None:
    before = field("abcdefgh", 4)
    after = then(before, "abcdefg")
    fixtures = Schedule(after).fixtures
    assert all("h" not in one.seats for one in fixtures)
    kept = {one.id for one in Schedule(before).fixtures if "h" not in one.seats}
    assert kept < {one.id for one in fixtures}
    assert min(games(fixtures).values()) >= 6 * 4
    assert max(games(fixtures).values()) < 7 * 4


def test_with_two_players_nothing_is_lacking_when_a_bot_leaves() -> None:
    before = field("abcde")
    fixtures = Schedule(then(before, "abcd")).fixtures
    assert fixtures == [one for one in Schedule(before).fixtures if "e" not in one.seats]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_new_version_is_another_bot(players: int) -> None:
    before = field("abcdefg", players)
    changed = new_files(before, "c")
    after = new_files(then(before, "abcdefg"), "c")
    assert changed.bots == after.bots
    old = {one.id for one in Schedule(before).fixtures}
    fixtures = Schedule(after).fixtures
    assert all("c" not in one.seats for one in fixtures if one.id in old)
    assert set(games(fixtures).values()) == {6 * players}
    assert len(set(meetings(fixtures).values())) == 1 or players > 2


def test_games_of_a_bot_that_returns_count_again() -> None:
    whole = field("abcd")
    without = then(whole, "abc")
    again = then(without, "abcd")
    assert Schedule(again).fixtures == Schedule(whole).fixtures


def test_blocks_that_were_not_begun_make_place_for_the_whole_field() -> None:
    before = field("abcd", rounds=20)
    after = then(before, "abcde", kept=8, rounds=20)
    [blocks] = Schedule(after).blocks.values()
    assert blocks[:8] == [list(block) for block in next(iter(Schedule(before).blocks.values()))[:8]]
    assert [len(block) for block in blocks[8:14]] == [4] * 6
    assert {len(block) for block in blocks[14:]} == {5}
    played = games(Schedule(after).fixtures)
    assert min(played.values()) == 40
    assert played["e"] == 6 * 4 + 2 * len(blocks[14:]) == 42


@pytest.mark.parametrize("rounds", [5, 8, 30])
def test_more_rounds_add_to_what_was_begun(rounds: int) -> None:
    before = field("abcd", rounds=10)
    [old] = Schedule(before).blocks.values()
    [blocks] = Schedule(then(before, "abcd", kept=8, rounds=rounds)).blocks.values()
    assert blocks[:8] == old[:8]
    assert len(blocks) == max(8, rounds)


def test_when_all_are_replaced_the_new_field_plays_from_the_start() -> None:
    fixtures = Schedule(then(field("abc", 3), "xyz")).fixtures
    assert games(fixtures) == dict.fromkeys("xyz", 6)


@st.composite
def histories(draw: st.DrawFn) -> LeagueInfo:
    """A league whose field and rounds changed, over and over."""
    players = draw(st.integers(2, 4))
    fields = st.lists(st.sampled_from(NAMES), min_size=players, max_size=8, unique=True)
    info = field("".join(sorted(draw(fields))), players, rounds=draw(st.integers(1, 9)))
    for _ in range(draw(st.integers(0, 4))):
        [blocks] = Schedule(info).blocks.values()
        kept = draw(st.integers(0, len(blocks)))
        names = "".join(sorted(draw(fields)))
        info = then(info, names, kept, rounds=draw(st.integers(1, 9)))
    return info


@each_field
@given(histories())
def test_ids_places_and_dice_are_never_used_twice(info: LeagueInfo) -> None:
    seen: dict[str, Fixture] = {}
    for epoch in epochs(info):
        for one in Schedule(epoch).fixtures:
            assert seen.setdefault(one.id, one) == one
    fixtures = Schedule(info).fixtures
    assert len({one.index for one in fixtures}) == len(fixtures)
    assert len({one.seed for one in fixtures}) == len(fixtures)
    [blocks] = Schedule(info).blocks.values()
    dice = [{one.dice for one in block} for block in blocks if block]
    assert all(len(keys) == 1 for keys in dice)
    assert len(set.union(set(), *dice)) == len(dice)
    assert [one.block for one in fixtures] == sorted(one.block for one in fixtures)


@each_field
@given(histories())
def test_everyone_plays_at_least_the_rounds_asked_for(info: LeagueInfo) -> None:
    played = games(Schedule(info).fixtures)
    assert set(played) == {bot.name for bot in info.bots}
    assert min(played.values()) >= info.rounds * info.players[0]


@each_field
@given(histories())
def test_a_schedule_that_is_changed_is_the_one_drawn_from_all_conditions(info: LeagueInfo) -> None:
    *before, now = epochs(info)
    if not before:
        return
    schedule = Schedule(before[-1])
    schedule.change(now)
    whole = Schedule(now)
    assert schedule.conditions == info
    assert (schedule.fixtures, schedule.drawn) == (whole.fixtures, whole.drawn)
    assert (schedule.blocks, schedule.earlier_blocks) == (whole.blocks, whole.earlier_blocks)


def _with_changes(number: int) -> LeagueInfo:
    """Return a league in which one bot after another got other files, all blocks kept."""
    info = field("".join(NAMES), rounds=3)
    for version in range(number):
        changed = version % len(NAMES)
        bots = [
            replace(bot, digest=str(version)) if place == changed else bot
            for place, bot in enumerate(info.bots)
        ]
        ended = Epoch(info.bots, info.rounds, (10**6,))
        info = replace(info, bots=tuple(bots), earlier=(*info.earlier, ended))
    return info


def _calls(info: LeagueInfo) -> int:
    """Return how many functions are called to draw a league's schedule."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        Schedule(info)
    finally:
        sys.setprofile(None)
    return calls


def test_work_grows_with_the_changes_and_not_with_their_square() -> None:
    Schedule(_with_changes(1))  # The search for a design is done once.
    few, some, many = (_calls(_with_changes(number)) for number in (20, 40, 80))
    assert many - some < 2.2 * (some - few)
