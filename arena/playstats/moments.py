"""Moments worth watching: comebacks, bluffs that survived, calls that were right, upsets, faults.

They are ranked by surprise times dice on the table. The surprise of an event with probability p is
-log2(p) bits, ten at most; p is the bot's own estimate, so a lucky guess ranks above a safe one.
Only successes are moments: calls that were right, false bids that were raised and not doubted.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import log2
from typing import Literal

from msgspec import Struct

from arena.game.records import Cause, Division
from arena.game.rules.round import Standing

MomentKind = Literal["comeback", "bluff", "call", "calza", "upset", "fault"]
KINDS: tuple[MomentKind, ...] = ("comeback", "bluff", "call", "calza", "upset", "fault")
"""In the order in which they are listed."""
OF_BOT = 3
"""Moments of each kind that are kept for each bot."""
OF_DIVISION = 10
"""Moments of each kind that are kept for each division."""
EACH = 2
"""Moments of a division and a kind that may be of the same bot."""
_UNSORTED = 32
"""Moments that wait to be sorted at most."""
_Order = tuple[float, int, int, int, int]
_MOST_BITS = 10.0
"""The surprise of an event with probability 0, in bits."""


class Moment(Struct, frozen=True, array_like=True):
    """One moment of one bot. Places are counted from 0."""

    kind: MomentKind
    score: float
    """The key of the ranking: bits of surprise times dice on the table."""
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


def order(moment: Moment) -> _Order:
    """Return what moments are sorted by: the best first, of equals the one played first."""
    return -moment.score, moment.index, moment.game, moment.step, moment.seat


@lru_cache(1 << 12)
def surprise(chance: float) -> float:
    """Return how surprising it is that something so likely came true, in bits."""
    return max(0.0, min(_MOST_BITS, -log2(chance))) if chance else _MOST_BITS


def best(moments: Iterable[Moment], most: int, each: int) -> tuple[Moment, ...]:
    """Return the best of each kind, `most` of a kind and `each` of a bot, kind by kind.

    Each bot has at most one of a kind in a game. The best of several parts may be merged: the best
    of these are the best of all.
    """
    kinds: Counter[MomentKind] = Counter()
    bots: Counter[tuple[MomentKind, str]] = Counter()
    games: set[tuple[MomentKind, str, int, int]] = set()
    kept = []
    for moment in sorted(moments, key=order):
        game = moment.kind, moment.bot, moment.index, moment.game
        if kinds[moment.kind] < most and bots[game[:2]] < each and game not in games:
            kinds[moment.kind] += 1
            bots[game[:2]] += 1
            games.add(game)
            kept.append(moment)
    return tuple(sorted(kept, key=lambda moment: KINDS.index(moment.kind)))


class BestMoments:
    """The best of the moments that were added, in any order."""

    def __init__(self, most: int, each: int) -> None:
        self._most, self._each = most, each
        self._kept: tuple[Moment, ...] = ()
        self._new: list[Moment] = []
        self._bars: dict[MomentKind | tuple[MomentKind, str], _Order] = {}
        """The last of a kind, or of a bot's of a kind, if there can be no more of them."""

    @property
    def kept(self) -> tuple[Moment, ...]:
        """The best so far, kind by kind."""
        if self._new:
            self._sort()
        return self._kept

    def takes(self, kind: MomentKind, score: float) -> bool:
        """Tell whether a moment later than all others may get in: of equals the first stays."""
        bar = self._bars.get(kind)
        return bar is None or -score < bar[0]

    def add(self, moments: Iterable[Moment]) -> None:
        """Add those that may get in."""
        self._new += [moment for moment in moments if self._may_get_in(moment)]
        if len(self._new) > _UNSORTED:
            self._sort()

    def _may_get_in(self, moment: Moment) -> bool:
        for whose in (moment.kind, (moment.kind, moment.bot)):
            bar = self._bars.get(whose)
            if bar and (-moment.score > bar[0] or order(moment) >= bar):
                return False
        return True

    def _sort(self) -> None:
        self._kept, self._new = best([*self._kept, *self._new], self._most, self._each), []
        counts: Counter[MomentKind | tuple[MomentKind, str]] = Counter()
        for moment in self._kept:
            for whose, most in ((moment.kind, self._most), ((moment.kind, moment.bot), self._each)):
                counts[whose] += 1
                if counts[whose] == most:
                    self._bars[whose] = order(moment)


def is_behind(standing: Standing, seat: int) -> bool:
    """Tell whether a seat has at most half of its fair share of the dice."""
    return 2 * standing.dice[seat] * standing.alive <= sum(standing.dice)
