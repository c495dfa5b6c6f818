"""The limit on rounds: how many there may be, and who is where when the dice decide."""

from hashlib import sha512

import pytest

from arena.game.rules.books import VARIANTS, variant
from arena.game.rules.round import max_rounds, order_by_dice


@pytest.mark.parametrize("book", VARIANTS)
def test_limit_is_fifty_rounds_for_each_die_at_the_start(book: str) -> None:
    rules = variant(book, {}, starting_dice=3)
    assert [max_rounds(VARIANTS[book], players) for players in (2, 6)] == [500, 1500]
    assert max_rounds(rules, 2) == 300
    assert max_rounds(rules, 4, per_die=7) == 84


def test_seats_are_ordered_by_their_dice() -> None:
    assert order_by_dice((1, 4, 0, 5, 3, 0), "seed", 0) == [3, 1, 4, 0]
    assert order_by_dice((0, 2), "seed", 0) == [1]


def test_hash_of_the_seed_breaks_ties() -> None:
    digests = {seat: sha512(f"seed/7/end/{seat}".encode()).hexdigest() for seat in (0, 2, 3)}
    expected = sorted(digests, key=digests.__getitem__)
    assert order_by_dice((2, 5, 2, 2), "seed", 7) == [1, *expected]


def test_each_tied_seat_is_first_as_often() -> None:
    firsts = [order_by_dice((5, 1, 5, 5), "seed", game)[0] for game in range(300)]
    assert all(70 < firsts.count(seat) < 130 for seat in (0, 2, 3))
