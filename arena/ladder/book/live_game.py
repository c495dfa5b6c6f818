"""The game that a ladder shows: its public events, and when each of them is shown.

Games of programs take milliseconds, so a game is shown more slowly than it is played. Its dice are
not here before every table of its block is played: they share their dice.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from arena.game.records import BidMade
from arena.game.results import Placed
from arena.game.rules.dice import Hand

FACT = "live_game"
"""The fact in the book."""


class RoundBegun(Struct, frozen=True, array_like=True, tag="round"):
    """A round begins: the dice are rolled."""

    palifico_seat: int | None
    counts: tuple[int, ...]
    """The dice of each seat."""


class WasCalled(Struct, frozen=True, array_like=True, tag="call"):
    """A call, and the die that it cost or gave back; not how many dice there were."""

    seat: int
    call: str
    loser: int | None
    gainer: int | None


class WasOut(Struct, frozen=True, array_like=True, tag="fault"):
    """A seat faulted and is out."""

    seat: int
    cause: str


PublicEvent = RoundBegun | BidMade | WasCalled | WasOut | Placed


class LiveGame(Struct, frozen=True, kw_only=True):
    """A game as everybody may see it; times in seconds since 1970."""

    id: str
    """That of its fixture."""
    variant: str
    seats: tuple[str, ...]
    began: float
    """When it began to be played."""
    events: tuple[PublicEvent, ...] = ()
    shown_at: tuple[float, ...] = ()
    """When each event is shown."""
    dice: tuple[tuple[Hand, ...], ...] = ()
    """The hands of each round; empty while a table of the block is still to be played."""

    @property
    def is_over(self) -> bool:
        """Whether its end is among the events."""
        return bool(self.events) and isinstance(self.events[-1], Placed)

    def steps(self, now: float) -> int:
        """Return how many events are shown at a time."""
        return bisect_right(self.shown_at, now)


_game = msgspec.json.Decoder(LiveGame).decode


def decoded(fact: str) -> LiveGame | None:
    """Return the game that a fact holds; None for "" and for one that another arena wrote."""
    try:
        return _game(fact)
    except msgspec.DecodeError:
        return None


def paced(before: Sequence[float], count: int, now: float, pace: float) -> Iterator[float]:
    """Yield when each of `count` events is shown: those before as they were, others in their turn.

    Two events are at least `pace` seconds apart.
    """
    yield from before
    last = before[-1] if before else now - pace
    for _ in range(count - len(before)):
        last = max(last + pace, now)
        yield last
