"""Fields that change: who joins meets everyone, who rests keeps its games, nothing is replayed."""

import sys
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.records import Fixture
from arena.league.changes import Change, History, version_name, version_of
from arena.league.schedule.schedule import Schedule
from tests.league import histories
from tests.league.histories import NAMES, games, league, then
from tests.support import factory

each_field = settings(max_examples=10, deadline=None, database=None)


def meetings(fixtures: list[Fixture]) -> Counter[tuple[str, ...]]:
    return Counter(pair for one in fixtures for pair in permutations(one.seats, 2))


def blocks_of(history: History) -> list[list[Fixture]]:
    [blocks] = Schedule(*history).blocks.values()
    return blocks


# ---------------------------------------------------------------- joining


@each_field
@given(st.integers(2, 8), st.integers(1, 3))
def test_with_two_players_every_ordered_pair_is_met_once_whoever_joined(old: int, new: int) -> None:
    before, names = league(NAMES[:old]), NAMES[: old + new]
    first = Schedule(*before).fixtures
    fixtures = Schedule(*then(before, names, blocks=len(names) - 1)).fixtures
    assert fixtures[: len(first)] == first
    seats = sorted(one.seats for one in fixtures)
    assert seats == sorted(permutations(names, 2))


@each_field
@given(st.integers(3, 6), st.integers(0, 4))
def test_newcomer_meets_everyone_evenly_and_plays_as_much(players: int, more: int) -> None:
    old = NAMES[: players + more]
    first = Schedule(*league(old, players)).fixtures
    fixtures = Schedule(*then(league(old, players), old + "z", blocks=len(old))).fixtures
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
    old = NAMES[: players + more]
    blocks = blocks_of(then(league(old, players), old + "z", blocks=len(old)))
    for block in blocks[len(old) - 1 :]:
        [seat] = {one.seats.index("z") for one in block}
        for other in set(range(players)) - {seat}:
            assert sorted(one.seats[other] for one in block) == sorted(old)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("new", [1, 7, 50])
def test_newcomers_of_an_endless_league_are_capped_and_interleaved(players: int, new: int) -> None:
    old = [f"old{n:02}" for n in range(20)]
    bots = tuple(factory.bot(f"new{n:02}") for n in range(new))
    start = league("", players, bots=tuple(map(factory.bot, old)), endless=True)
    schedule = Schedule(*start)
    [division] = schedule.blocks
    for _ in range(100):
        schedule.draw(division)
    schedule.change(Change((100,), joined=bots))
    blocks = [schedule.draw(division) or [] for _ in range(2 * new * players + 20)]
    joining = [block for block in blocks if len(block) == len(old)]
    assert {len(block) for block in blocks} == {len(old), len(old) + new}
    assert len(joining) == new * players
    had, all_for = Counter[str](), 0
    for number, block in enumerate(blocks, 1):
        if len(block) == len(old):
            [newcomer] = set.intersection(*(set(one.seats) for one in block))
            had[newcomer] += 1
            spread = [had[bot.name] for bot in bots]
            assert max(spread) - min(spread) <= 1
        else:
            all_for += 1
        assert all_for >= number // 3
    assert set(had.values()) == {players}


def test_joining_goes_on_after_a_change() -> None:
    before = league("abcdef", 3, endless=True)
    joined = then(before, "abcdefg", 10)
    one = then(joined, "abcdefgh", 12)
    schedule = Schedule(*one)
    [division] = schedule.blocks
    blocks = [schedule.draw(division) or [] for _ in range(12)]
    joining = [block for block in [*schedule.blocks[division][10:12], *blocks] if len(block) == 6]
    newcomers = Counter(
        next(iter(set.intersection(*(set(one.seats) for one in block)) & {"g", "h"}))
        for block in joining
    )
    assert newcomers == {"g": 3, "h": 3}


def test_newcomers_take_turns_over_changes_and_whole_blocks_come_between() -> None:
    """A change after each block: who came first joins first, and nobody waits for ever."""
    history, names = league("abcdef", endless=True), "abcdef"
    history = then(history, names, 60)
    for number, name in enumerate("zyxwvuts"):
        names += name
        history = then(history, names, 61 + number)
    blocks = blocks_of(then(history, names, 90))[60:]
    joiners = [
        common.pop() if len(common := set.intersection(*(set(one.seats) for one in block))) else "-"
        for block in blocks
    ]
    assert "".join(joiners[1:27]).replace("-", "") == "zyxwvutszyxwvuts"
    assert all("-" in joiners[at : at + 3] for at in range(1, 27))


# ---------------------------------------------------------------- resting, struck, new versions


@pytest.mark.parametrize("players", [2, 4, 6])
def test_games_of_a_bot_that_rests_count_on_and_it_gets_no_new_ones(players: int) -> None:
    before = league("abcdefgh", players)
    after = then(before, "abcdefg", blocks=9)
    fixtures = Schedule(*before).fixtures
    assert Schedule(*after).fixtures[: len(fixtures)] == fixtures
    new = Schedule(*after).fixtures[len(fixtures) :]
    assert set(games(new)) == set("abcdefg")
    assert (after.now().resting, len(after.now().bots)) == (("h",), 8)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_no_fixture_is_lost_when_bots_are_replaced_one_by_one(players: int) -> None:
    history, names = league("abcdefghijklmnopqrst", players), "abcdefghijklmnopqrst"
    seen: set[str] = set()
    for old, new in zip("abcdefghij", "ABCDEFGHIJ", strict=True):
        seen |= {one.id for one in Schedule(*history).fixtures}
        names = names.replace(old, new)
        history = then(history, names)
    assert seen <= {one.id for one in Schedule(*history).fixtures}


def test_games_of_a_struck_bot_are_replaced_and_count_again_when_that_is_undone() -> None:
    before = league("abcdefgh", 4)
    first = Schedule(*before).fixtures
    struck = histories.changed(before, struck=("h",))
    fixtures = Schedule(*struck).fixtures
    assert all("h" not in one.seats for one in fixtures)
    assert {one.id for one in first if "h" not in one.seats} < {one.id for one in fixtures}
    assert min(games(fixtures).values()) >= 7 * 4
    assert [bot.name for bot in struck.now().struck] == ["h"]
    for undone in ({"rested": ("h",)}, {"resumed": ("h",)}):
        again = Schedule(*histories.changed(struck, [7], **undone))
        assert again.fixtures[: len(first)] == first


def test_fixtures_of_a_bot_that_left_in_mid_block_are_left_out_for_good() -> None:
    before = league("abcd", 2, endless=True)
    schedule = Schedule(*before)
    [division] = schedule.blocks
    first, second = (schedule.draw(division) or [] for _ in range(2))
    stored = {one.id for one in [*first, second[0]] if one is not first[1]}
    begun, unplayed = schedule.cut(stored, first[1].seats[:1])
    gone = first[1].seats[0]
    assert begun == (2,)
    left_out = [one for one in (*first, *second) if one.id not in stored and gone in one.seats]
    assert unplayed == tuple(one.index for one in left_out)
    rested = History(before.start, [Change(begun, unplayed, rested=(gone,))])
    resumed = histories.changed(rested, [2], resumed=(gone,))
    schedule.change(rested.changes[0])
    for now in (schedule, Schedule(*rested), Schedule(*resumed)):
        assert now.fixtures == [one for one in (*first, *second) if one not in left_out]


def test_version_has_one_name_for_ever() -> None:
    first = factory.bot("mine")
    known = {"mine": first, "mine@x": factory.bot("mine@x")}
    other = Change((), joined=(first,)).joined[0].__class__("mine", "", "", "any", "new")
    assert version_name(first, known) == "mine"
    assert version_name(other, known) == "mine@2"
    known["mine@2"] = other
    assert version_name(other, known) == "mine@2"
    third = other.__class__("mine", "", "", "any", "newer")
    assert version_name(third, known) == "mine@3"
    assert version_of("mine@3") == ("mine", 3)
    assert (version_of("mine"), version_of("mine@x")) == (("mine", 1), ("mine@x", 1))


# ---------------------------------------------------------------- blocks


def test_blocks_that_were_not_begun_make_place_for_the_whole_field() -> None:
    before = league("abcd", blocks=20)
    blocks = blocks_of(then(before, "abcde", 8))
    assert blocks[:8] == blocks_of(before)[:8]
    joining = [block for block in blocks[8:] if len(block) == 4]
    assert len(joining) == 6
    played = games(Schedule(*then(before, "abcde", 8)).fixtures)
    assert min(played.values()) == 40
    assert played["e"] == 6 * 4 + 2 * (len(blocks) - 14) == 42


@pytest.mark.parametrize("number", [5, 8, 30])
def test_more_blocks_add_to_what_was_begun(number: int) -> None:
    before = league("abcd", blocks=10)
    blocks = blocks_of(then(before, "abcd", 8, blocks=number))
    assert blocks[:8] == blocks_of(before)[:8]
    assert len(blocks) == max(8, number)


def test_when_all_are_replaced_the_new_field_plays_from_the_start() -> None:
    before = league("abc", 3)
    fixtures = Schedule(*then(before, "xyz")).fixtures[len(Schedule(*before).fixtures) :]
    assert games(fixtures) == dict.fromkeys("xyz", 6)


def test_pass_of_an_endless_league_is_that_of_a_league_with_blocks() -> None:
    whole, endless = Schedule(*league("abcdefg", 4)), Schedule(*league("abcdefg", 4, endless=True))
    assert not endless.fixtures
    endless.reach(whole.fixtures[-1].index)
    assert [one.seats for one in endless.fixtures] == [one.seats for one in whole.fixtures]


# ---------------------------------------------------------------- work


def _with_changes(number: int) -> History:
    """Return a league in which one bot after another is replaced, after one block each."""
    history, names = league(NAMES, endless=True), NAMES
    for n in range(number):
        names = names[1:] + chr(ord("A") + n)
        history = then(history, names, n + 1)
    return history


def _calls(history: History) -> int:
    """Return how many functions are called to draw a league's schedule."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        Schedule(*history)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
def test_work_grows_with_the_changes_and_not_with_their_square() -> None:
    Schedule(*_with_changes(1))  # The search for a design is done once.
    few, some, many = (_calls(_with_changes(number)) for number in (20, 40, 80))
    assert many - some < 2.2 * (some - few)
