"""The table of dice as a page shows it: the model of reports/table.html."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from arena.game.rules.round import Bid

PLACES = ("", "1st", "2nd", "3rd", "4th", "5th", "6th")
"""Places at the end of a game, in words."""
_SHORT_OF_ROOM = 5
"""Dice of a hand above which a seat has two lines of them."""


class SeatShown(Struct, frozen=True, kw_only=True):
    """A seat at the table."""

    name: str
    mark: str
    """The classes of the mark of its bot."""
    place: int
    """0 sits at the bottom; then in the order of turns."""
    dice: Sequence[int] = ()
    """The faces that may be seen."""
    counted: Collection[int] = ()
    """The faces that count for the bid."""
    hidden: int = 0
    """The dice under the cup."""
    word: str = ""
    """What it did last, if that is no bid."""
    bid: Bid | None = None
    classes: str = ""
    """`acts`, `gone` and `mine`, if it is that of a person."""
    fresh: int = 0
    """Which bid this is since a person's own, from 1; 0 for none."""
    href: str = ""
    """The page of its bot; "" if there is none."""


class TableShown(Struct, frozen=True, kw_only=True):
    """A table at a moment of a game."""

    seats: Sequence[SeatShown]
    bid: Bid | None = None
    verdict: str = ""
    """What stands below the bid, or in its place."""
    false: bool = False
    """Whether the bid is known to be false."""
    winner: str = ""
    """Who wins, as a sentence; "" before the end."""
    most: int = 0
    """The most dice that a seat has in this round."""

    @property
    def layout(self) -> str:
        """The classes of the table: where the seats are, and how much room their dice take."""
        return f"p{len(self.seats)}{' tall' if self.most > _SHORT_OF_ROOM else ''}"


def counted_faces(bid: Bid | None, wild: int | None) -> set[int]:
    """Return the faces that count for a bid."""
    return {face for face in (bid.face, wild) if face} if bid else set()


BLANK = TableShown(seats=[SeatShown(name="", mark="blank", place=0, href="#")], bid=Bid(1, 1))
"""The table whose pieces a replay fills."""
