"""All games of a division as arrays, in the order of the schedule."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.game.records import FixtureResult
from arena.ratings.maths.arrays import Bots, Ints, as_ints, chunks

_COLUMNS = np.dtype([("number", np.int32), ("places", np.int32), ("faults", np.int32)])
"""A game by its number, and by the numbers of its places and faults among the different ones."""


@dataclass(frozen=True)
class Games:
    """All games of one variant and table size."""

    bots: tuple[str, ...]
    """Sorted by name; the arrays hold indices into it."""
    order: Bots
    """One row per game: the bots in finishing order, the winner first."""
    block: Ints
    """The block of each game, numbered from 0 without gaps."""
    fixture: Ints
    """The fixture of each game, likewise."""
    game: Ints
    """The number of each game within its fixture."""
    seats: Bots
    """One row per fixture: the bots by seat."""
    faulted: NDArray[np.bool_]
    """One row per game: whether each bot faulted, by place."""
    luck: NDArray[np.int32] | None = None
    """How lucky the winner of each game was, as in a FixtureResult; None if it is not known."""

    @property
    def size(self) -> int:
        """How many bots there are."""
        return len(self.bots)

    def only(self, chosen: Ints | slice) -> "Games":
        """Return some of the games, in the same order and of the same bots.

        A slice of them takes little memory: most of its arrays are parts of these.
        """
        fixtures, fixture = np.unique(self.fixture[chosen], return_inverse=True)
        return Games(
            bots=self.bots,
            order=self.order[chosen],
            block=np.unique(self.block[chosen], return_inverse=True)[1],
            fixture=fixture,
            game=self.game[chosen],
            seats=self.seats[fixtures],
            faulted=self.faulted[chosen],
            luck=None if self.luck is None else self.luck[chosen],
        )

    def first(self, count: int) -> "Games":
        """Return the first so many games, of the same bots."""
        return self.only(slice(count))

    def orders(self, first: int = 0, end: int | None = None) -> Iterator[tuple[str, ...]]:
        """Yield the names of the bots of each game, or of some, in finishing order."""
        names, order = np.array(self.bots, object), self.order[first:end]
        for chunk in chunks(len(order)):
            yield from zip(*names[order[chunk].T].tolist(), strict=True)

    def tables(self) -> list[tuple[str, ...]]:
        """Return the names of the bots of each table, whatever their order; each set once."""
        # Asked for the index, too, NumPy does not load its masked arrays: 15 ms.
        tables, _ = np.unique(np.sort(self.seats, 1), axis=0, return_index=True)
        return list(zip(*np.array(self.bots, object)[tables.T].tolist(), strict=True))

    def played(self) -> Ints:
        """Return how many of the games each bot played."""
        places = self.order.T
        return as_ints(sum(np.bincount(place, minlength=self.size) for place in places))

    def by_block(self) -> Ints:
        """Return the number of games of each block and bot."""
        blocks = int(self.block.max()) + 1
        count = np.zeros(blocks * self.size, np.intp)
        for place in self.order.T:
            count += np.bincount(self.block * self.size + place, minlength=len(count))
        return count.reshape(blocks, self.size)

    def place_pairs(self) -> Iterable[tuple[int, int]]:
        """Return the pairs of places at a table, the better one first (0-based)."""
        return combinations(range(self.order.shape[1]), 2)


def as_arrays(results: Iterable[FixtureResult]) -> Games:
    """Turn the results of at least one game into arrays, whatever order they come in.

    Games are in the order of the schedule: those of a fixture that was added come last.
    """
    played = list(results)
    bots = tuple(sorted({bot for result in played for bot in result.fixture.seats}))
    index = {bot: at for at, bot in enumerate(bots)}
    seats = np.array([[index[bot] for bot in result.fixture.seats] for result in played], np.int32)
    indices = np.array([[result.fixture.index, result.fixture.block] for result in played], np.intp)
    rows = np.repeat(np.arange(len(played)), [len(result.games) for result in played])
    columns, places, faults = _columns(played)
    table = _ranks(np.hstack((seats, indices[:, ::-1])))
    canonical = np.lexsort((_ranks(places)[columns["places"]], columns["number"], table[rows]))
    rows, columns = rows[canonical], columns[canonical]
    scheduled = indices[:, 0].argsort(kind="stable").argsort()
    _, first, fixture = np.unique(scheduled[rows], return_index=True, return_inverse=True)
    finishing = places.argsort(1)
    luck = _luck(played)
    if luck is not None:
        luck = np.where(finishing[columns["places"], 0] == 0, luck[canonical], -luck[canonical])
    return Games(
        bots=bots,
        order=_by_place(seats, rows, finishing, columns["places"]),
        block=np.unique(indices[rows, 1], return_inverse=True)[1],
        fixture=fixture,
        game=as_ints(columns["number"]),
        seats=seats[rows[first]],
        faulted=_by_place(faults, columns["faults"], finishing, columns["places"]),
        luck=luck,
    )


def _luck(played: Sequence[FixtureResult]) -> NDArray[np.int32] | None:
    """Return the luck of seat 0 in each game; None if that of any game is not known."""
    if any(len(result.luck) != len(result.games) for result in played):
        return None
    return np.concatenate([np.asarray(result.luck, np.int32) for result in played])


def _columns(
    played: Iterable[FixtureResult],
) -> tuple[NDArray[Any], Ints, NDArray[np.bool_]]:
    """Return the columns of all games, the different places and the different faults.

    Only few of a million games differ.
    """
    places, faults = _numbers(), _numbers()
    games = (game for result in played for game in result.games)
    columns = ((game.game, places[game.places], faults[game.faults]) for game in games)
    rows = np.fromiter(columns, _COLUMNS)
    return rows, np.array(list(places), np.intp), np.array(list(faults), object).astype(np.bool_)


def _numbers() -> defaultdict[tuple[object, ...], int]:
    """Return a dictionary that numbers its keys when they are looked up for the first time."""
    numbers: defaultdict[tuple[object, ...], int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def _ranks(rows: Ints) -> Ints:
    """Return the place of each row among the different rows, the last column deciding first."""
    return np.unique(rows[:, ::-1], axis=0, return_inverse=True)[1].reshape(-1)


def _by_place(by_seat: NDArray[Any], rows: Ints, finishing: Ints, which: Ints) -> NDArray[Any]:
    """Return what each game's row says of its seats, the winner first.

    Place by place, which takes little memory.
    """
    ordered = np.empty((len(rows), by_seat.shape[1]), by_seat.dtype)
    for place, seat in enumerate(finishing.T):
        ordered[:, place] = by_seat[rows, seat[which]]
    return ordered
