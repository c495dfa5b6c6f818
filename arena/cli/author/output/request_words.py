"""A request to a bot in words: what a person needs of it to see what the bot should have done."""

import msgspec

from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid, Raises
from arena.game.wire.messages import CalzaOffer, Hello, Turn

_decode = msgspec.json.Decoder(Hello | Turn | CalzaOffer).decode


def digest(line: str) -> str:
    """Return a request as it was sent, in words; "" if it is none."""
    try:
        request = _decode(line)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return ""
    if isinstance(request, Hello):
        games = f"{request.games:,} games of {request.rules.name}"
        return f"hello: seat {request.seat} of {request.seats}, {games}"
    kind = "turn" if isinstance(request, Turn) else "calza"
    parts = [f"{kind} {request.id}: seat {request.seat} has {' '.join(map(str, request.dice))}"]
    if request.dice_counts:
        parts.append(f"dice by seat {' '.join(map(str, request.dice_counts))}")
    if request.palifico_seat is not None:
        parts.append(f"palifico of seat {request.palifico_seat}")
    if request.bids:
        last = request.bids[-1]
        parts.append(f"last bid {name_bid(Bid(last.quantity, last.face))} by seat {last.seat}")
    if isinstance(request, Turn):
        parts.append(f"legal: {legal(request)}")
    return "; ".join(parts)


def legal(request: Turn) -> str:
    """Return what may be done at a turn, in words."""
    bids = [_range(raises) for raises in request.raises]
    return ", ".join(bids + ["dudo"] * request.dudo)


def _range(bids: Raises) -> str:
    if bids.min == bids.max:
        return name_bid(Bid(bids.min, bids.face))
    return f"{bids.min} to {name_bid(Bid(bids.max, bids.face))}"
