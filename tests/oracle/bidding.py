"""The legal actions at a table, from the clauses alone: one bid, one caller at a time."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

FACES = range(1, 7)

Json = dict[str, Any]
Bid = tuple[int, int]  # quantity, face
REMEMBERED = 5_000
"""How many answers to the same question are kept, so that long runs do not fill the memory."""


@dataclass(frozen=True)
class Book:
    """A rule book's value of each switch on which the books differ."""

    raise_quantity_and_face: bool  # RAISE-BOTH
    raise_to_lower_face: bool  # RAISE-DOWN
    palifico_once: bool  # PAL-ONCE, CALZA-REPAL
    palifico_with_two_left: bool  # PAL-TWO
    veteran_may_raise_face: bool  # PAL-VETERAN
    calza_by_next: bool  # CALZA-WHO
    calza_beats_turn: bool  # CALZA-WHEN
    calza_in_palifico: bool  # CALZA-PAL
    calza_with_two_left: bool  # CALZA-TWO
    reveal: str = "unstated"  # REVEAL
    first_opener: str = "random"  # FIRST: before the first round, so of no use here


class Steps(NamedTuple):
    """All that a book says of which bid may follow which; few books differ in it."""

    quantity_and_face: bool  # RAISE-BOTH
    to_lower_face: bool  # RAISE-DOWN


BOOKS = {
    "bga": Book(False, False, True, True, False, True, True, True, True),
    "classic": Book(False, False, False, True, False, True, True, False, False),
    "pressman": Book(True, True, True, False, True, False, True, False, False, "caller_first"),
    "italian": Book(False, False, False, True, False, False, False, False, False, "at_once"),
}
VARIANTS = tuple(BOOKS)


def book_of(position: Json) -> Book:
    book, overrides = BOOKS[position["variant"]], position.get("overrides")
    return replace(book, **overrides) if overrides else book


@dataclass
class Table:
    """One round while it is replayed. `dice` are the faces of each seat, `cap` the highest bid."""

    book: Book
    calza: bool
    starting_dice: int
    dice: list[list[int]]
    used: list[bool]
    palifico_seat: int | None
    to_act: int
    cap: int
    bid: Bid | None = None
    bidder: int | None = None
    result: Json | None = field(default=None)

    def alive(self) -> list[int]:
        return [seat for seat, dice in enumerate(self.dice) if dice]

    def after(self, seat: int) -> list[int]:
        """The seats with dice in turn order, from the one to the left of `seat` round to it."""
        size = len(self.dice)
        order = [(seat + step) % size for step in range(1, size + 1)]
        return [other for other in order if self.dice[other]]


# ---------------------------------------------------------------- what may be bid


def bid_fits(steps: Steps, before: Bid | None, new: Bid) -> bool:
    """Whether `new` may answer `before` in a normal round, the cap aside."""
    quantity, face = new
    if before is None:
        return face != 1  # OPEN
    old_quantity, old_face = before
    if old_face == 1 and face == 1:
        return quantity > old_quantity  # PACOS-UP
    if old_face == 1:
        return quantity >= 2 * old_quantity + 1  # FROM-PACOS
    if face == 1:
        return quantity >= old_quantity / 2  # TO-PACOS
    if face == old_face:
        return quantity > old_quantity  # RAISE-QTY
    if face < old_face:
        return steps.to_lower_face and quantity > old_quantity  # RAISE-DOWN
    return higher_face_fits(steps, old_quantity, quantity)


def higher_face_fits(steps: Steps, old_quantity: int, quantity: int) -> bool:
    if quantity == old_quantity:
        return True  # RAISE-FACE
    return steps.quantity_and_face and quantity > old_quantity  # RAISE-BOTH


def palifico_bid_fits(steps: Steps, before: Bid | None, new: Bid, veteran: bool) -> bool:
    """Whether `new` may answer `before` in a palifico round, the cap aside."""
    if before is None:
        return True  # OPEN: the palifico player opens, on pacos if it likes
    if new[1] == before[1]:
        return new[0] > before[0]  # PAL-LOCK
    if new[1] < before[1]:
        return False  # PAL-LOCK
    return veteran and higher_face_fits(steps, before[0], new[0])  # PAL-VETERAN


@lru_cache(maxsize=REMEMBERED)
def legal_bids(
    steps: Steps, cap: int, before: Bid | None, palifico: bool, veteran: bool
) -> frozenset[Bid]:
    """Every bid that may be said now, found by trying each one up to the cap (OVER-TOTAL)."""
    every_bid = [(quantity, face) for quantity in range(1, cap + 1) for face in FACES]
    if palifico:
        return frozenset(b for b in every_bid if palifico_bid_fits(steps, before, b, veteran))
    return frozenset(b for b in every_bid if bid_fits(steps, before, b))


def is_veteran(table: Table, seat: int) -> bool:
    return (
        table.book.veteran_may_raise_face
        and table.used[seat]
        and len(table.dice[seat]) == 1
        and seat != table.palifico_seat
    )


def legal_now(table: Table) -> frozenset[Bid]:
    """The bids that the seat on turn may make."""
    palifico, veteran = table.palifico_seat is not None, is_veteran(table, table.to_act)
    steps = Steps(table.book.raise_quantity_and_face, table.book.raise_to_lower_face)
    return legal_bids(steps, table.cap, table.bid, palifico, veteran)


@lru_cache(maxsize=REMEMBERED)
def ranges(legal: frozenset[Bid]) -> list[Json]:
    """The bids as one range of quantities a face, which has no gaps."""
    spans = []
    for face in FACES:
        quantities = sorted(bid[0] for bid in legal if bid[1] == face)
        if quantities:
            low, high = quantities[0], quantities[-1]
            assert quantities == list(range(low, high + 1))
            spans.append({"face": face, "min": low, "max": high})
    return spans


def calza_is_legal(table: Table, seat: int) -> bool:
    if not table.calza or table.bid is None or not table.dice[seat] or seat == table.bidder:
        return False
    if table.palifico_seat is not None and not table.book.calza_in_palifico:
        return False  # CALZA-PAL
    if len(table.alive()) == 2 and not table.book.calza_with_two_left:
        return False  # CALZA-TWO
    return table.book.calza_by_next or seat != table.to_act  # CALZA-WHO
