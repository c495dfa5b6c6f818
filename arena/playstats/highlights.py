"""Highlights: comebacks, bluffs that survived, calls that were right, upsets, faults.

They are ranked by surprise times dice on the table. The surprise of an event with probability p is
-log2(p) bits, ten at most; p is the bot's own estimate, so a lucky guess ranks above a safe one.
Only successes are highlights: calls that were right, false bids that were raised and not doubted.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import log2
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct

from arena.game.records import Cause, Division
from arena.playstats.scan.games import Bids, Games
from arena.playstats.scan.tables import Column, Flags, firsts, joined, only, rows
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls
from arena.playstats.style import MILLION
from arena.ratings.maths.arrays import Ints

HighlightKind = Literal["comeback", "bluff", "call", "calza", "upset", "fault"]
KINDS: tuple[HighlightKind, ...] = ("comeback", "bluff", "call", "calza", "upset", "fault")
"""In the order in which they are listed."""
OF_BOT = 3
"""Highlights of each kind that are kept for each bot."""
OF_DIVISION = 10
"""Highlights of each kind that are kept for each division."""
EACH = 2
"""Highlights of a division and a kind that may be of the same bot."""
_UNSORTED = 32
"""Highlights that wait to be sorted at most."""
_Order = tuple[float, int, int, int, int]
_MOST_BITS = 10.0
"""The surprise of an event with probability 0, in bits."""


class Highlight(Struct, frozen=True, array_like=True):
    """One highlight of one bot. Places are counted from 0."""

    kind: HighlightKind
    score: float
    """The key of the ranking: bits of surprise times dice on the table."""
    bot: str
    variant: str
    players: int
    index: int
    """The fixture's index in the schedule."""
    game: int
    round: int
    step: int
    """Its place among the events of its game."""
    seat: int
    chance: float
    """How likely it was: by the bot's own dice for a bluff or a call, by the ratings for an upset.
    For a comeback it is the bot's share of the dice, for a fault its share of faulted games."""
    dice: int
    """Dice on the table."""
    own: int = 0
    """The bot's own dice, in a comeback."""
    quantity: int = 0
    """The bid that was made or called."""
    face: int = 0
    cause: Cause | None = None
    opponent: str = ""
    """The best-rated bot that lost, in an upset."""

    @property
    def division(self) -> Division:
        """The division of its game."""
        return Division(self.variant, self.players)


def order(highlight: Highlight) -> _Order:
    """Return what highlights are sorted by: the best first, of equals the one played first."""
    return -highlight.score, highlight.index, highlight.game, highlight.step, highlight.seat


@lru_cache(1 << 12)
def surprise(chance: float) -> float:
    """Return how surprising it is that something so likely came true, in bits."""
    return max(0.0, min(_MOST_BITS, -log2(chance))) if chance else _MOST_BITS


def best(highlights: Iterable[Highlight], most: int, each: int) -> tuple[Highlight, ...]:
    """Return the best of each kind, `most` of a kind and `each` of a bot, kind by kind.

    Each bot has at most one of a kind in a game. The best of several parts may be merged: the best
    of these are the best of all.
    """
    kinds: Counter[HighlightKind] = Counter()
    bots: Counter[tuple[HighlightKind, str]] = Counter()
    games: set[tuple[HighlightKind, str, int, int]] = set()
    kept = []
    for highlight in sorted(highlights, key=order):
        game = highlight.kind, highlight.bot, highlight.index, highlight.game
        if kinds[highlight.kind] < most and bots[game[:2]] < each and game not in games:
            kinds[highlight.kind] += 1
            bots[game[:2]] += 1
            games.add(game)
            kept.append(highlight)
    return tuple(sorted(kept, key=lambda highlight: KINDS.index(highlight.kind)))


class BestHighlights:
    """The best of the highlights that were added, in any order."""

    def __init__(self, most: int, each: int) -> None:
        self._most, self._each = most, each
        self._kept: tuple[Highlight, ...] = ()
        self._new: list[Highlight] = []
        self._bars: dict[HighlightKind | tuple[HighlightKind, str], _Order] = {}
        """The last of a kind, or of a bot's of a kind, if there can be no more of them."""

    @property
    def kept(self) -> tuple[Highlight, ...]:
        """The best so far, kind by kind."""
        if self._new:
            self._sort()
        return self._kept

    def takes(self, kind: HighlightKind, score: float) -> bool:
        """Tell whether a highlight later than all others may get in: of equals the first stays."""
        bar = self._bars.get(kind)
        return bar is None or -score < bar[0]

    def add(self, highlights: Iterable[Highlight]) -> None:
        """Add highlights; those that cannot be among the best are left out."""
        for highlight in highlights:
            for whose in (highlight.kind, (highlight.kind, highlight.bot)):
                bar = self._bars.get(whose)
                if bar and (-highlight.score > bar[0] or order(highlight) >= bar):
                    break
            else:
                self._new.append(highlight)
        if len(self._new) > _UNSORTED:
            self._sort()

    def _sort(self) -> None:
        self._kept, self._new = best([*self._kept, *self._new], self._most, self._each), []
        counts: Counter[HighlightKind | tuple[HighlightKind, str]] = Counter()
        for highlight in self._kept:
            for whose, most in (
                (highlight.kind, self._most),
                ((highlight.kind, highlight.bot), self._each),
            ):
                counts[whose] += 1
                if counts[whose] == most:
                    self._bars[whose] = order(highlight)


_HALF = MILLION // 2
_LEAST_QUANTITY = 2
"""Calls of smaller bids are no highlights."""
_COMEBACK, _BLUFF, _CALL, _CALZA = map(KINDS.index, ("comeback", "bluff", "call", "calza"))


class _Moments(NamedTuple):
    """A column per property, with an entry per highlight."""

    kind: Column
    round: Column
    step: Column
    seat: Column
    chance: Column
    own: Column
    quantity: Column
    face: Column


def best_moments(
    games: Games, bids: WeighedBids, dudos: WeighedCalls, calzas: WeighedCalls
) -> list[tuple[Highlight, ...]]:
    """Return the best of all seats, table by table, kind by kind."""
    moments = joined(
        [
            _comebacks(games),
            _bluffs(games, bids),
            # Dudos count where the bid could have been raised.
            _calls(games, _CALL, dudos, dudos.raised.quantity > 0),
            _calls(games, _CALZA, calzas, calzas.right),
        ]
    )
    rounds = games.rounds
    game = rounds.game[moments.round]
    chances, which = np.unique(moments.chance, return_inverse=True)  # few of them differ
    surprises = np.array([surprise(chance) for chance in chances.tolist()])[which]
    score = surprises * rounds.total[moments.round]
    lists = games.group(moments.round, moments.seat) * len(KINDS) + moments.kind
    # Each seat has at most one of a kind in a game.
    one = firsts(lists * len(games.number) + game, (-score, moments.step), 1)
    kept = one[firsts(lists[one], (-score[one], games.number[game[one]]), OF_BOT)]
    found: list[list[Highlight]] = [[] for _ in range(games.groups)]
    places = lists[kept] // len(KINDS), score[kept]
    for at, points, moment in zip(
        *(column.tolist() for column in places), rows(only(moments, kept)), strict=True
    ):
        found[at].append(_highlight(games, moment, points))
    return [tuple(of_seat) for of_seat in found]


def _comebacks(games: Games) -> _Moments:
    """Return the wins of seats that had at most half of their fair share of the dice.

    There are none in games in which a bot faulted.
    """
    rounds = games.rounds
    seat = games.winner[rounds.game]
    own = rounds.dice[np.arange(len(seat)), seat]
    faulted = np.zeros(len(games.number), np.bool_)
    faulted[[rounds.game[at] for at, one in enumerate(games.recorded) if one.faults]] = True
    behind = (2 * own * rounds.alive <= rounds.total) & ~faulted[rounds.game]
    at = np.flatnonzero(behind)
    nothing = np.zeros(len(at), np.intp)
    return _Moments(
        kind=nothing + _COMEBACK,
        round=at,
        step=rounds.step[at],
        seat=seat[at],
        chance=own[at] / rounds.total[at],
        own=own[at],
        quantity=nothing,
        face=nothing,
    )


def _bluffs(games: Games, weighed: WeighedBids) -> _Moments:
    """Return the false bids that were unlikely and not doubted."""
    at = np.flatnonzero(weighed.raised & ~weighed.true & (weighed.chance < _HALF))
    bids = weighed.bids.only(at)
    return _moves(_BLUFF, bids, games.step_of(bids), bids.seat, weighed.chance[at])


def _calls(games: Games, kind: int, calls: WeighedCalls, counts: Flags) -> _Moments:
    """Return the calls that were right and unlikely, of those that count."""
    brave = counts & calls.right & (calls.chance < _HALF)
    at = np.flatnonzero(brave & (calls.bid.quantity >= _LEAST_QUANTITY))
    bids = calls.bid.only(at)
    return _moves(kind, bids, games.step_of(bids) + 1, calls.seat[at], calls.chance[at])


def _moves(kind: int, bids: Bids, step: Ints, seat: Ints, chance: Ints) -> _Moments:
    nothing = np.zeros(len(step), np.intp)
    return _Moments(
        kind=nothing + kind,
        round=bids.round,
        step=step,
        seat=seat,
        chance=chance / MILLION,
        own=nothing,
        quantity=bids.quantity,
        face=bids.face,
    )


def _highlight(games: Games, moment: _Moments, score: float) -> Highlight:
    rounds = games.rounds
    game = rounds.game[moment.round]
    fixture = games.fixtures[int(games.fixture[game])].fixture
    return Highlight(
        kind=KINDS[moment.kind],
        score=score,
        bot=fixture.seats[moment.seat],
        variant=fixture.variant,
        players=games.seats,
        index=fixture.index,
        game=int(games.number[game]),
        round=int(rounds.number[moment.round]),
        step=moment.step,
        seat=moment.seat,
        chance=moment.chance,
        dice=int(rounds.total[moment.round]),
        own=moment.own,
        quantity=moment.quantity,
        face=moment.face,
    )
