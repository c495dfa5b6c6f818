"""Tables to judge by hand: standings, and rounds with a bid on the table."""

from typing import Any

from arena.game.rules.books import variant
from arena.game.rules.round import Bid, Round, Standing, left_of


def standing(
    book: str,
    dice: tuple[int, ...] = (5, 5, 5),
    *,
    palifico: int | None = None,
    used: tuple[int, ...] = (),
    opener: int = 0,
    start: int = 5,
    calza: bool = True,
    **overrides: object,
) -> Standing:
    """A table before a round; `used` names the seats that had their palifico round."""
    rules = variant(book, overrides, calza=calza, starting_dice=start)
    had = tuple(seat in used for seat in range(len(dice)))
    return Standing(rules, dice, had, opener if palifico is None else palifico, palifico)


def after_bid(table: Standing, quantity: int, face: int, bidder: int = 0) -> Round:
    """The round in which `bidder` just bid; the next to its left is to act."""
    return Round(table, left_of(table.dice, bidder), Bid(quantity, face), bidder)


def position(
    book: str, dice: list[list[int]], *actions: dict[str, Any], **changes: object
) -> dict[str, Any]:
    """A position for `judge`: a normal round that seat 0 opens, calza played, unless changed."""
    plain = {"kind": "normal", "starter": 0}
    return {
        "variant": book,
        "calza": True,
        "dice": dice,
        "round": plain,
        "actions": list(actions),
        **changes,
    }


def said(seat: int, quantity: int, face: int, **moment: int) -> dict[str, Any]:
    return {"seat": seat, "do": "bid", "quantity": quantity, "face": face, **moment}


def called(seat: int, call: str, **moment: int) -> dict[str, Any]:
    return {"seat": seat, "do": call, **moment}
