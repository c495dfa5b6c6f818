"""Values of ordered pairs of bots: read like a dictionary, kept as a matrix, which is smaller."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.ratings.leaderboard_rows import Duel, Pair, Pairs
from arena.ratings.maths.arrays import Floats, Ints

T = TypeVar("T")


_duel = lru_cache(maxsize=1 << 14)(Duel)
"""Few differ, and pages ask for those of every pair several times."""


class Duels(Pairs[Duel]):
    """Head to head, for each ordered pair of bots that met."""

    def __init__(self, bots: Sequence[str], ahead: NDArray[np.int32]) -> None:
        self._bots, self._at = bots, {bot: at for at, bot in enumerate(bots)}
        self._ahead = ahead

    def __getitem__(self, pair: Pair) -> Duel:
        """Return how often the first finished ahead; raises KeyError if they never met."""
        i, j = self._at[pair[0]], self._at[pair[1]]
        won, lost = int(self._ahead[i, j]), int(self._ahead[j, i])
        if won + lost == 0:
            raise KeyError(pair)
        return Duel(won, won + lost)

    def of(self, bot: str) -> dict[str, Duel]:
        """Return the duels of a bot, by rival that it met."""
        at = self._at[bot]
        won, games = self._ahead[at], self._ahead[at] + self._ahead[:, at]
        results = zip(self._bots, won.tolist(), games.tolist(), strict=True)
        return {rival: _duel(ahead, of) for rival, ahead, of in results if of}

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs, row by row."""
        met = self._ahead + self._ahead.T > 0
        for bot, row in zip(self._bots, met, strict=True):
            yield from ((bot, self._bots[at]) for at in row.nonzero()[0])

    def __len__(self) -> int:
        """Return the number of pairs."""
        return int((self._ahead + self._ahead.T > 0).sum())


class PairMatrix(Pairs[float]):
    """A number for each ordered pair of bots."""

    def __init__(self, bots: Sequence[str], values: Floats) -> None:
        self._bots, self._at = bots, {bot: at for at, bot in enumerate(bots)}
        self._values = values

    def __getitem__(self, pair: Pair) -> float:
        """Return a pair's value; raises KeyError for a bot and itself."""
        i, j = self._at[pair[0]], self._at[pair[1]]
        if i == j:
            raise KeyError(pair)
        return float(self._values[i, j])

    def of(self, bot: str) -> dict[str, float]:
        """Return the values of the pairs that begin with a bot, by the other one."""
        found = dict(zip(self._bots, self._values[self._at[bot]].tolist(), strict=True))
        del found[bot]
        return found

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs, row by row."""
        for bot in self._bots:
            yield from ((bot, rival) for rival in self._bots if rival != bot)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._bots) * (len(self._bots) - 1)


class SparsePairs(Pairs[T]):
    """Values of some ordered pairs of a large field."""

    def __init__(
        self, bots: Sequence[str], one: Ints, other: Ints, value: Callable[[int], T]
    ) -> None:
        """Take pairs in their order; `value` returns that of a pair by its place among them."""
        self._bots, self._at = bots, {bot: at for at, bot in enumerate(bots)}
        self._keys, self._value = one * len(bots) + other, value

    def __getitem__(self, pair: Pair) -> T:
        """Return the value of a pair; raises KeyError if it is not one of these."""
        key = self._at[pair[0]] * len(self._bots) + self._at[pair[1]]
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key:
            raise KeyError(pair)
        return self._value(at)

    def of(self, bot: str) -> dict[str, T]:
        """Return the values of the pairs that begin with a bot, by the other one."""
        size = len(self._bots)
        first, end = np.searchsorted(self._keys, np.array([0, size]) + self._at[bot] * size)
        rivals = (self._keys[first:end] % size).tolist()
        return {self._bots[rival]: self._value(at) for at, rival in enumerate(rivals, int(first))}

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs."""
        for key in self._keys.tolist():
            one, other = divmod(key, len(self._bots))
            yield self._bots[one], self._bots[other]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._keys)
