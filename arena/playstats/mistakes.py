"""A bot's worst moves, each against its alternative, as the bot knew it.

The measure is how many dice a move is expected to cost if the round ended with it. A dudo on a bid
that is true with probability p costs p dice; a bid that is true with probability p costs 1 - p, if
it is doubted at once; a calza costs one die if it is wrong, and gains one if it is right and dice
were lost before. The alternative to a dudo is the most likely legal raise, to a raise a dudo,
to a calza to pass, which costs nothing. A move's edge is what the alternative would have cost more:
that of a mistake is below 0. How the dice really lay does not count: an unlucky move is not a bad
one.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct

from arena.playstats.scan.games import Games
from arena.playstats.scan.tables import Column, firsts, joined, only, rows
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls, Weighing
from arena.playstats.style import MILLION

KEPT = 5
"""Mistakes that are kept for each bot."""


class Mistake(Struct, frozen=True, array_like=True):
    """One bad move of one bot, and what it could have done instead. Counts are from 0."""

    variant: str
    players: int
    index: int
    """The fixture's index in the schedule."""
    game: int
    round: int
    step: int
    """The move's place among the events of its game."""
    seat: int
    action: Literal["bid", "dudo", "calza"]
    quantity: int
    """The bid that lay on the table."""
    face: int
    raised: tuple[int, int] | None
    """The bid that was made, or the most likely one instead of a dudo; None for a calza."""
    chance: float
    """The probability that the move was right, as the bot knew it: the bid true, the call right."""
    instead: float
    """The probability that the alternative was right; 1 for passing."""
    edge: float
    """By how many dice, on average, the move was better than its alternative: below 0."""
    dice: int
    """Dice on the table."""
    right: bool
    """Whether the bid was true, or the call right."""


def worst(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return the worst; of equals the one with fewer dice: there a die counts for more."""

    def order(mistake: Mistake) -> tuple[float, int, int, int, int]:
        return mistake.edge, mistake.dice, mistake.index, mistake.game, mistake.step

    return tuple(sorted(mistakes, key=order)[:KEPT])


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
    """The quantity of the bid that was made, or of the best one; 0 for a calza."""
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
