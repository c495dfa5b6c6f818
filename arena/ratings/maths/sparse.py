"""Sparse symmetric matrices: their products, and entries of their inverses.

Unknowns with few neighbours are eliminated first, many at a time: those of one step are not
neighbours of each other. The neighbours of one that went become neighbours (George and Liu,
"Computer Solution of Large Sparse Positive Definite Systems", 1981). What is left at the end, the
core, is dense.

The inverse's entries at the places where the matrix and its factors have any follow from each
other, the last eliminated first (Takahashi, Fagan and Chin, "Formation of a sparse bus impedance
matrix", 1973). The others come column by column.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import CHUNK, Floats, Ints, as_floats, as_ints, chunks

_CELLS = CHUNK * 8
"""Products that are in memory at a time: few enough for a processor's cache."""


class SparseMatrix:
    """A symmetric matrix that is multiplied like an array."""

    __array_ufunc__ = None
    """Products with it are its own, not NumPy's."""

    def __init__(self, size: int, one: Ints, other: Ints, values: Floats) -> None:
        """Add up these entries, each of which stands at both places of its pair."""
        apart = one != other
        rows, columns = np.append(one, other[apart]), np.append(other, one[apart])
        keys, where = np.unique(rows * size + columns, return_inverse=True)
        self.size = size
        self.rows, self.columns = np.divmod(keys, size)
        self.values = np.bincount(where, np.append(values, values[apart]), len(keys))
        self._targets, first = np.unique(self.rows, return_index=True)
        self._ends = np.append(first, len(keys))

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        on = self.rows == self.columns
        return as_floats(np.bincount(self.rows[on], self.values[on], self.size))

    def __matmul__(self, right: Floats) -> Floats:
        """Return the product with the columns of a matrix."""
        product = np.zeros(right.shape)
        at_once = max(1, _CELLS // max(1, right.shape[1]))
        first = np.searchsorted(self._ends[:-1], np.arange(0, len(self.values), at_once))
        for rows in pairwise([*np.unique(first).tolist(), len(self._targets)]):
            begin, end = self._ends[[*rows]]
            terms = right[self.columns[begin:end]]
            terms *= self.values[begin:end, None]
            chosen = slice(*rows)
            sums = np.add.reduceat(terms, self._ends[chosen] - begin, axis=0)
            product[self._targets[chosen]] = sums
        return product

    def __rmatmul__(self, left: Floats) -> Floats:
        """Return the products of rows with it; what counts the rows may have several dimensions."""
        return (self @ left.reshape(-1, self.size).T).T.reshape(left.shape)


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
        pairs = [
            (np.minimum(near, unknowns[:, None]) * size + np.maximum(near, unknowns[:, None]))[
                near < size
            ]
            for unknowns, near in steps
        ]
        self._keys = as_ints(np.sort(np.concatenate([as_ints([]), *pairs])))
        self.diagonal_at = len(self._keys)
        self.core_at = self.diagonal_at + size + 1
        self.length = self.core_at + len(self.core) ** 2
        self.steps = [
            Step(unknowns, near, self.cells(unknowns[:, None], near), self._neighbours(near))
            for unknowns, near in steps
        ]

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


_DIRECTLY = 128
"""Unknowns of a dense matrix that is inverted at once."""
_ROWS = 512
"""Rows of a product that are in memory at a time."""
_FEW = 0.25
"""If a smaller share of the core's columns is used, they are copied before the product."""

_Matrix = NDArray[np.floating[Any]]


class SparseInverse:
    """The inverse of a positive definite matrix: read, multiplied and averaged like an array."""

    __array_ufunc__ = None
    """Products with it are its own, not NumPy's."""

    def __init__(self, plan: Plan, values: Floats, *, rough: bool = False) -> None:
        """Invert the matrix of these values, which are overwritten.

        If it may be rough, the core has single precision, which takes half the time.
        """
        self._plan, self._values = plan, values
        self._pivots = np.ones(plan.size)
        self._weights = [self._eliminate(step) for step in plan.steps]
        core = len(plan.core)
        self._core = values[plan.core_at :].reshape(core, core)
        for row in range(core):
            self._core[row + 1 :, row] = self._core[row, row + 1 :]
        if rough:
            single = self._core.astype(np.float32)
            _invert(single)
            self._core[:] = single
        else:
            _invert(self._core)
        for step, weight in zip(reversed(plan.steps), reversed(self._weights), strict=True):
            self._select(step, weight)

    def _eliminate(self, step: Step) -> Floats:
        """Take unknowns out of the matrix; return what each of their neighbours has of them."""
        values = self._values
        pivot = values[self._plan.diagonal_at + step.unknowns]
        entries = values[step.cells]
        weight = entries / pivot[:, None]
        for at in range(step.near.shape[1]):
            change = weight[:, at, None] * entries[:, at:]
            np.subtract.at(values, step.pairs[:, at, at:], change)
        self._pivots[step.unknowns] = pivot
        return as_floats(weight)

    def _select(self, step: Step, weight: Floats) -> None:
        """Find the inverse's entries of unknowns from those of their neighbours."""
        among = np.empty_like(weight)
        for at in range(weight.shape[1]):
            among[:, at] = -(weight * self._values[step.pairs[:, at]]).sum(1)
        self._values[step.cells] = among
        own = 1.0 / self._pivots[step.unknowns] - (weight * among).sum(1)
        self._values[self._plan.diagonal_at + step.unknowns] = own

    def __getitem__(self, pairs: tuple[Ints, Ints]) -> Floats:
        """Return the entries of pairs at which the matrix has one."""
        return as_floats(self._values[self._plan.cells(*pairs)])

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        everything = np.arange(self._plan.size)
        return self[everything, everything]

    def mean(self, axis: int) -> Floats:
        """Return the means of the rows, which are those of the columns."""
        del axis
        return self @ np.full(self._plan.size, 1.0 / self._plan.size)

    def columns(self, chosen: Ints) -> Floats:
        """Return some columns."""
        unit = np.zeros((self._plan.size, len(chosen)))
        unit[chosen, np.arange(len(chosen))] = 1.0
        return self @ unit

    def __matmul__(self, right: Floats) -> Floats:
        """Return the product with a vector, or with the columns of a matrix."""
        x = np.zeros((self._plan.size + 1, *right.shape[1:]))
        x[:-1] = right
        x = x.reshape(len(x), -1)
        for step, weight in zip(self._plan.steps, self._weights, strict=True):
            _scatter(x, step, weight)
        x[self._plan.core] = self._times_core(x[self._plan.core])
        for step, weight in zip(reversed(self._plan.steps), reversed(self._weights), strict=True):
            known = x[step.unknowns] / self._pivots[step.unknowns, None]
            for at, near in enumerate(step.near.T):
                known -= weight[:, at, None] * x[near]
            x[step.unknowns] = known
        return x[:-1].reshape(right.shape)

    def _times_core(self, right: Floats) -> Floats:
        used = right.any(1)
        if np.count_nonzero(used) > _FEW * len(right):
            return as_floats(self._core @ right)
        return as_floats(self._core[:, used] @ right[used])

    def __rmatmul__(self, left: Floats) -> Floats:
        """Return the products of rows with it; what counts the rows may have several dimensions."""
        rows = left.reshape(-1, left.shape[-1])
        return (self @ rows.T).T.reshape(left.shape)


def _scatter(x: Floats, step: Step, weight: Floats) -> None:
    """Take off each neighbour what it has of the unknowns."""
    near = step.near.ravel()
    order = np.argsort(near, kind="stable")
    targets, first = np.unique(near[order], return_index=True)
    taken = x[step.unknowns[order // step.near.shape[1]]]
    taken *= weight.ravel()[order, None]
    x[targets] -= np.add.reduceat(taken, as_ints(first), axis=0)
    x[-1] = 0.0


def _invert(matrix: _Matrix) -> None:
    """Invert a positive definite matrix in place, by halves: that takes nothing but products."""
    size = len(matrix)
    if size <= _DIRECTLY:
        matrix[:] = np.linalg.inv(matrix) if size else matrix
        return
    half = size // 2
    first = matrix[:half, :half]
    across = matrix[half:, :half]
    last = matrix[half:, half:]
    _invert(first)
    weight = across @ first
    _take_off(last, weight, across.T)
    _invert(last)
    np.matmul(last, weight, out=across)
    np.negative(across, out=across)
    _take_off(first, weight.T, across)
    matrix[:half, half:] = across.T


def _take_off(matrix: _Matrix, left: _Matrix, right: _Matrix) -> None:
    """Subtract a product, which is symmetric, from a symmetric matrix in place."""
    for rows in chunks(len(matrix), _ROWS):
        matrix[rows, : rows.stop] -= left[rows] @ right[:, : rows.stop]
        matrix[: rows.start, rows] = matrix[rows, : rows.start].T
