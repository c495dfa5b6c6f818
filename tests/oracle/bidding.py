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
    palifico: bool = True  # PAL-TRIGGER
    pacos_wild: bool = True  # WILD
    open_with_pacos: bool = False  # OPEN
    from_pacos_one_more: bool = True  # FROM-PACOS, TO-PACOS
    ones_high: bool = False  # FACES
    next_opener: str = "loser"  # STARTER, CALZA-START
    palifico_opener_may_raise_face: bool = False  # PAL-LOCK
    calza_by_bidder: bool = False  # CALZA-BIDDER
    calza_needs_lost_die: bool = False  # CALZA-LOST


class Steps(NamedTuple):
    """All that a book says of which bid may follow which; few books differ in it."""

    quantity_and_face: bool  # RAISE-BOTH
    to_lower_face: bool  # RAISE-DOWN
    pacos_wild: bool  # WILD
    open_with_pacos: bool  # OPEN
    one_more: bool  # FROM-PACOS, TO-PACOS
    ones_high: bool  # FACES


BOOKS = {
    "bga": Book(False, False, True, True, False, True, True, True, True),
    "classic": Book(False, False, False, True, False, True, True, False, False),
    "pressman": Book(True, True, True, False, True, False, True, False, False, "caller_first"),
    "italian": Book(False, False, False, True, False, False, False, False, False, "at_once"),
}
VARIANTS = tuple(BOOKS)
PLAIN = Book(
    True, True, True, False, True, True, True, False, True, palifico=False, pacos_wild=False
)  # fmt: skip
BOOKS |= {
    "liars-dice": PLAIN,
    "no palifico": replace(BOOKS["bga"], palifico=False, open_with_pacos=True),
    "twice is enough": replace(BOOKS["classic"], from_pacos_one_more=False),
    "the winner opens": replace(
        BOOKS["bga"], next_opener="winner", calza_needs_lost_die=True
    ),
    "ones are high": replace(PLAIN, ones_high=True, next_opener="left"),
    "pressman to the letter": replace(
        BOOKS["pressman"], palifico_opener_may_raise_face=True, calza_by_bidder=True
    ),
}  # fmt: skip
"""The four books, liar's dice, and the houses of `examples/houses/`."""


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
    opener: int | None = None
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
        return face != 1 or steps.open_with_pacos or not steps.pacos_wild  # OPEN, WILD
    old_quantity, old_face = before
    if steps.pacos_wild and 1 in (old_face, face):
        return pacos_fit(steps, before, new)
    if face == old_face:
        return quantity > old_quantity  # RAISE-QTY
    if height(steps, face) < height(steps, old_face):
        return steps.to_lower_face and quantity > old_quantity  # RAISE-DOWN
    return higher_face_fits(steps, old_quantity, quantity)


def pacos_fit(steps: Steps, before: Bid, new: Bid) -> bool:
    (old_quantity, old_face), (quantity, face) = before, new
    if old_face == 1 and face == 1:
        return quantity > old_quantity  # PACOS-UP
    if old_face == 1:
        enough = 2 * old_quantity + 1 if steps.one_more else 2 * old_quantity
        return quantity >= enough  # FROM-PACOS
    half = old_quantity / 2
    return quantity >= half if steps.one_more else quantity > half  # TO-PACOS


def height(steps: Steps, face: int) -> int:
    """How high a face is where pacos are not wild."""
    return 7 if face == 1 and steps.ones_high else face  # FACES


def higher_face_fits(steps: Steps, old_quantity: int, quantity: int) -> bool:
    if quantity == old_quantity:
        return True  # RAISE-FACE
    return steps.quantity_and_face and quantity > old_quantity  # RAISE-BOTH


def palifico_bid_fits(steps: Steps, before: Bid | None, new: Bid, free: bool) -> bool:
    """Whether `new` may answer `before` in a palifico round, the cap aside."""
    if before is None:
        return True  # OPEN: the palifico player opens, on pacos if it likes
    if new[1] == before[1]:
        return new[0] > before[0]  # PAL-LOCK
    if height(steps, new[1]) < height(steps, before[1]):
        return False  # PAL-LOCK
    return free and higher_face_fits(steps, before[0], new[0])  # PAL-VETERAN, PAL-LOCK


@lru_cache(maxsize=REMEMBERED)
def legal_bids(
    steps: Steps, cap: int, before: Bid | None, palifico: bool, free: bool
) -> frozenset[Bid]:
    """Every bid that may be said now, found by trying each one up to the cap (OVER-TOTAL)."""
    every_bid = [(quantity, face) for quantity in range(1, cap + 1) for face in FACES]
    if palifico:
        return frozenset(b for b in every_bid if palifico_bid_fits(steps, before, b, free))
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
    palifico, free = table.palifico_seat is not None, is_veteran(table, table.to_act)
    if table.to_act == table.palifico_seat:
        free = table.book.palifico_opener_may_raise_face
    book = table.book
    steps = Steps(
        quantity_and_face=book.raise_quantity_and_face,
        to_lower_face=book.raise_to_lower_face,
        pacos_wild=book.pacos_wild,
        open_with_pacos=book.open_with_pacos,
        one_more=book.from_pacos_one_more,
        ones_high=book.ones_high,
    )
    return legal_bids(steps, table.cap, table.bid, palifico, free)


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
    if not table.calza or table.bid is None or not table.dice[seat]:
        return False
    if seat == table.bidder and not table.book.calza_by_bidder:
        return False  # CALZA-BIDDER
    if table.book.calza_needs_lost_die and len(table.dice[seat]) == table.starting_dice:
        return False  # CALZA-LOST
    if table.palifico_seat is not None and not table.book.calza_in_palifico:
        return False  # CALZA-PAL
    if len(table.alive()) == 2 and not table.book.calza_with_two_left:
        return False  # CALZA-TWO
    return table.book.calza_by_next or seat != table.to_act  # CALZA-WHO
