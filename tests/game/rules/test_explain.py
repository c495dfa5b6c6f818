"""Why a bid or a call is not allowed: the exact reason and clauses, and the edge of each reason."""

import pytest

from arena.game.rules.explain import name_bid, why_illegal_bid, why_illegal_call
from arena.game.rules.round import Bid, Round, Standing, open_round
from tests.game.rules.positions import after_bid, standing

BGA = standing("bga")
PRESSMAN = standing("pressman")
LOWER = standing("bga", raise_to_lower_face=True)

# Seat 0 opened its palifico round; seats 1 and 2 have one die, and 2 had its palifico before.
LOCKED = standing("pressman", (1, 1, 1, 3), palifico=0, used=(2,))
ONE_AT_A_TIME = standing(
    "pressman", (1, 1, 1, 3), palifico=0, used=(2,), raise_quantity_and_face=False
)
NO_VETERANS = standing("bga", (1, 1, 1, 3), palifico=0, used=(2,))


def test_bids_by_name() -> None:
    ones = [name_bid(Bid(1, face)) for face in range(1, 7)]
    assert ones == ["1 paco", "1 two", "1 three", "1 four", "1 five", "1 six"]
    many = [name_bid(Bid(face + 1, face)) for face in range(1, 7)]
    assert many == ["2 pacos", "3 twos", "4 threes", "5 fours", "6 fives", "7 sixes"]
    assert name_bid(Bid(0, 2)) == "0 twos"


TO_FIVE_FOURS = "to raise 4 fours takes at least 5"
LOCK, VETERAN = ["PAL-LOCK"], ["PAL-LOCK", "PAL-VETERAN"]
LOCKED_TO_TWOS = "the face is locked to twos in a palifico round"
NOT_BOTH = "a raise to a higher face keeps the quantity, 4: not both at once"
OVER = "the game started with 15 dice: no bid goes above that"
# table, last bid, bid: reason, clauses
BIDS: list[tuple[Standing, tuple[int, int], tuple[int, int], str, list[str]]] = [
    (BGA, (4, 4), (5, 0), "a die has no face 0", ["SETUP"]),
    (BGA, (4, 4), (5, 7), "a die has no face 7", ["SETUP"]),
    (BGA, (4, 4), (0, 5), "a bid names at least one die", ["SETUP"]),
    (BGA, (4, 4), (-1, 4), "a bid names at least one die", ["SETUP"]),
    (BGA, (4, 4), (1, 4), TO_FIVE_FOURS, ["RAISE-QTY"]),
    (BGA, (4, 4), (4, 4), TO_FIVE_FOURS, ["RAISE-QTY"]),
    (BGA, (15, 4), (15, 4), "to raise 15 fours takes at least 16", ["RAISE-QTY"]),
    (BGA, (4, 4), (16, 4), OVER, ["OVER-TOTAL"]),
    (BGA, (4, 4), (17, 1), OVER, ["OVER-TOTAL"]),
    (BGA, (4, 4), (3, 5), "a higher face takes at least 4 dice", ["RAISE-FACE"]),
    (BGA, (4, 4), (3, 6), "a higher face takes at least 4 dice", ["RAISE-FACE"]),
    (BGA, (4, 4), (5, 5), NOT_BOTH, ["RAISE-FACE", "RAISE-BOTH"]),
    (PRESSMAN, (4, 4), (3, 5), "a higher face takes at least 4 dice", ["RAISE-FACE"]),
    (BGA, (4, 4), (5, 3), "a face below four can only follow a bid of pacos", ["RAISE-DOWN"]),
    (BGA, (4, 4), (3, 2), "a face below four can only follow a bid of pacos", ["RAISE-DOWN"]),
    (LOWER, (4, 4), (4, 3), "a lower face takes more dice: at least 5", ["RAISE-DOWN"]),
    (LOWER, (4, 4), (3, 2), "a lower face takes more dice: at least 5", ["RAISE-DOWN"]),
    (LOWER, (5, 4), (5, 3), "a lower face takes more dice: at least 6", ["RAISE-DOWN"]),
    (BGA, (8, 6), (3, 1), "to answer 8 sixes with pacos takes at least 4", ["TO-PACOS"]),
    (BGA, (9, 2), (4, 1), "to answer 9 twos with pacos takes at least 5", ["TO-PACOS"]),
    (BGA, (3, 1), (3, 1), "to raise 3 pacos takes at least 4", ["PACOS-UP"]),
    (BGA, (3, 1), (6, 2), "to answer 3 pacos with a number takes at least 7", ["FROM-PACOS"]),
    (BGA, (1, 1), (2, 6), "to answer 1 paco with a number takes at least 3", ["FROM-PACOS"]),
    (LOCKED, (2, 2), (2, 2), "to raise 2 twos takes at least 3", LOCK),
    (LOCKED, (2, 2), (1, 2), "to raise 2 twos takes at least 3", LOCK),
    (LOCKED, (3, 2), (3, 2), "to raise 3 twos takes at least 4", LOCK),
    (LOCKED, (2, 2), (3, 3), LOCKED_TO_TWOS, LOCK),
    (LOCKED, (2, 2), (3, 1), LOCKED_TO_TWOS, LOCK),
]


@pytest.mark.parametrize(("table", "last", "bid", "reason", "clauses"), BIDS)
def test_why_a_bid_is_illegal(
    table: Standing, last: tuple[int, int], bid: tuple[int, int], reason: str, clauses: list[str]
) -> None:
    assert why_illegal_bid(after_bid(table, *last), 1, Bid(*bid)) == (reason, clauses)


KEEPS = "a raise of the face keeps the quantity, 2"
# The second veteran of the round answers 2 threes.
VETERANS: list[tuple[Standing, tuple[int, int], str, list[str]]] = [
    (LOCKED, (2, 3), "to raise 2 threes takes at least 3", LOCK),
    (LOCKED, (3, 2), "a palifico veteran may raise the face, not lower it", VETERAN),
    (LOCKED, (1, 1), "a palifico veteran may raise the face, not lower it", VETERAN),
    (LOCKED, (1, 4), "a higher face takes at least 2", VETERAN),
    (ONE_AT_A_TIME, (1, 4), "a higher face takes at least 2", VETERAN),
    (ONE_AT_A_TIME, (3, 4), KEEPS, [*VETERAN, "RAISE-BOTH"]),
    (NO_VETERANS, (2, 4), "the face is locked to threes in a palifico round", LOCK),
]


@pytest.mark.parametrize(("table", "bid", "reason", "clauses"), VETERANS)
def test_why_a_veterans_bid_is_illegal(
    table: Standing, bid: tuple[int, int], reason: str, clauses: list[str]
) -> None:
    now = after_bid(table, 2, 3, bidder=1)
    assert why_illegal_bid(now, 2, Bid(*bid)) == (reason, clauses)


LEGAL = [
    (BGA, (4, 4), (5, 4)),
    (BGA, (4, 4), (15, 4)),
    (BGA, (4, 4), (4, 6)),
    (BGA, (4, 4), (2, 1)),
    (BGA, (3, 1), (7, 2)),
    (BGA, (3, 1), (4, 1)),
    (LOWER, (4, 4), (5, 2)),
    (PRESSMAN, (4, 4), (6, 5)),
]


@pytest.mark.parametrize(("table", "last", "bid"), LEGAL)
def test_a_legal_bid_has_no_reason(
    table: Standing, last: tuple[int, int], bid: tuple[int, int]
) -> None:
    assert why_illegal_bid(after_bid(table, *last), 1, Bid(*bid)) is None


def test_openings() -> None:
    now = open_round(BGA)
    only = "only a palifico player may open with pacos"
    assert why_illegal_bid(now, 0, Bid(1, 1)) == (only, ["OPEN"])
    assert why_illegal_bid(now, 0, Bid(1, 2)) is None
    assert why_illegal_bid(open_round(LOCKED), 0, Bid(1, 1)) is None


@pytest.mark.parametrize("seat", [0, 2])
def test_only_the_seat_on_turn_bids_and_doubts(seat: int) -> None:
    now = after_bid(BGA, 4, 4)
    reason = "it is the turn of seat 1"
    assert why_illegal_bid(now, seat, Bid(5, 4)) == (reason, ["TURN"])
    assert why_illegal_call(now, seat, "dudo") == (reason, ["DUDO", "TURN"])


def test_a_doubt_needs_a_bid() -> None:
    assert why_illegal_call(after_bid(BGA, 1, 2), 1, "dudo") is None
    no_bid = ("there is no bid to doubt yet", ["DUDO"])
    assert why_illegal_call(open_round(BGA), 0, "dudo") == no_bid


# ---------------------------------------------------------------- calza

NEXT = ("the player whose turn is next may not call calza", ["CALZA-WHO"])
BIDDER = ("the bidder may not call calza on its own bid", ["CALZA-WHO"])
OUT = ("only a player with dice may call calza", ["CALZA-WHO"])
IN_PALIFICO = ("no calza in a palifico round", ["CALZA-PAL"])
TWO_LEFT = ("no calza when two players are left", ["CALZA-TWO"])
NOT_PLAYED = ("calza is not played at this table", ["CALZA-WHO"])
ITALIAN = standing("italian", (5, 5, 5, 0))
PALIFICO = standing("italian", (1, 5, 5, 5), palifico=0)
IN_ANY_ROUND = standing("italian", (1, 5, 5, 5), palifico=0, calza_in_palifico=True)
TWO = standing("italian", (5, 0, 5))
EVEN_WITH_TWO = standing("italian", (5, 0, 5), calza_with_two_left=True)
# table, bidder, seat: reason and clauses
CALZAS: list[tuple[Standing, int, int, tuple[str, list[str]] | None]] = [
    (standing("bga", calza=False), 0, 2, NOT_PLAYED),
    (ITALIAN, 1, 0, None),
    (ITALIAN, 1, 1, BIDDER),
    (ITALIAN, 1, 2, NEXT),
    (ITALIAN, 0, 1, NEXT),
    (ITALIAN, 2, 0, NEXT),
    (ITALIAN, 1, 3, OUT),
    (standing("bga"), 0, 1, None),
    (PALIFICO, 0, 2, IN_PALIFICO),
    (PALIFICO, 0, 0, BIDDER),
    (IN_ANY_ROUND, 0, 2, None),
    (IN_ANY_ROUND, 0, 1, NEXT),
    (TWO, 0, 2, TWO_LEFT),
    (TWO, 0, 1, OUT),
    (EVEN_WITH_TWO, 0, 2, NEXT),
]


@pytest.mark.parametrize(("table", "bidder", "seat", "why"), CALZAS)
def test_why_a_calza_is_illegal(
    table: Standing, bidder: int, seat: int, why: tuple[str, list[str]] | None
) -> None:
    assert why_illegal_call(after_bid(table, 2, 4, bidder), seat, "calza") == why


def test_a_calza_needs_a_bid() -> None:
    now = Round(BGA, 0)
    no_bid = ("there is no bid to call calza on yet", ["CALZA-WHEN"])
    assert why_illegal_call(now, 1, "calza") == no_bid
