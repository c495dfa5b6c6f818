"""Checks take turns over authors."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.check.queue import Waiting, in_turn, next_check

ANN = [Waiting(n, "ann") for n in range(5)]
BOB, CAROL = Waiting(9, "bob"), Waiting(10, "carol")


def test_one_author_with_many_submissions_does_not_hold_up_another() -> None:
    assert [one.version for one in in_turn([*ANN, BOB], {}, [])] == [0, 9, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("queue", "last", "under_way", "slots", "chosen"),
    [
        ([], {}, [], 1, None),
        (ANN, {}, [], 1, ANN[0]),
        (ANN, {}, ["bob"], 1, None),
        # The last slot is for an author who has none.
        (ANN, {"ann": 1}, ["ann"], 2, None),
        ([*ANN, BOB], {"ann": 1, "bob": 9}, ["ann"], 2, BOB),
        # A second slot, if another one stays free and nobody else waits.
        (ANN, {"ann": 1}, ["ann"], 3, ANN[0]),
        ([*ANN, BOB], {"ann": 1, "bob": 9}, ["ann"], 3, BOB),
        (ANN, {"ann": 2}, ["ann", "ann"], 3, None),
        # Between authors with a slot each, the one with fewer, then the one whose turn it is.
        ([ANN[1], BOB], {"ann": 3, "bob": 4}, ["ann", "ann", "bob"], 5, BOB),
        ([ANN[1], BOB], {"ann": 3, "bob": 4}, ["ann", "bob"], 4, ANN[1]),
        ([BOB, CAROL], {"bob": 2, "carol": 1}, ["ann"], 2, CAROL),
    ],
)
def test_the_next_check_is_that_of_the_author_who_waits_with_the_fewest_slots(
    queue: list[Waiting],
    last: dict[str, int],
    under_way: list[str],
    slots: int,
    chosen: Waiting | None,
) -> None:
    assert next_check(queue, last, under_way, slots) == chosen


@given(st.lists(st.sampled_from("abc"), max_size=15))
def test_everyone_is_served_and_nobody_waits_for_more_than_a_turn_of_each(
    authors: list[str],
) -> None:
    queue = [Waiting(n, author) for n, author in enumerate(authors)]
    order = in_turn(queue, {}, [])
    assert sorted(order) == queue
    for author in {one.author for one in queue}:
        mine = [n for n, one in enumerate(order) if one.author == author]
        assert mine[:1] <= [len({one.author for one in queue}) - 1]
        for before, after in pairwise(mine):
            between = [one.author for one in order[before + 1 : after]]
            assert len(between) == len(set(between))
        own = [one.version for one in order if one.author == author]
        assert own == sorted(own)


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=4))
def test_the_order_has_everyone_once_whoever_is_checked_now(
    authors: list[str], under_way: list[str]
) -> None:
    queue = [Waiting(n, author) for n, author in enumerate(authors)]
    assert sorted(in_turn(queue, {}, under_way)) == queue


class Hall:
    """Slots in which checks go on, and those who wait, with what each has seen."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.queue: list[Waiting] = []
        self.under_way: list[Waiting] = []
        self.last: dict[str, int] = {}
        self.begun = 0
        self.seen: dict[str, Counter[str]] = {}
        """By author who waits without a slot: how many checks of each other one began since."""

    @property
    def holders(self) -> list[str]:
        return [one.author for one in self.under_way]

    def submit(self, number: int, author: str) -> None:
        self.queue.append(Waiting(number, author))
        self._settle()

    def end(self, number: int) -> None:
        if self.under_way:
            self.under_way.pop(number % len(self.under_way))
        self._settle()

    def _settle(self) -> None:
        self._note()
        while turn := next_check(self.queue, self.last, self.holders, self.slots):
            self._begin(turn)
        assert len(self.under_way) <= self.slots
        # No slot stays free that an author without one waits for.
        assert len(self.under_way) == self.slots or not self.seen

    def _begin(self, turn: Waiting) -> None:
        if turn.author in self.holders:
            assert not self.seen, "another one waits without a slot"
            assert self.slots - len(self.under_way) > 1, "the last slot is for somebody else"
        assert turn.version == min(one.version for one in self.queue if one.author == turn.author)
        self.queue.remove(turn)
        self.under_way.append(turn)
        self.begun += 1
        self.last[turn.author] = self.begun
        for author, seen in self.seen.items():
            seen[turn.author] += author != turn.author
            assert max(seen.values()) <= 1, "it waited for two checks of the same author"
        self._note()

    def _note(self) -> None:
        waiting = {one.author for one in self.queue} - set(self.holders)
        self.seen = {author: self.seen.get(author, Counter()) for author in waiting}


@given(
    st.integers(1, 4),
    st.lists(st.one_of(st.sampled_from("abcde"), st.integers(0, 9)), max_size=40),
)
def test_an_author_without_a_slot_waits_for_one_check_of_each_other_author_at_most(
    slots: int, happens: list[str | int]
) -> None:
    hall = Hall(slots)
    for number, what in enumerate(happens):
        if isinstance(what, str):
            hall.submit(number, what)
        else:
            hall.end(what)
    while hall.under_way:
        hall.end(0)
    assert not hall.queue
    assert hall.begun == sum(isinstance(what, str) for what in happens)
