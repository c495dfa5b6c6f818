"""Symmetric matrices of which few entries are not zero."""

import numpy as np

from arena.ratings.maths.arrays import CHUNK, Floats, Ints, as_floats, as_ints, chunks

_CELLS = CHUNK * 256
"""Products that are in memory at a time."""


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
        self._first = as_ints(first)

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        on = self.rows == self.columns
        return as_floats(np.bincount(self.rows[on], self.values[on], self.size))

    def __matmul__(self, right: Floats) -> Floats:
        """Return the product with the columns of a matrix."""
        product = np.zeros(right.shape)
        if len(self.values):
            for some in chunks(right.shape[1], max(1, _CELLS // len(self.values))):
                terms = right[self.columns, some] * self.values[:, None]
                product[self._targets, some] = np.add.reduceat(terms, self._first, axis=0)
        return product

    def __rmatmul__(self, left: Floats) -> Floats:
        """Return the products of rows with it; what counts the rows may have several dimensions."""
        return (self @ left.reshape(-1, self.size).T).T.reshape(left.shape)
