"""Values of ordered pairs of bots: read like a dictionary, kept as a matrix, which is smaller."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.ratings.leaderboard_rows import Duel
from arena.ratings.maths.arrays import Floats, Ints

Pair = tuple[str, str]
T = TypeVar("T")


class Duels(Mapping[Pair, Duel]):
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

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs, row by row."""
        met = self._ahead + self._ahead.T > 0
        for bot, row in zip(self._bots, met, strict=True):
            yield from ((bot, self._bots[at]) for at in row.nonzero()[0])

    def __len__(self) -> int:
        """Return the number of pairs."""
        return int((self._ahead + self._ahead.T > 0).sum())


class Better(Mapping[Pair, float]):
    """For each ordered pair of bots, the probability that the first is the better one."""

    def __init__(self, bots: Sequence[str], probability: Floats) -> None:
        self._bots, self._at = bots, {bot: at for at, bot in enumerate(bots)}
        self._probability = probability

    def __getitem__(self, pair: Pair) -> float:
        """Return the probability; raises KeyError for a bot and itself."""
        i, j = self._at[pair[0]], self._at[pair[1]]
        if i == j:
            raise KeyError(pair)
        return float(self._probability[i, j])

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs, row by row."""
        for bot in self._bots:
            yield from ((bot, rival) for rival in self._bots if rival != bot)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._bots) * (len(self._bots) - 1)


class SparsePairs(Mapping[Pair, T]):
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

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs."""
        for key in self._keys.tolist():
            one, other = divmod(key, len(self._bots))
            yield self._bots[one], self._bots[other]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._keys)
