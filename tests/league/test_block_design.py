"""Blocks of tables: seats, pairs and ordered neighbours are as even as they can be, at any time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, combinations, permutations, product

import pytest

from arena.league.schedule.block_design import TableOfNumbers, blocks, joining_blocks
from tests.support.sampling import sample

SHAPES = [(n, k) for n, k in product([*range(3, 33), 64], range(2, 7)) if k <= n]
"""Numbers of bots, with prime powers among them, and players at a table."""


def spread(counts: Counter[TableOfNumbers], possible: Iterable[TableOfNumbers]) -> int:
    """Return how much more often the most frequent occurs than the rarest."""
    found = [counts[one] for one in possible]
    return max(found) - min(found)


def neighbours(tables: Iterable[TableOfNumbers]) -> Counter[TableOfNumbers]:
    return Counter(
        (one, other)
        for table in tables
        for one, other in zip(table, (*table[1:], table[0]), strict=True)
    )


def pairs(tables: Iterable[TableOfNumbers]) -> Counter[TableOfNumbers]:
    return Counter((a, b) for table in tables for a, b in combinations(sorted(table), 2))


def is_connected(tables: Iterable[TableOfNumbers], bots: int) -> bool:
    """Tell whether all bots have met, at least by way of others."""
    met = {bot: {bot} for bot in range(bots)}
    for table in tables:
        group = set[int]().union(*(met[bot] for bot in table))
        for bot in group:
            met[bot] = group
    return len(met[0]) == bots


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "players"), sample(SHAPES, 30, "block designs"))
@pytest.mark.parametrize("seed", ["a", "b"])
def test_every_prefix_of_a_pass_is_connected_and_even(bots: int, players: int, seed: str) -> None:
    design = blocks(bots, players, bots - 1, seed)
    for block in design:
        for seat in range(players):
            assert sorted(table[seat] for table in block) == list(range(bots))
    assert is_connected(design[0], bots)
    met, acted = map(list, (map(pairs, design), map(neighbours, design)))
    for so_far in accumulate(met):
        # Where bots is even, some pairs meet twice in a block.
        assert spread(so_far, combinations(range(bots), 2)) <= 3
    for so_far in accumulate(acted):
        assert spread(so_far, permutations(range(bots), 2)) <= 3


@pytest.mark.parametrize(("bots", "players"), [(7, 3), (6, 4), (5, 2), (12, 6)])
def test_fewer_blocks_are_the_first_of_more(bots: int, players: int) -> None:
    design = blocks(bots, players, 3 * bots, "seed")
    assert len(design) == 3 * bots
    for count in (0, 1, bots - 1, 2 * bots):
        assert blocks(bots, players, count, "seed") == design[:count]


@pytest.mark.parametrize(("bots", "players"), [(4, 4), (6, 4), (7, 3), (9, 4), (10, 6)])
def test_blocks_stay_as_even_over_ten_passes(bots: int, players: int) -> None:
    design = blocks(bots, players, 10 * (bots - 1), "seed")
    for so_far in accumulate(map(pairs, design)):
        assert spread(so_far, combinations(range(bots), 2)) <= 3
    for so_far in accumulate(map(neighbours, design)):
        assert spread(so_far, permutations(range(bots), 2)) <= 4


@pytest.mark.parametrize("bots", [2, 3, 4, 6, 9, 20, 31])
def test_each_pass_of_tables_for_two_has_every_ordered_pair_once(bots: int) -> None:
    design = blocks(bots, 2, 3 * (bots - 1), "seed")
    for first in range(0, len(design), bots - 1):
        tables = [table for block in design[first : first + bots - 1] for table in block]
        assert sorted(tables) == sorted(permutations(range(bots), 2))


def test_the_same_seed_seats_alike_and_another_does_not() -> None:
    for bots in (6, 7):
        assert blocks(bots, 4, 5, "a") == blocks(bots, 4, 5, "a")
        assert blocks(bots, 4, 5, "a") != blocks(bots, 4, 5, "b")


@pytest.mark.parametrize(("bots", "players"), [(1, 2), (3, 3), (6, 4), (12, 6)])
def test_newcomer_meets_everyone_in_each_block(bots: int, players: int) -> None:
    for block in joining_blocks(bots, players, 5, "seed"):
        seats = {table.index(bots) for table in block}
        assert len(block) == bots
        assert len(seats) == 1
        others: Sequence[int] = [bot for table in block for bot in table if bot != bots]
        assert Counter(others) == dict.fromkeys(range(bots), players - 1)
