"""The best highlights of each seat of some games, but for upsets and faults."""

from typing import NamedTuple

import numpy as np

from arena.playstats.highlights import KINDS, OF_BOT, Highlight, surprise
from arena.playstats.scan.columns import Column, Flags, firsts, joined, only, rows
from arena.playstats.scan.games import Games
from arena.playstats.scan.rounds import Bids
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls
from arena.playstats.style import MILLION
from arena.ratings.maths.arrays import Floats, Ints

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
    parts = [_comebacks(games), _bluffs(games, bids), _calls(games, dudos), _calzas(games, calzas)]
    moments = joined(parts)
    rounds = games.rounds
    game = rounds.game[moments.round]
    score = _surprise(moments.chance) * rounds.total[moments.round]
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


def _surprise(chances: Floats) -> Floats:
    """Return the surprise of each; few of them differ."""
    different, which = np.unique(chances, return_inverse=True)
    return np.array([surprise(chance) for chance in different.tolist()])[which]


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


def _calls(games: Games, dudos: WeighedCalls) -> _Moments:
    """Return the dudos that were right and unlikely, where the bid could have been raised."""
    return _of_calls(games, _CALL, dudos, dudos.raised.quantity > 0)


def _calzas(games: Games, calzas: WeighedCalls) -> _Moments:
    return _of_calls(games, _CALZA, calzas, calzas.right)


def _of_calls(games: Games, kind: int, calls: WeighedCalls, counts: Flags) -> _Moments:
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
