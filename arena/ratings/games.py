"""All games of a division as arrays, in the canonical order in which they are rated."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

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
    faulted: Ints
    """The bots that faulted, once for each game in which they did."""

    @property
    def size(self) -> int:
        """How many bots there are."""
        return len(self.bots)

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
    number = _column((game.game for one in played for game in one.games), len(rows))
    places, which = _distinct((game.places for one in played for game in one.games), len(rows))
    canonical = np.lexsort(
        (_ranks(places)[which], _ranks(np.hstack((seats, indices[:, ::-1])))[rows], number)
    )
    rows, which = rows[canonical], which[canonical]
    fixture, block = (np.unique(one[rows], return_inverse=True)[1] for one in indices.T)
    return Games(
        bots=bots,
        order=_finished(seats, rows, places.argsort(1), which),
        block=block,
        fixture=fixture,
        game=number[canonical],
        faulted=np.array(list(_faulted(played, index)), np.intp),
    )


def _column(values: Iterable[int], size: int) -> Ints:
    return np.fromiter(values, np.intp, size)


def _distinct(values: Iterable[tuple[int, ...]], size: int) -> tuple[Ints, Ints]:
    """Return the different rows, and which of them each row is: few of a million games differ."""
    index: dict[tuple[int, ...], int] = {}
    which = _column((index.setdefault(row, len(index)) for row in values), size)
    return np.array(list(index), np.intp), which


def _ranks(rows: Ints) -> Ints:
    """Return the place of each row among the different rows, the last column deciding first."""
    return np.unique(rows[:, ::-1], axis=0, return_inverse=True)[1].reshape(-1)


def _finished(seats: Ints, rows: Ints, finishing: Ints, which: Ints) -> Ints:
    """Return the bots of each game, the winner first; place by place, which takes little memory."""
    order = np.empty((len(rows), seats.shape[1]), np.intp)
    for place, seat in enumerate(finishing.T):
        order[:, place] = seats[rows, seat[which]]
    return order


def _faulted(played: Iterable[PlayedGames[GameResult]], index: Mapping[str, int]) -> Iterator[int]:
    for one in played:
        for game in one.games:
            if any(game.faults):
                yield from (index[one.fixture.seats[seat]] for seat in game.faulted)
