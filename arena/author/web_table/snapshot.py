"""A table at one moment, as the person may see it."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from arena.game.rules.dice import Hand
from arena.game.rules.round import Bid
from arena.game.rules.view import SeatBid
from arena.game.wire.messages import Answer, CalzaOffer, RoundEnd, Turn
from arena.league.table.dice_left import Odds


class Snapshot(Struct, frozen=True, kw_only=True):
    """A table while the person decides or waits, or at the end of a round or a game."""

    kind: Literal["waiting", "turn", "calza", "round_end", "game_end"] = "waiting"
    game: int = 0
    round: int = 0
    counts: tuple[int, ...] = ()
    """The dice that each seat has left."""
    hands: tuple[Hand, ...] = ()
    """By seat; empty where the dice are hidden."""
    bids: Sequence[SeatBid] = ()
    palifico_seat: int | None = None
    faults: tuple[str, ...] = ()
    """The faults since the last snapshot, in words."""
    story: tuple[str, ...] = ()
    """The rounds of this game that are over, in words."""
    request: Turn | CalzaOffer | None = None
    odds: dict[tuple[int, int], Odds] = {}
    """The odds of the last bid and of every legal one, by quantity and face."""
    end: RoundEnd | None = None
    places: tuple[int, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether the person is to decide."""
        return self.request is not None


def legal_bids(request: Turn | CalzaOffer | None) -> list[Bid]:
    """Return every legal bid, face by face."""
    if not isinstance(request, Turn):
        return []
    return [
        Bid(quantity, raises.face)
        for raises in request.raises
        for quantity in range(raises.min, raises.max + 1)
    ]


def answer_to(request: Turn | CalzaOffer, move: str) -> Answer | None:
    """Return the answer that a move stands for ("dudo", "bid 5 4"); None if it is not legal."""
    calls = ("calza", "pass") if isinstance(request, CalzaOffer) else ("dudo",) * request.dudo
    if move in calls:
        return msgspec.convert({"id": request.id, "action": move}, Answer)
    for bid in legal_bids(request):
        if move == f"bid {bid.quantity} {bid.face}":
            return Answer(id=request.id, action="bid", quantity=bid.quantity, face=bid.face)
    return None
