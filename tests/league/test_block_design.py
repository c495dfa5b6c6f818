"""Blocks of tables: seats, pairs and ordered neighbours as even as they can be."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product

import pytest

from arena.league.block_design import Table, blocks
from arena.league.finite_field import FiniteField, prime_power
from tests.support.sampling import sample

PRIME_POWERS = [3, 4, 5, 7, 8, 9, 11, 16, 25, 27]
OTHERS = [6, 10, 12, 15, 20]


def spread(counts: Counter[Table], possible: Sequence[Table]) -> int:
    """Return how much more often the most frequent occurs than the rarest."""
    found = [counts[one] for one in possible]
    return max(found) - min(found)


def neighbours(tables: list[Table]) -> Counter[Table]:
    return Counter(
        (one, other)
        for table in tables
        for one, other in zip(table, (*table[1:], table[0]), strict=True)
    )


def pairs(tables: list[Table]) -> Counter[Table]:
    return Counter((a, b) for table in tables for a, b in permutations(table, 2))


def all_tables(bots: int, players: int) -> list[Table]:
    return [table for block in blocks(bots, players, bots - 1, "seed") for table in block]


@pytest.mark.parametrize(
    ("bots", "players"),
    sample(
        [(n, k) for n, k in product([*PRIME_POWERS, *OTHERS], range(2, 7)) if k <= n],
        24,
        "block designs",
    ),
)
def test_seats_pairs_and_neighbours_are_even(bots: int, players: int) -> None:
    for block in blocks(bots, players, bots - 1, "seed"):
        for seat in range(players):
            assert sorted(table[seat] for table in block) == list(range(bots))
    tables = all_tables(bots, players)
    meetings = list(permutations(range(bots), 2))
    exact = players == 2 or bots in PRIME_POWERS
    assert spread(neighbours(tables), meetings) <= (0 if exact else 2)
    assert spread(pairs(tables), meetings) <= (0 if exact else 3)


@pytest.mark.parametrize("bots", PRIME_POWERS[:7])
def test_prime_power_puts_every_pair_into_every_pair_of_seats_once(bots: int) -> None:
    players = min(bots, 6)
    for one, other in permutations(range(players), 2):
        met = sorted((table[one], table[other]) for table in all_tables(bots, players))
        assert met == sorted(permutations(range(bots), 2))


@pytest.mark.parametrize(("bots", "players"), [(7, 3), (6, 4), (5, 2)])
def test_blocks_beyond_one_pass_are_even(bots: int, players: int) -> None:
    found = blocks(bots, players, 2 * bots, "seed")
    assert len(found) == 2 * bots
    tables = [table for block in found[: 2 * (bots - 1)] for table in block]
    assert spread(pairs(tables), list(permutations(range(bots), 2))) <= 3


def test_the_same_seed_seats_alike_and_another_does_not() -> None:
    for bots in (6, 7):
        assert blocks(bots, 4, 5, "a") == blocks(bots, 4, 5, "a")
        assert blocks(bots, 4, 5, "a") != blocks(bots, 4, 5, "b")


@pytest.mark.parametrize("q", PRIME_POWERS)
def test_finite_field_obeys_the_field_axioms(q: int) -> None:
    field = FiniteField(q)
    numbers = range(q)
    for a in numbers:
        assert field.add(a, 0) == a
        assert field.multiply(a, 0) == 0
        assert sorted(field.add(a, b) for b in numbers) == list(numbers)
        if a:
            assert sorted(field.multiply(a, b) for b in numbers) == list(numbers)
    for a, b, c in product(range(min(q, 6)), repeat=3):
        left = field.multiply(a, field.add(b, c))
        assert left == field.add(field.multiply(a, b), field.multiply(a, c))


def test_prime_powers() -> None:
    found = {n: prime_power(n) for n in (1, 2, 6, 8, 12, 27, 49, 64)}
    assert found == {
        1: None,
        6: None,
        12: None,
        2: (2, 1),
        8: (2, 3),
        27: (3, 3),
        49: (7, 2),
        64: (2, 6),
    }
    with pytest.raises(ValueError, match="6 is not a prime power"):
        FiniteField(6)
