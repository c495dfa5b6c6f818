"""Rounds step by step: turns, openings, veterans, seats that leave, the standing."""

import pytest

from arena.game.rules.books import VARIANTS, variant
from arena.game.rules.round import (
    Bid,
    Raises,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    is_among,
    is_veteran,
    leave,
    left_of,
    lose_die,
    open_round,
    perft,
    place,
    place_all,
    raises,
)
from arena.game.rules.view import SeatBid, View, seen_by
from tests.game.rules.positions import after_bid, standing


@pytest.mark.parametrize("players", range(2, 7))
def test_the_first_standing(players: int) -> None:
    rules = variant("classic", {}, starting_dice=4)
    table = first_standing(rules, players, 1)
    assert table == Standing(rules, (4,) * players, (False,) * players, 1, None)
    assert (table.cap, table.alive, table.winner, table.wild) == (4 * players, players, None, 1)
    assert open_round(table).to_act == 1


def test_properties_of_a_standing() -> None:
    table = standing("bga", (0, 1, 0, 2), palifico=1)
    assert (table.cap, table.alive, table.winner, table.wild) == (20, 2, None, None)
    dice = ((2, 0, 0), (0, 1, 0), (0, 0, 3), (0, 0, 0))
    assert [standing("bga", left).winner for left in dice] == [0, 1, 2, None]


@pytest.mark.parametrize(
    ("dice", "lefts"),
    [((1, 1), (1, 0)), ((2, 0, 1, 0), (2, 2, 0, 0)), ((0, 1, 0, 0, 0, 3), (1, 5, 5, 5, 5, 1))],
)
def test_the_next_to_the_left_that_has_dice(dice: tuple[int, ...], lefts: tuple[int, ...]) -> None:
    assert tuple(left_of(dice, seat) for seat in range(len(dice))) == lefts


def test_bids_of_a_round_are_placed_at_once() -> None:
    table = first_standing(variant("bga", {}), 3, 1)
    assert place_all(table, []) == open_round(table)
    bids = [SeatBid(1, 2, 3), SeatBid(2, 3, 3), SeatBid(0, 3, 4)]
    now = open_round(table)
    for count, bid in enumerate(bids, 1):
        now = place(now, Bid(bid.quantity, bid.face))
        assert place_all(table, bids[:count]) == now


@pytest.mark.parametrize(
    "bids",
    [
        [SeatBid(0, 2, 3)],
        [SeatBid(2, 2, 3)],
        [SeatBid(1, 2, 1)],
        [SeatBid(1, 2, 3), SeatBid(2, 2, 2)],
        [SeatBid(1, 2, 3), SeatBid(0, 3, 3)],
    ],
    ids=["seat before", "seat after", "opening on pacos", "no raise", "turn of another seat"],
)
def test_round_with_a_bid_that_is_not_legal_is_none(bids: list[SeatBid]) -> None:
    assert place_all(first_standing(variant("bga", {}), 3, 1), bids) is None


def test_a_bid_is_among_ranges() -> None:
    ranges = (Raises(1, 2, 4), Raises(3, 5, 5))
    found = [
        (quantity, face)
        for face in range(7)
        for quantity in range(8)
        if is_among(ranges, Bid(quantity, face))
    ]
    assert found == [(2, 1), (3, 1), (4, 1), (5, 3)]
    assert not is_among((), Bid(1, 1))


def test_veterans_have_one_die_and_had_their_palifico_before() -> None:
    dice, used = (1, 1, 2, 1, 0), (0, 2, 3, 4)
    of_normal = standing("pressman", dice, used=used)
    assert [is_veteran(of_normal, seat) for seat in range(5)] == [True, False, False, True, False]
    own = standing("classic", dice, used=used, palifico=3)
    assert [is_veteran(own, seat) for seat in range(5)] == [True, False, False, False, False]


def test_a_bid_passes_the_turn() -> None:
    now = place(open_round(standing("bga", (2, 0, 2), opener=2)), Bid(3, 4))
    assert (now.to_act, now.bid, now.bidder) == (0, Bid(3, 4), 2)


def test_a_call_needs_a_bid() -> None:
    now = open_round(standing("bga"))
    hands = ((2,) * 5,) * 3
    nobodys = Round(now.standing, 1, Bid(2, 3), None)
    for without in (now, nobodys):
        with pytest.raises(ValueError, match=r"^a call needs a bid on the table$"):
            dudo(without, hands)
        with pytest.raises(ValueError, match=r"^a call needs a bid on the table$"):
            calza(without, hands, 1)
    assert calza_seats(now) == []


# ---------------------------------------------------------------- what a call costs


def test_a_right_calza_ends_a_palifico_round() -> None:
    hands = ((2,), (3, 3), (4, 2))
    table = standing("bga", (1, 2, 2), palifico=0, start=2)
    full = calza(after_bid(table, 2, 2), hands, 1)
    assert (full.count, full.loser, full.gainer) == (2, None, None)
    assert full.after == Standing(table.rules, (1, 2, 2), (True, False, False), 1, None)
    back = calza(after_bid(table, 1, 4, bidder=1), hands, 0)
    assert (back.loser, back.gainer) == (None, 0)
    assert back.after == Standing(table.rules, (2, 2, 2), (True, False, False), 0, None)


def test_falling_to_one_die_gives_a_palifico_round() -> None:
    before = standing("bga", (2, 2, 3), palifico=None)
    assert lose_die(before, 1) == standing("bga", (2, 1, 3), palifico=1)
    assert lose_die(before, 2) == standing("bga", (2, 2, 2), opener=2)
    assert lose_die(standing("bga", (2, 1, 3)), 1) == standing("bga", (2, 0, 3), opener=2)
    again = standing("bga", (2, 2, 3), used=(1,))
    assert lose_die(again, 1) == standing("bga", (2, 1, 3), used=(1,), opener=1)


# ---------------------------------------------------------------- who leaves

LEAVING = {
    "the opener goes": ("bga", (2, 2, 0, 2), {"opener": 1}, 1, (2, 0, 0, 2), {"opener": 3}),
    "another goes": ("bga", (2, 2, 0, 2), {"opener": 1}, 0, (0, 2, 0, 2), {"opener": 1}),
    "another goes, not beside the opener": (
        "bga",
        (2, 2, 0, 2),
        {"opener": 3},
        0,
        (0, 2, 0, 2),
        {"opener": 3},
    ),
    "palifico goes": ("bga", (1, 2, 2, 2), {"palifico": 0}, 0, (0, 2, 2, 2), {"opener": 1}),
    "palifico stays": ("bga", (1, 2, 2, 2), {"palifico": 0}, 2, (1, 2, 0, 2), {"palifico": 0}),
    "with two left": ("bga", (1, 2, 2, 0), {"palifico": 0}, 2, (1, 2, 0, 0), {"palifico": 0}),
    "unless none is played": (
        "pressman",
        (1, 2, 2, 0),
        {"palifico": 0},
        2,
        (1, 2, 0, 0),
        {"opener": 0},
    ),
    "nor alone": ("pressman", (1, 2), {"palifico": 0}, 1, (1, 0), {"opener": 0}),
    "three are enough": (
        "pressman",
        (1, 2, 2, 2),
        {"palifico": 0},
        1,
        (1, 0, 2, 2),
        {"palifico": 0},
    ),
}


@pytest.mark.parametrize(
    ("book", "dice", "before", "seat", "left", "after"), LEAVING.values(), ids=LEAVING
)
def test_a_seat_leaves(
    book: str,
    dice: tuple[int, ...],
    before: dict[str, int],
    seat: int,
    left: tuple[int, ...],
    after: dict[str, int],
) -> None:
    found = leave(
        standing(book, dice, palifico=before.get("palifico"), opener=before.get("opener", 0)), seat
    )
    expected = standing(book, left, palifico=after.get("palifico"), opener=after.get("opener", 0))
    assert found == expected


# ---------------------------------------------------------------- bids

UP_OR_DOWN = [(2, 10, 10), (3, 10, 10), (4, 9, 10), (5, 9, 10), (6, 9, 10)]


@pytest.mark.parametrize(
    ("book", "last", "expected"),
    [
        ("bga", (10, 1), []),
        ("bga", (5, 1), [(1, 6, 10)]),
        ("bga", (4, 1), [(1, 5, 10), (2, 9, 10), (3, 9, 10), (4, 9, 10), (5, 9, 10), (6, 9, 10)]),
        ("bga", (10, 4), [(1, 5, 10), (5, 10, 10), (6, 10, 10)]),
        ("bga", (9, 4), [(1, 5, 10), (4, 10, 10), (5, 9, 9), (6, 9, 9)]),
        (
            "pressman",
            (9, 3),
            [(1, 5, 10), (2, 10, 10), (3, 10, 10), (4, 9, 10), (5, 9, 10), (6, 9, 10)],
        ),
        ("pressman", (10, 5), [(1, 5, 10), (6, 10, 10)]),
    ],
)
def test_raises_up_to_the_cap(
    book: str, last: tuple[int, int], expected: list[tuple[int, int, int]]
) -> None:
    found = raises(after_bid(standing(book, (5, 5)), *last))
    assert [(span.face, span.min, span.max) for span in found] == expected


def test_a_number_after_pacos_may_reach_the_cap() -> None:
    found = raises(after_bid(standing("bga"), 7, 1))
    assert found == (Raises(1, 8, 15), *(Raises(face, 15, 15) for face in range(2, 7)))


def test_raises_in_palifico_rounds() -> None:
    table = standing("pressman", (1, 1, 1), used=(1,), palifico=0)
    assert raises(open_round(table)) == tuple(Raises(face, 1, 15) for face in range(1, 7))
    veteran = raises(after_bid(table, 2, 4))
    assert veteran == (Raises(4, 3, 15), Raises(5, 2, 15), Raises(6, 2, 15))
    assert raises(after_bid(table, 2, 4, bidder=1)) == (Raises(4, 3, 15),)
    assert raises(after_bid(table, 15, 5)) == (Raises(6, 15, 15),)
    one = standing("pressman", (1, 1, 1), used=(1,), palifico=0, raise_quantity_and_face=False)
    assert raises(after_bid(one, 2, 4)) == (Raises(4, 3, 15), Raises(5, 2, 2), Raises(6, 2, 2))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("book", sorted(VARIANTS))
def test_palifico_rounds_counted_by_hand(book: str, seats: int) -> None:
    """With a die a seat and no veteran: of one of six faces, any quantities in rising order."""
    rising = 2**seats - 1
    assert perft(standing(book, (1,) * seats, palifico=0, start=1)) == 6 * rising


# ---------------------------------------------------------------- views


def test_a_seat_sees_its_own_dice_and_what_everyone_hears() -> None:
    hands = ((2, 3), (), (4,))
    bids = [SeatBid(0, 1, 3)]
    hidden = standing("bga", (2, 0, 1))
    assert seen_by(2, after_bid(hidden, 1, 3), hands, bids) == View(
        2, (4,), bids, (0, 2), None, None
    )
    palifico = standing("bga", (2, 0, 1), palifico=2)
    assert seen_by(0, open_round(palifico), hands, []) == View(0, (2, 3), [], (0, 2), None, 2)
