"""Bots of one author are kept apart, and the blocks stay blocks."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.rules.books import BGA
from arena.league.changes import Change
from arena.league.schedule.block_design import blocks, kept_apart
from arena.league.schedule.schedule import Schedule
from tests.league.histories import league
from tests.support import factory

each = settings(max_examples=40, deadline=None, database=None)
Block = list[tuple[str, ...]]


def named(players: int, bots: int, number: int) -> list[Block]:
    found = blocks(bots, players, number, "seed")
    return [[tuple(f"bot{n:02}" for n in table) for table in block] for block in found]


def clashes(block: Block, owners: dict[str, str]) -> int:
    return sum(len(table) - len({owners[bot] for bot in table}) for table in block)


@each
@given(st.integers(3, 6), st.integers(1, 4), st.integers(0, 10), st.randoms())
def test_bots_of_one_author_never_meet_and_every_seat_stays_its_own(
    players: int, most: int, more: int, draw: object
) -> None:
    """Authors have up to half as many bots as could be kept apart."""
    bots = 2 * players * most + more
    names = [f"bot{n:02}" for n in range(bots)]
    draw.shuffle(names)  # type: ignore[attr-defined]
    owners = {name: f"author {n // most}" for n, name in enumerate(names)}
    for number, block in enumerate(named(players, bots, 4)):
        apart = kept_apart(block, owners, f"seed {number}")
        assert apart == kept_apart(block, owners, f"seed {number}")
        assert clashes(apart, owners) == 0
        for before, after in zip(zip(*block, strict=True), zip(*apart, strict=True), strict=True):
            assert sorted(before) == sorted(after)


@pytest.mark.parametrize("players", [3, 4, 6])
def test_an_author_with_as_many_bots_as_tables_can_hold_is_kept_apart(players: int) -> None:
    bots = 4 * players
    owners = {f"bot{n:02}": "ann" if n < 4 else f"author {n}" for n in range(bots)}
    for number, block in enumerate(named(players, bots, 10)):
        assert clashes(kept_apart(block, owners, str(number)), owners) == 0


def test_too_many_bots_of_one_author_meet_as_seldom_as_may_be() -> None:
    owners = {f"bot{n:02}": "ann" if n < 6 else f"author {n}" for n in range(9)}
    for number, block in enumerate(named(3, 9, 8)):
        apart = kept_apart(block, owners, str(number))
        # Each of nine tables gets two of the eighteen places of her bots.
        assert clashes(apart, owners) <= min(clashes(block, owners), 11)
        assert sorted(bot for table in apart for bot in table) == sorted(3 * list(owners))
    alone = dict.fromkeys(owners, "ann")
    assert kept_apart(block, alone, "seed") == block


@pytest.mark.slow
def test_pairs_of_different_authors_still_meet_about_as_often() -> None:
    bots = tuple(factory.bot(f"bot{n:02}", f"author {n // 2}") for n in range(20))
    start = league("", 4, bots=bots, endless=True)
    schedule = Schedule(*start)
    [division] = schedule.blocks
    met = Counter[tuple[str, str]]()
    for _ in range(3 * 19):
        block = schedule.draw(division) or []
        for seat in range(4):
            assert sorted(one.seats[seat] for one in block) == sorted(one.name for one in bots)
        met.update(pair for one in block for pair in combinations(sorted(one.seats), 2))
    authors = {one.name: one.author for one in bots}
    apart = [
        pair for pair in combinations(sorted(authors), 2) if len({*map(authors.get, pair)}) > 1
    ]
    assert set(met) == set(apart)
    # 57 blocks of 12 meetings each, with 18 rivals: 38 on average.
    assert all(25 <= met[pair] <= 52 for pair in apart), sorted(met.values())


@pytest.mark.parametrize("players", [3, 4])
def test_newcomers_do_not_meet_their_author_either(players: int) -> None:
    bots = tuple(factory.bot(f"bot{n:02}", f"author {n // 2}") for n in range(16))
    schedule = Schedule(*league("", players, bots=bots, endless=True))
    [division] = schedule.blocks
    for _ in range(30):
        schedule.draw(division)
    schedule.change(Change((30,), joined=(factory.bot("new", "author 0"),)))
    authors = {one.name: one.author for one in schedule.conditions.bots}
    drawn = [schedule.draw(division) or [] for _ in range(12)]
    assert [len(one) for one in drawn].count(14) == players
    for block in drawn:
        assert all(len({authors[bot] for bot in one.seats}) == players for one in block)


def test_a_league_with_blocks_and_tables_for_two_seat_everyone_together() -> None:
    bots = tuple(factory.bot(f"bot{n}", "ann" if n < 2 else f"author {n}") for n in range(6))
    info = factory.league((), bots=bots, variants={"bga": BGA}, players=(2, 3), blocks=5)
    two, three = Schedule(info).blocks.values()
    for blocks_ in (two, three):
        assert any({"bot0", "bot1"} <= {*one.seats} for block in blocks_ for one in block)
