"""The worst moves of each seat of some games (`arena.playstats.mistakes`)."""

from typing import Literal, NamedTuple

import numpy as np

from arena.playstats.mistakes import KEPT, Mistake
from arena.playstats.scan.columns import Column, firsts, joined, only, rows
from arena.playstats.scan.games import Games
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls, Weighing
from arena.playstats.style import MILLION

_ACTIONS: tuple[Literal["bid", "dudo", "calza"], ...] = ("bid", "dudo", "calza")
_BID, _DUDO, _CALZA = range(3)


class _Moves(NamedTuple):
    """A column per property, with an entry per move."""

    action: Column
    round: Column
    step: Column
    seat: Column
    quantity: Column
    face: Column
    raised_quantity: Column
    """0 for a calza."""
    raised_face: Column
    chance: Column
    instead: Column
    edge: Column
    right: Column


def worst_moves(
    games: Games,
    weighing: Weighing,
    bids: WeighedBids,
    dudos: WeighedCalls,
    calzas: WeighedCalls,
) -> list[tuple[Mistake, ...]]:
    """Return the worst moves of all seats, table by table, the worst first."""
    parts = [
        _raises(games, weighing, bids),
        _calls(games, _DUDO, dudos),
        _calls(games, _CALZA, calzas),
    ]
    moves = joined([only(part, part.edge < 0) for part in parts])
    rounds, group = games.rounds, games.group(moves.round, moves.seat)
    number, dice = games.number[rounds.game[moves.round]], rounds.total[moves.round]
    kept = firsts(group, (moves.edge, dice, number, moves.step), KEPT)
    found: list[list[Mistake]] = [[] for _ in range(games.groups)]
    for at, move in zip(group[kept].tolist(), rows(only(moves, kept)), strict=True):
        found[at].append(_mistake(games, move))
    return [tuple(of_seat) for of_seat in found]


def _raises(games: Games, weighing: Weighing, weighed: WeighedBids) -> _Moves:
    """Return all raises, each against a dudo."""
    bids, at = weighed.bids, weighed.raises()
    mine, last = bids.only(at), bids.only(at - 1)
    false = MILLION - weighing.chance(mine.round, mine.seat, last.quantity, last.face)
    chance = weighed.chance[at]
    return _Moves(
        action=np.full(len(at), _BID),
        round=mine.round,
        step=games.step_of(mine),
        seat=mine.seat,
        quantity=last.quantity,
        face=last.face,
        raised_quantity=mine.quantity,
        raised_face=mine.face,
        chance=chance,
        instead=false,
        edge=chance - false,
        right=weighed.true[at],
    )


def _calls(games: Games, action: int, calls: WeighedCalls) -> _Moves:
    return _Moves(
        action=np.full(len(calls.round), action),
        round=calls.round,
        step=games.step_of(calls.bid) + 1,
        seat=calls.seat,
        quantity=calls.bid.quantity,
        face=calls.bid.face,
        raised_quantity=calls.raised.quantity,
        raised_face=calls.raised.face,
        chance=calls.chance,
        instead=calls.instead,
        edge=calls.edge,
        right=calls.right,
    )


def _mistake(games: Games, move: _Moves) -> Mistake:
    rounds = games.rounds
    game = rounds.game[move.round]
    fixture = games.fixtures[int(games.fixture[game])].fixture
    return Mistake(
        variant=fixture.variant,
        players=games.seats,
        index=fixture.index,
        game=int(games.number[game]),
        round=int(rounds.number[move.round]),
        step=move.step,
        seat=move.seat,
        action=_ACTIONS[move.action],
        quantity=move.quantity,
        face=move.face,
        raised=(move.raised_quantity, move.raised_face) if move.raised_quantity else None,
        chance=move.chance / MILLION,
        instead=move.instead / MILLION,
        edge=move.edge / MILLION,
        dice=int(rounds.total[move.round]),
        right=move.right,
    )
