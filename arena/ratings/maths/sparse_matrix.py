"""Symmetric matrices of which few entries are not zero."""

from itertools import pairwise

import numpy as np

from arena.ratings.maths.arrays import CHUNK, Floats, Ints, as_floats

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
