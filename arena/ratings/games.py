"""All games of a division as arrays, in the canonical order in which they are rated."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.arrays import Ints
from arena.ratings.table import PlayedGames
from arena.records import GameResult

_CHUNK = 65_536
"""Games that are turned into names at a time."""


@dataclass(frozen=True)
class Games:
    """All games of one variant and table size."""

    bots: tuple[str, ...]
    """Sorted by name; the arrays hold indices into it."""
    order: Ints
    """One row per game: the bots in finishing order, the winner first."""
    block: Ints
    """The block of each game, numbered from 0 without gaps."""
    fixture: Ints
    """The fixture of each game, likewise."""
    game: Ints
    """The number of each game within its fixture."""
    seats: Ints
    """One row per fixture: the bots by seat."""
    faulted: NDArray[np.bool_]
    """One row per game: whether each bot faulted, by place."""

    @property
    def size(self) -> int:
        """How many bots there are."""
        return len(self.bots)

    def only(self, chosen: NDArray[np.bool_]) -> "Games":
        """Return some of the games, of the same bots."""
        fixtures, fixture = np.unique(self.fixture[chosen], return_inverse=True)
        return Games(
            bots=self.bots,
            order=self.order[chosen],
            block=np.unique(self.block[chosen], return_inverse=True)[1],
            fixture=fixture,
            game=self.game[chosen],
            seats=self.seats[fixtures],
            faulted=self.faulted[chosen],
        )

    def orders(self) -> list[tuple[str, ...]]:
        """Return the names of the bots of each game in finishing order."""
        names, found = np.array(self.bots, object), list[tuple[str, ...]]()
        for first in range(0, len(self.order), _CHUNK):
            columns = names[self.order[first : first + _CHUNK].T].tolist()
            found += zip(*columns, strict=True)
        return found

    def tables(self) -> list[tuple[str, ...]]:
        """Return the names of the bots of each table, whatever their order; each set once."""
        names = np.array(self.bots, object)[np.unique(np.sort(self.order, 1), axis=0).T].tolist()
        return list(zip(*names, strict=True))

    def by_block(self) -> Ints:
        """Return the number of games of each block and bot."""
        blocks = int(self.block.max()) + 1
        cells = (self.block[:, None] * self.size + self.order).ravel()
        return np.bincount(cells, minlength=blocks * self.size).reshape(blocks, self.size)

    def place_pairs(self) -> Iterable[tuple[int, int]]:
        """Return the pairs of places at a table, the better one first (0-based)."""
        return combinations(range(self.order.shape[1]), 2)


def as_arrays(results: Iterable[PlayedGames[GameResult]]) -> Games:
    """Turn the results of at least one game into arrays, whatever order they come in.

    The first games of all fixtures come first, then the second ones: TrueSkill depends less on the
    order of games if opponents alternate than if a fixture is rated in one go.
    """
    played = list(results)
    bots = tuple(sorted({bot for one in played for bot in one.fixture.seats}))
    index = {bot: at for at, bot in enumerate(bots)}
    seats = np.array([[index[bot] for bot in one.fixture.seats] for one in played], np.intp)
    indices = np.array([[one.fixture.index, one.fixture.block] for one in played], np.intp)
    rows = np.repeat(np.arange(len(played)), [len(one.games) for one in played])
    number = np.fromiter((game.game for one in played for game in one.games), np.intp, len(rows))
    places, which = _distinct(np.intp, (game.places for one in played for game in one.games))
    faults, faulted = _distinct(np.bool_, (game.faults for one in played for game in one.games))
    canonical = np.lexsort(
        (_ranks(places)[which], _ranks(np.hstack((seats, indices[:, ::-1])))[rows], number)
    )
    rows, which, faulted = rows[canonical], which[canonical], faulted[canonical]
    _, first, fixture = np.unique(indices[rows, 0], return_index=True, return_inverse=True)
    finishing = places.argsort(1)
    return Games(
        bots=bots,
        order=_by_place(seats, rows, finishing, which),
        block=np.unique(indices[rows, 1], return_inverse=True)[1],
        fixture=fixture,
        game=number[canonical],
        seats=seats[rows[first]],
        faulted=_by_place(faults, faulted, finishing, which),
    )


def _distinct(kind: type, values: Iterable[tuple[object, ...]]) -> tuple[NDArray[Any], Ints]:
    """Return the different rows, and which of them each row is: few of a million games differ."""
    index: dict[tuple[object, ...], int] = {}
    which = np.fromiter((index.setdefault(row, len(index)) for row in values), np.intp)
    return np.array(list(index), object).astype(kind), which


def _ranks(rows: Ints) -> Ints:
    """Return the place of each row among the different rows, the last column deciding first."""
    return np.unique(rows[:, ::-1], axis=0, return_inverse=True)[1].reshape(-1)


def _by_place(by_seat: NDArray[Any], rows: Ints, finishing: Ints, which: Ints) -> NDArray[Any]:
    """Return what each game's row says of its seats, the winner first.

    Place by place, which takes little memory.
    """
    found = np.empty((len(rows), by_seat.shape[1]), by_seat.dtype)
    for place, seat in enumerate(finishing.T):
        found[:, place] = by_seat[rows, seat[which]]
    return found
