"""Moments worth watching: comebacks, bluffs that survived, calls that were right, upsets, faults.

They are ranked by surprise times dice on the table. The surprise of what had probability p is
-log2(p) bits, ten at most; p is what the bot could know, so a lucky guess ranks above a safe one.
Only what came off is a moment: calls that were right, false bids that were raised and not doubted.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import log2
from typing import Literal

from msgspec import Struct

from arena.game.records import Cause, Division
from arena.game.rules.round import Standing

Kind = Literal["comeback", "bluff", "call", "calza", "upset", "fault"]
KINDS: tuple[Kind, ...] = ("comeback", "bluff", "call", "calza", "upset", "fault")
"""In the order in which they are listed."""
OF_BOT = 3
"""Moments of each kind that are kept of a bot."""
OF_DIVISION = 10
"""Moments of each kind that are kept of a division."""
EACH = 2
"""So many of them may be of the same bot."""
_UNSORTED = 32
"""Moments that wait to be sorted at most."""
_Order = tuple[float, int, int, int, int]
_MOST_BITS = 10.0
"""The surprise of what was thought impossible."""


class Moment(Struct, frozen=True, array_like=True):
    """One moment of one bot. Places are counted from 0."""

    kind: Kind
    score: float
    """What moments are ranked by: bits of surprise times dice on the table."""
    bot: str
    variant: str
    players: int
    index: int
    """The fixture's place in the schedule."""
    game: int
    round: int
    step: int
    """Its place among the events of its game."""
    seat: int
    chance: float
    """How likely it was: the bluff true, the call right, by the bot's own dice; for a comeback its
    share of the dice; for an upset the win, by the ratings; for a fault its share of the games."""
    dice: int
    """Dice on the table."""
    own: int = 0
    """The bot's own dice, in a comeback."""
    quantity: int = 0
    """The bid that was made or called."""
    face: int = 0
    cause: Cause | None = None
    rival: str = ""
    """The best-rated bot that lost, in an upset."""

    @property
    def division(self) -> Division:
        """The division of its game."""
        return Division(self.variant, self.players)


def order(one: Moment) -> _Order:
    """Return what moments are sorted by: the best first, of equals the one played first."""
    return -one.score, one.index, one.game, one.step, one.seat


@lru_cache(1 << 12)
def surprise(chance: float) -> float:
    """Return how surprising it is that something so likely came true, in bits."""
    return max(0.0, min(_MOST_BITS, -log2(chance))) if chance else _MOST_BITS


def best(moments: Iterable[Moment], most: int, each: int) -> tuple[Moment, ...]:
    """Return the best of each kind, `most` of a kind and `each` of a bot, kind by kind.

    Of one bot and game there is one of a kind at most. What is left out can never return: the best
    of parts that were cut so are the best of all.
    """
    kinds: Counter[Kind] = Counter()
    bots: Counter[tuple[Kind, str]] = Counter()
    games: set[tuple[Kind, str, int, int]] = set()
    kept = []
    for one in sorted(moments, key=order):
        game = one.kind, one.bot, one.index, one.game
        if kinds[one.kind] < most and bots[game[:2]] < each and game not in games:
            kinds[one.kind] += 1
            bots[game[:2]] += 1
            games.add(game)
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: KINDS.index(one.kind)))


class BestMoments:
    """The best moments while moments come in any order: it says early what cannot get in."""

    def __init__(self, most: int, each: int) -> None:
        self._most, self._each = most, each
        self._kept: tuple[Moment, ...] = ()
        self._new: list[Moment] = []
        self._bars: dict[Kind | tuple[Kind, str], _Order] = {}
        """The last of a kind, or of a bot's of a kind, if there can be no more of them."""

    @property
    def kept(self) -> tuple[Moment, ...]:
        """The best so far, kind by kind."""
        if self._new:
            self._sort()
        return self._kept

    def takes(self, kind: Kind, score: float) -> bool:
        """Tell whether a moment later than all others may get in: of equals the first stays."""
        bar = self._bars.get(kind)
        return bar is None or -score < bar[0]

    def add(self, moments: Iterable[Moment]) -> None:
        """Add those that may get in."""
        self._new += [one for one in moments if self._may_get_in(one)]
        if len(self._new) > _UNSORTED:
            self._sort()

    def _may_get_in(self, one: Moment) -> bool:
        for whose in (one.kind, (one.kind, one.bot)):
            bar = self._bars.get(whose)
            if bar and (-one.score > bar[0] or order(one) >= bar):
                return False
        return True

    def _sort(self) -> None:
        self._kept, self._new = best([*self._kept, *self._new], self._most, self._each), []
        counts: Counter[Kind | tuple[Kind, str]] = Counter()
        for one in self._kept:
            for whose, most in ((one.kind, self._most), ((one.kind, one.bot), self._each)):
                counts[whose] += 1
                if counts[whose] == most:
                    self._bars[whose] = order(one)


def is_behind(standing: Standing, seat: int) -> bool:
    """Tell whether a seat has at most half of its fair share of the dice."""
    return 2 * standing.dice[seat] * standing.alive <= sum(standing.dice)
