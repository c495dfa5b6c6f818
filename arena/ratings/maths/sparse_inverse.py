"""The inverse of a sparse symmetric matrix, as far as it is asked for.

The entries at the places where the matrix and its factors have any follow from each other, the last
eliminated first (Takahashi, Fagan and Chin, "Formation of a sparse bus impedance matrix", 1973).
The others come column by column.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Floats, Ints, as_floats, as_ints, chunks
from arena.ratings.maths.elimination import Plan, Step

_DIRECTLY = 128
"""Unknowns of a dense matrix that is inverted at once."""
_ROWS = 512
"""Rows of a product that are in memory at a time."""
_FEW = 0.25
"""Of the core: so few of its columns are copied before they are multiplied."""

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
    first, across, last = matrix[:half, :half], matrix[half:, :half], matrix[half:, half:]
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
