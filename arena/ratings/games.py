"""All games of a table as arrays, in the one order in which they are rated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.ratings.arrays import Ints
from arena.ratings.table import PlayedGames
from arena.records import GameResult


@dataclass(frozen=True)
class Games:
    """All games of one variant and table size."""

    bots: tuple[str, ...]
    """Sorted by name; the arrays have their numbers."""
    order: Ints
    """A row a game: the bots in finishing order, the winner first."""
    block: Ints
    """The block of each game, numbered from 0 without gaps, in their order."""
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
        names = np.array(self.bots, object)[self.order.T].tolist()
        return list(zip(*names, strict=True))


def as_arrays(results: Iterable[PlayedGames[GameResult]]) -> Games:
    """Turn results, of at least one game, into arrays: the same ones in whatever order they come.

    The first games of all fixtures come first, then the second ones: TrueSkill strays less where
    opponents alternate than where a fixture is rated in one go.
    """
    found = list(results)
    fixtures = [one.fixture for one in found]
    bots = tuple(sorted({bot for fixture in fixtures for bot in fixture.seats}))
    number = {bot: at for at, bot in enumerate(bots)}
    counts = [len(one.games) for one in found]
    seated = np.repeat([[number[bot] for bot in one.seats] for one in fixtures], counts, 0)
    places = _rows([game.places for one in found for game in one.games])
    block = np.repeat([one.block for one in fixtures], counts)
    fixture = np.repeat([one.index for one in fixtures], counts)
    game = np.array([game.game for one in found for game in one.games], np.intp)
    canonical = np.lexsort((*places.T, *seated.T, block, fixture, game))
    return Games(
        bots=bots,
        order=np.take_along_axis(seated, places.argsort(1), 1)[canonical],
        block=np.unique(block[canonical], return_inverse=True)[1],
        fixture=np.unique(fixture[canonical], return_inverse=True)[1],
        game=game[canonical],
        faulted=np.fromiter(_faulted(found, number), np.intp),
    )


def _rows(rows: Sequence[tuple[int, ...]]) -> Ints:
    """Return rows as an array: few of them differ, and an array is slow to fill from Python."""
    at = {row: place for place, row in enumerate(set(rows))}
    return np.array(list(at), np.intp)[[at[row] for row in rows]]


def _faulted(
    results: Iterable[PlayedGames[GameResult]], number: Mapping[str, int]
) -> Iterator[int]:
    for one in results:
        for game in one.games:
            if any(game.faults):
                yield from [number[one.fixture.seats[seat]] for seat in game.faulted]
