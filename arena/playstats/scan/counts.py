"""Styles and calibrations: the bids and calls of each seat, counted."""

from typing import Any

import numpy as np

from arena.game.rules.books import FACES
from arena.playstats.scan.games import Games
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls
from arena.playstats.style import BINS, THOUSAND, Calibration, Style
from arena.ratings.maths.arrays import Ints


def calibrations(games: Games, weighed: WeighedBids) -> list[Calibration]:
    """Return those of all seats, table by table."""
    bids = weighed.bids
    cell = games.group(bids.round, bids.seat) * BINS + weighed.bin
    shape = games.groups, BINS
    columns = [
        _counted(cell, shape),
        _counted(cell[weighed.true], shape),
        _summed(cell, weighed.chance, shape),
    ]
    return [Calibration(*seat) for seat in zip(*columns, strict=True)]


def styles(
    games: Games,
    weighed: WeighedBids,
    counted: list[Calibration],
    dudos: WeighedCalls,
    calzas: WeighedCalls,
) -> list[Style]:
    """Return those of all seats, whose calibrations are given, table by table."""
    opening, boldness = _openings(games, weighed)
    groups, dudo, calza = games.groups, _groups(games, dudos), _groups(games, calzas)
    columns = [
        _counted(opening, groups),
        _summed(opening, boldness, groups),
        _summed(opening, boldness * boldness, groups),
        [sum(calibration.bids) for calibration in counted],
        # A bluff is a bid in the lower half of the bins.
        [sum(calibration.bids[: BINS // 2]) for calibration in counted],
        _counted(dudo, groups),
        _counted(dudo[dudos.right], groups),
        _counted(calza, groups),
        _counted(calza[calzas.right], groups),
    ]
    return [Style(*seat) for seat in zip(*columns, strict=True)]


def _openings(games: Games, weighed: WeighedBids) -> tuple[Ints, Ints]:
    """Return the seats that opened rounds, and how bold that was, in thousandths.

    That is the quantity against that to be expected of all dice.
    """
    rounds, bids = games.rounds, weighed.bids.only(weighed.bids.place == 0)
    expected = rounds.faces(bids.round, bids.face) * rounds.total[bids.round]
    boldness = np.rint(THOUSAND * FACES * bids.quantity / expected).astype(np.intp)
    return games.group(bids.round, bids.seat), boldness


def _groups(games: Games, calls: WeighedCalls) -> Ints:
    return games.group(calls.round, calls.seat)


def _counted(cells: Ints, shape: int | tuple[int, int]) -> list[Any]:
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).tolist()


def _summed(cells: Ints, values: Ints, shape: int | tuple[int, int]) -> list[Any]:
    """Return sums, which floats hold exactly: they are below 2^53."""
    sums = np.bincount(cells, values, minlength=int(np.prod(shape)))
    return sums.astype(np.intp).reshape(shape).tolist()
