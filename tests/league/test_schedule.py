"""Schedules: pure, even, and decided by the league alone."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import Conditions
from arena.game.rules.books import VARIANTS
from arena.game.rules.dice import roll
from arena.game.seeds import bot_seed
from arena.league.schedule.schedule import Schedule
from arena.league.terms.conditions import conditions_of
from tests.league import leagues
from tests.support import factory

each_league = settings(max_examples=12, deadline=None, database=None)


@st.composite
def infos(draw: st.DrawFn) -> Conditions:
    count = draw(st.integers(2, 8))
    sizes = st.lists(st.integers(2, min(6, count)), min_size=1, max_size=3, unique=True)
    labels = st.lists(st.sampled_from(sorted(VARIANTS)), min_size=1, max_size=3, unique=True)
    return factory.league(
        tuple(f"bot{number:02}" for number in range(count)),
        players=tuple(draw(sizes)),
        variants={label: VARIANTS[label] for label in draw(labels)},
        games=draw(st.integers(1, 5)),
        seed=draw(st.text(max_size=6)),
    )


@each_league
@given(infos())
def test_schedule_is_a_function_of_the_conditions(conditions: Conditions) -> None:
    fixtures = Schedule(conditions).fixtures
    assert fixtures == Schedule(conditions).fixtures
    assert [fixture.index for fixture in fixtures] == list(range(len(fixtures)))
    tables = len(conditions.bots) * (len(conditions.bots) - 1)
    assert len(fixtures) == tables * len(conditions.variants) * len(conditions.players)
    assert {fixture.games for fixture in fixtures} == {conditions.games}


@each_league
@given(infos())
def test_ids_and_seeds_are_all_different(conditions: Conditions) -> None:
    fixtures = Schedule(conditions).fixtures
    assert len({fixture.id for fixture in fixtures}) == len(fixtures)
    assert len({fixture.seed for fixture in fixtures}) == len(fixtures)


@each_league
@given(infos())
def test_no_bot_meets_itself_and_seats_are_even(conditions: Conditions) -> None:
    seats: Counter[tuple[str, int, int, str]] = Counter()
    for fixture in Schedule(conditions).fixtures:
        players = len(fixture.seats)
        assert len(set(fixture.seats)) == players
        seats.update((fixture.variant, players, n, bot) for n, bot in enumerate(fixture.seats))
    expected = {
        (variant, players, seat, bot.name): len(conditions.bots) - 1
        for variant in conditions.variants
        for players in conditions.players
        for seat in range(players)
        for bot in conditions.bots
    }
    assert seats == expected


@each_league
@given(infos())
def test_each_block_alone_is_even(conditions: Conditions) -> None:
    names = [bot.name for bot in conditions.bots]
    fixtures = Schedule(conditions).fixtures
    for variant in conditions.variants:
        for players in conditions.players:
            tables = [
                fixture.seats
                for fixture in fixtures
                if (fixture.variant, len(fixture.seats)) == (variant, players)
            ]
            for first in range(0, len(tables), len(names)):
                block = tables[first : first + len(names)]
                for seat in range(players):
                    assert sorted(table[seat] for table in block) == names


@each_league
@given(infos())
def test_two_player_tables_hold_every_ordered_pair_once(conditions: Conditions) -> None:
    pairs = list(permutations([bot.name for bot in conditions.bots], 2))
    fixtures = Schedule(conditions).fixtures
    for variant in conditions.variants:
        met = [
            fixture.seats
            for fixture in fixtures
            if fixture.variant == variant and len(fixture.seats) == 2
        ]
        assert sorted(met) == (sorted(pairs) if 2 in conditions.players else [])


@each_league
@given(infos(), st.booleans())
def test_dice_are_shared_in_a_block_and_bots_seeds_never(
    conditions: Conditions, shared: bool
) -> None:
    fixtures = Schedule(replace(conditions, shared_dice=shared)).fixtures
    blocks = {(one.variant, len(one.seats), one.block): one.dice_key for one in fixtures}
    assert len(set(blocks.values())) == len(blocks)
    different = len(blocks) if shared else len(fixtures)
    assert len({one.dice_key for one in fixtures}) == different
    seeds = [bot_seed(one.seed, seat) for one in fixtures for seat in range(len(one.seats))]
    assert len(set(seeds)) == len(seeds)


@each_league
@given(infos(), st.integers(1, 30))
def test_blocks_are_passes_through_reshuffled_designs(conditions: Conditions, number: int) -> None:
    found = Schedule(replace(conditions, blocks=number)).blocks
    for (_, players), blocks in found.items():
        assert [one.block for block in blocks for one in block[:1]] == list(range(number))
        for block in blocks:
            for seat in range(players):
                assert sorted(one.seats[seat] for one in block) == sorted(
                    b.name for b in conditions.bots
                )
        if players == 2:
            size = len(conditions.bots) - 1
            for first in range(0, number - size + 1, size):
                met = [one.seats for block in blocks[first : first + size] for one in block]
                assert sorted(met) == sorted(permutations([b.name for b in conditions.bots], 2))


def test_second_pass_is_shuffled_again() -> None:
    names = tuple(f"bot{number}" for number in range(8))
    info = factory.league(names, blocks=14, players=(4,))
    for blocks in Schedule(info).blocks.values():
        first, second = (
            {one.seats for block in some for one in block} for some in (blocks[:7], blocks[7:])
        )
        assert len(first & second) < len(first) / 2


CHANGED: list[dict[str, object]] = [
    {"seed": "another"},
    {"games": 5},
    {"shared_dice": False},
    {"bots": (factory.bot("a"), factory.bot("b"), factory.bot("d"))},
    {"variants": {"bga": VARIANTS["bga"]}},
]


@pytest.mark.parametrize("changes", CHANGED)
def test_change_that_decides_games_changes_ids_and_dice(changes: dict[str, object]) -> None:
    names = ("a", "b", "c")
    before, after = (Schedule(factory.league(names, **new)).fixtures for new in ({}, changes))
    for key in ("id", "seed"):
        mine, others = ({getattr(one, key) for one in some} for some in (before, after))
        assert not mine & others
    dice = [[roll(one.seed, 0, 0, 0, 5) for one in some] for some in (before, after)]
    assert dice[0] != dice[1]


def test_harmless_change_leaves_the_schedule_alone() -> None:
    names = ("a", "b", "c")
    changes: dict[str, object] = {"name": "other", "arena_version": "9", "sandbox": "process"}
    assert (
        Schedule(factory.league(names)).fixtures
        == Schedule(factory.league(names, **changes)).fixtures
    )


def test_the_order_of_bots_in_the_file_does_not_matter(tmp_path: Path) -> None:
    plans = [
        leagues.league(tmp_path, bots=bots)
        for bots in (leagues.SAMPLES, leagues.SAMPLES[::-1], ["sample:[hmr]*", "sample:random"])
    ]
    first, *others = [Schedule(conditions_of(plan, "process", "seed")).fixtures for plan in plans]
    assert others == [first, first]


def test_another_seed_seats_the_bots_differently() -> None:
    names = tuple(f"bot{number}" for number in range(8))
    orders = {
        tuple(fixture.seats for fixture in Schedule(factory.league(names, seed=str(seed))).fixtures)
        for seed in range(5)
    }
    assert len(orders) == 5


def test_schedule_of_a_seed_never_changes() -> None:
    """Or leagues that were begun could not go on: their ids, seeds and places must not move."""
    fixtures = Schedule(factory.league(("a", "b", "c"), shared_dice=False)).fixtures
    assert len(fixtures) == 24
    ids = [fixtures[place].id for place in (0, 23)]
    assert ids == ["6016d3629ecb77e5", "3f39a30f8d312c34"]
    assert fixtures[23].seats == ("c", "a", "b")
    assert fixtures[23].dice_key == fixtures[23].seed == "05717fe1ce5e08588cbeb66505e1ae15"
