"""Checks take turns over authors."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.check.turns import Waiting, next_check


def served(queue: list[Waiting]) -> list[Waiting]:
    """Return a queue in the order in which it is checked."""
    last: dict[str, int] = {}
    order: list[Waiting] = []
    while turn := next_check([one for one in queue if one not in order], last):
        order.append(turn)
        last[turn.author] = len(order)
    return order


def test_one_author_with_many_submissions_does_not_hold_up_another() -> None:
    many = [Waiting(n, "ann") for n in range(5)]
    late = Waiting(9, "bob")
    assert [one.version for one in served([*many, late])] == [0, 9, 1, 2, 3, 4]


def test_an_empty_queue_has_no_next() -> None:
    assert next_check([], {}) is None


@given(st.lists(st.sampled_from("abc"), max_size=15))
def test_everyone_is_served_and_nobody_waits_for_more_than_a_turn_of_each(
    authors: list[str],
) -> None:
    queue = [Waiting(n, author) for n, author in enumerate(authors)]
    order = served(queue)
    assert sorted(order) == queue
    for author in {one.author for one in queue}:
        mine = [n for n, one in enumerate(order) if one.author == author]
        assert mine[:1] <= [len({one.author for one in queue}) - 1]
        for before, after in pairwise(mine):
            between = [one.author for one in order[before + 1 : after]]
            assert len(between) == len(set(between))
        own = [one.version for one in order if one.author == author]
        assert own == sorted(own)
