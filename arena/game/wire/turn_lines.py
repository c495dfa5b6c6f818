"""Turns as lines, from parts that outlast one request: the bytes of an encoded `Turn`, sooner."""

from typing import Final

from msgspec.json import Encoder

from arena.game.rules.books import MAX_PLAYERS
from arena.game.rules.dice import Hand
from arena.game.rules.round import Raises, Standing
from arena.game.rules.view import SeatBid, seen_by_all

_encode: Final = Encoder().encode
_BEGINNINGS: Final = [b'{"type":"turn","seat":%d,"dice":' % seat for seat in range(MAX_PLAYERS)]
_NO_BIDS: Final = b',"bids":['


class RoundLines:
    """The lines of one round's turns."""

    __slots__ = ("_bids", "_round", "_table")

    def __init__(self, standing: Standing, game: int, number: int) -> None:
        self._bids = _NO_BIDS
        table = _encode(seen_by_all(standing))
        self._table = b'],%b,"id":' % table[1:-1]
        self._round = b',"game":%d,"round":%d,"raises":' % (game, number)

    def add(self, bid: bytes) -> None:
        """Add a bid to those of the round, as `bid_part` has it."""
        self._bids = self._bids + bid if self._bids is _NO_BIDS else b"%b,%b" % (self._bids, bid)

    def line(self, seat: int, hand: Hand, id_: int, raises: bytes) -> bytes:
        """Return the line for a seat that sees its hand; `raises` are as `raises_part` has them."""
        parts = (
            _BEGINNINGS[seat],
            _encode(hand),
            self._bids,
            self._table,
            b"%d" % id_,
            self._round,
            raises,
        )
        return b"".join(parts)


def bid_part(bid: SeatBid) -> bytes:
    """Return a bid as it stands in a line."""
    return _encode(bid)


def raises_part(raises: tuple[Raises, ...], *, dudo: bool) -> bytes:
    """Return the end of a line: the legal bids, and whether there is a bid to doubt."""
    return b'%b,"dudo":%b}\n' % (_encode(raises), _encode(dudo))
