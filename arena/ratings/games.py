"""All games of a division as arrays, in the canonical order in which they are rated."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.arrays import Ints
from arena.ratings.table import PlayedGames
from arena.records import GameResult


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
        names = np.array(self.bots, object)[self.order.T].tolist()
        return list(zip(*names, strict=True))

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
    fixtures = [one.fixture for one in played]
    bots = tuple(sorted({bot for fixture in fixtures for bot in fixture.seats}))
    index = {bot: at for at, bot in enumerate(bots)}
    counts = [len(one.games) for one in played]
    seated = np.repeat([[index[bot] for bot in one.seats] for one in fixtures], counts, 0)
    places = _as_array([game.places for one in played for game in one.games])
    block = np.repeat([one.block for one in fixtures], counts)
    fixture = np.repeat([one.index for one in fixtures], counts)
    number = np.array([game.game for one in played for game in one.games], np.intp)
    faulted = _as_array([game.faults for one in played for game in one.games], bool)
    by_place = places.argsort(1)
    first = np.unique(fixture, return_index=True)[1]
    canonical = np.lexsort((*places.T, *seated.T, block, fixture, number))
    return Games(
        bots=bots,
        order=np.take_along_axis(seated, by_place, 1)[canonical],
        block=np.unique(block[canonical], return_inverse=True)[1],
        fixture=np.unique(fixture[canonical], return_inverse=True)[1],
        game=number[canonical],
        seats=seated[first],
        faulted=np.take_along_axis(faulted, by_place, 1)[canonical],
    )


def _as_array(rows: Sequence[tuple[object, ...]], kind: type = int) -> NDArray[Any]:
    """Return rows as an array: few of them differ, and an array is slow to fill from Python."""
    index = {row: at for at, row in enumerate(dict.fromkeys(rows))}
    return np.array(list(index), object).astype(kind)[[index[row] for row in rows]]
