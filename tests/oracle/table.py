"""What may be said at a table, read from the clauses alone: one bid, one caller at a time."""

from dataclasses import dataclass, field
from typing import Any

VARIANTS = ("bga", "classic", "pressman", "italian")
FACES = range(1, 7)

Json = dict[str, Any]
Bid = tuple[int, int]  # quantity, face


@dataclass
class Table:
    """One round while it is replayed. `dice` are the faces of each seat, `cap` the highest bid."""

    variant: str
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


def bid_fits(variant: str, before: Bid | None, new: Bid) -> bool:
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
    if variant == "pressman":  # RAISE-QTY, RAISE-FACE, RAISE-BOTH, RAISE-DOWN
        return quantity > old_quantity or (quantity == old_quantity and face > old_face)
    more_dice = quantity > old_quantity and face == old_face
    higher_face = quantity == old_quantity and face > old_face
    return more_dice or higher_face


def palifico_bid_fits(before: Bid | None, new: Bid, veteran: bool) -> bool:
    """Whether `new` may answer `before` in a palifico round, the cap aside."""
    if before is None:
        return True  # OPEN: the palifico player opens, on pacos if it likes
    if new[1] == before[1]:
        return new[0] > before[0]  # PAL-LOCK
    return veteran and new[1] > before[1] and new[0] >= before[0]  # PAL-VETERAN


def is_veteran(table: Table, seat: int) -> bool:
    return (
        table.variant == "pressman"
        and table.used[seat]
        and len(table.dice[seat]) == 1
        and seat != table.palifico_seat
    )


def bid_is_legal(table: Table, new: Bid) -> bool:
    """Whether the seat on turn may bid `new` now."""
    if not 1 <= new[0] <= table.cap or new[1] not in FACES:
        return False  # OVER-TOTAL
    if table.palifico_seat is None:
        return bid_fits(table.variant, table.bid, new)
    return palifico_bid_fits(table.bid, new, is_veteran(table, table.to_act))


def calza_is_legal(table: Table, seat: int) -> bool:
    if not table.calza or table.bid is None or not table.dice[seat] or seat == table.bidder:
        return False
    if table.variant == "bga":
        return True
    if table.palifico_seat is not None or len(table.alive()) == 2:
        return False  # CALZA-PAL, CALZA-TWO
    return table.variant == "classic" or seat != table.to_act  # CALZA-WHO
