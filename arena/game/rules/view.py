"""The view of a seat: the only place that hides dice."""

from collections.abc import Sequence
from itertools import compress

from msgspec import Struct
from msgspec.structs import astuple

from arena.game.rules.books import MAX_PLAYERS, Count, Face, Seat
from arena.game.rules.dice import Hand
from arena.game.rules.round import Round, Standing

_SEATS = range(MAX_PLAYERS)


class SeatBid(Struct, frozen=True, gc=False):
    """A bid that a seat made: at least `quantity` dice on the table show `face`."""

    seat: Seat
    quantity: Count
    face: Face


class View(Struct, frozen=True, gc=False):
    """All that one seat may know of a round: its own dice and what everyone sees or hears."""

    seat: Seat
    dice: Hand
    """The seat's own dice; 1 is a paco."""
    bids: Sequence[SeatBid]
    """This round's bids, oldest first; the last one is on the table."""
    alive: Sequence[Seat]
    """The seats that still have dice."""
    dice_counts: Sequence[Count] | None
    """The dice each seat has left; null if lost dice are hidden."""
    palifico_seat: Seat | None
    """The seat whose palifico round this is, in which pacos are not wild; null in a normal
    round."""


class Table(Struct, frozen=True, gc=False):
    """The fields of View that all seats see alike."""

    alive: Sequence[Seat]
    dice_counts: Sequence[Count] | None
    palifico_seat: Seat | None


def seen_by(seat: int, now: Round, hands: Sequence[Hand], bids: Sequence[SeatBid]) -> View:
    """Return a seat's view; `bids` are this round's, oldest first."""
    return View(seat, own_hand(seat, hands), bids, *astuple(seen_by_all(now.standing)))


def own_hand(seat: int, hands: Sequence[Hand]) -> Hand:
    """Return the only dice that a seat sees."""
    return hands[seat]


def seen_by_all(standing: Standing) -> Table:
    """Return what every seat sees of a round besides its bids."""
    dice = standing.dice
    shown = dice if standing.rules.lost_dice_visible else None
    return Table(tuple(compress(_SEATS, dice)), shown, standing.palifico_seat)
