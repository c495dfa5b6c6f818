"""In which order the unknowns of a sparse symmetric matrix are eliminated, and where values stand.

Unknowns with few neighbours go first, many at a time: those of one step are not neighbours of each
other. The neighbours of one that went become neighbours (George and Liu, "Computer Solution of
Large Sparse Positive Definite Systems", 1981). What is left at the end, the core, is dense.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Ints, as_ints, chunks

_MOST_NEIGHBOURS = 64
"""An unknown with more of them stays in the core."""
_FEW_NEIGHBOURS = 8
_SMALL_CORE = 64
"""So few unknowns are not worth a step."""

Cells = NDArray[np.int32]
"""Positions in the array of a matrix's values."""


class Step(NamedTuple):
    """Unknowns that are eliminated at once."""

    unknowns: Ints
    near: Ints
    """[unknown, neighbour]: those that are left, filled up with the number of all unknowns."""
    cells: Cells
    """[unknown, neighbour]: where the matrix's entry of the two stands."""
    pairs: Cells
    """[unknown, neighbour, neighbour]: likewise, of two neighbours."""


class Plan:
    """The order of elimination for the matrices that have entries at the same places.

    The values of such a matrix are one array: an entry for each pair that are ever neighbours, the
    diagonal, a zero for what is no pair, and the core, row by row, of which the upper half is used.
    """

    def __init__(self, size: int, first: Ints, second: Ints) -> None:
        """Plan for so many unknowns, of which these pairs have entries."""
        self.size = size
        steps = list(_steps(size, first, second))
        gone = np.concatenate([as_ints([]), *(unknowns for unknowns, _ in steps)])
        self.core = np.setdiff1d(np.arange(size), gone)
        self._at = np.full(size + 1, -1)
        self._at[self.core] = np.arange(len(self.core))
        self._keys = self._pair_keys(steps)
        self.diagonal_at = len(self._keys)
        self.core_at = self.diagonal_at + size + 1
        self.length = self.core_at + len(self.core) ** 2
        self.steps = [
            Step(unknowns, near, self.cells(unknowns[:, None], near), self._neighbours(near))
            for unknowns, near in steps
        ]

    def _pair_keys(self, steps: list[tuple[Ints, Ints]]) -> Ints:
        keys = [
            (np.minimum(near, unknowns[:, None]) * self.size + np.maximum(near, unknowns[:, None]))[
                near < self.size
            ]
            for unknowns, near in steps
        ]
        return as_ints(np.sort(np.concatenate([as_ints([]), *keys])))

    def _neighbours(self, near: Ints) -> Cells:
        count, most = near.shape
        pairs = np.empty((count, most, most), np.int32)
        for chunk in chunks(count):
            pairs[chunk] = self.cells(near[chunk, :, None], near[chunk, None, :])
        return pairs

    def cells(self, first: Ints, second: Ints) -> Cells:
        """Return where the entries of these pairs stand; the arguments are broadcast."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        at, other = self._at[low], self._at[high]
        cells = np.searchsorted(self._keys, low * self.size + high)
        cells = np.where(low == high, self.diagonal_at + low, cells)
        cells = np.where(
            (at >= 0) & (other >= 0), self.core_at + at * len(self.core) + other, cells
        )
        return np.where(high == self.size, self.core_at - 1, cells).astype(np.int32)


def _steps(size: int, first: Ints, second: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the unknowns of each step and their neighbours."""
    first, second = as_ints(first), as_ints(second)
    edges = np.unique(np.concatenate([first * size + second, second * size + first]))
    edges = edges[edges // size != edges % size]
    turn, left = np.random.default_rng(0).permutation(size), np.ones(size, np.bool_)
    while int(left.sum()) > _SMALL_CORE:
        one, other = np.divmod(edges, size)
        degree = np.bincount(one, minlength=size)
        few = min(_MOST_NEIGHBOURS, max(_FEW_NEIGHBOURS, int(degree[left].min() * 1.25)))
        low = left & (degree <= few)
        if not low.any():
            return
        chosen = low.copy()
        chosen[one[low[one] & low[other] & (turn[other] < turn[one])]] = False
        near = _padded(one, other, chosen, degree)
        yield as_ints(chosen.nonzero()[0]), near
        left &= ~chosen
        edges = np.unique(np.concatenate([edges[left[one] & left[other]], _linked(near, size)]))


def _padded(one: Ints, other: Ints, chosen: NDArray[np.bool_], degree: Ints) -> Ints:
    """Return the neighbours of those chosen, filled up with the number of all unknowns."""
    of_chosen = chosen[one]
    counts = degree[chosen]
    near = np.full((len(counts), int(counts.max())), len(chosen))
    near[np.arange(near.shape[1]) < counts[:, None]] = other[of_chosen]
    return as_ints(near)


def _linked(near: Ints, size: int) -> Ints:
    """Return the edges between the neighbours of each unknown."""
    edges = [as_ints([])]
    for chunk in chunks(len(near)):
        one, other = near[chunk, :, None], near[chunk, None, :]
        real = (one < size) & (other < size) & (one != other)
        edges.append(np.unique((one * size + other)[real]))
    return np.concatenate(edges)
