"""The positions of a round of bidding, each worked out once: what may follow, and how it is told.

The raises over a bid do not depend on who made it, so all rounds of the same kind share theirs.
"""

from functools import lru_cache

from arena.game.records import BidMade
from arena.game.rules import round as rounds
from arena.game.rules.books import FACES, Rules
from arena.game.rules.round import Bid, Round, Standing
from arena.game.rules.view import SeatBid
from arena.game.wire.turn_lines import bid_part, raises_part

_TABLES = 64
"""Rules and numbers of players whose positions are kept."""


class PlacedBid:
    """A seat's bid: as an event, as others see it, and as they are sent it."""

    __slots__ = ("event", "line", "seen")

    def __init__(self, seat: int, bid: Bid) -> None:
        self.event = BidMade(seat, bid.quantity, bid.face)
        self.seen = SeatBid(seat, bid.quantity, bid.face)
        self.line = bid_part(self.seen)


class Position:
    """A bid on the table, or the start of a round.

    `raises` are the legal bids over it, `line` the end of a request for one of them.
    """

    __slots__ = ("_after", "_by_seat", "_known", "_now", "line", "raises")

    def __init__(self, now: Round, known: dict[int, "Position"]) -> None:
        self._now = now
        self._known = known
        self._after: dict[int, Position] = {}
        self._by_seat: list[PlacedBid | None] = [None for _ in now.standing.dice]
        self.raises = rounds.raises(now)
        self.line = raises_part(self.raises, dudo=now.bid is not None)

    def after(self, quantity: int, face: int) -> "Position | None":
        """Return the position after a bid, None if it is not legal."""
        if face > FACES:
            return None
        key = quantity * (FACES + 1) + face
        return self._after.get(key) or self._reach(key, Bid(quantity, face))

    def placed_by(self, seat: int) -> PlacedBid:
        """Return the bid on the table as one of a seat; raises ValueError without one."""
        placed = self._by_seat[seat]
        if placed is None:
            bid, _ = rounds.on_table(self._now)
            placed = self._by_seat[seat] = PlacedBid(seat, bid)
        return placed

    def _reach(self, key: int, bid: Bid) -> "Position | None":
        if not rounds.is_among(self.raises, bid):
            return None
        if key not in self._known:
            self._known[key] = Position(rounds.place(self._now, bid), self._known)
        position = self._after[key] = self._known[key]
        return position


class Positions:
    """The positions of all rounds under some rules with so many players."""

    __slots__ = ("_palifico", "_usual")

    def __init__(self) -> None:
        self._usual: Position | None = None
        self._palifico: Position | None = None

    def opening(self, standing: Standing) -> Position:
        """Return the position in which a round starts."""
        if standing.palifico_seat is None:
            if self._usual is None:
                self._usual = _opening(standing)
            return self._usual
        if standing.rules.veteran_may_raise_face:
            # The raises depend on who is on turn.
            return _opening(standing)
        if self._palifico is None:
            self._palifico = _opening(standing)
        return self._palifico


def _opening(standing: Standing) -> Position:
    return Position(rounds.open_round(standing), {})


@lru_cache(_TABLES)
def positions_of(rules: Rules, players: int) -> Positions:  # noqa: ARG001 - they are the key
    """Return the positions that all games share which have these rules and players."""
    return Positions()
