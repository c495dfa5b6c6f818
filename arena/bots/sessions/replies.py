"""What sessions report: the replies to requests, and every line for those who log them."""

from collections.abc import Callable

from arena.game.records import Fault
from arena.game.wire.messages import Answer, Ready

Reply = Answer | Ready | Fault
SeatReply = tuple[int, int, Reply]
"""A seat, the id of its request and the reply."""
Log = Callable[[int, str, bytes], None]
"""Gets every line with its seat and its direction: ">>" to the bot, "<<" from it.

What comes on standard error has the direction "!!", as it comes: in any pieces.
"""
