"""Array types of the ratings, and the way back to plain numbers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bots = NDArray[np.int32]
"""Indices of bots, of which millions of games have many. Cells of pairs fit into the type; cells of
blocks or fixtures and bots may not."""
CHUNK = 16_384
"""Games, results or cells of a matrix of which something is computed at a time."""


def as_floats(values: ArrayLike) -> Floats:
    """Return an array of floats: numpy's own functions do not promise the type."""
    return np.asarray(values, np.float64)


def as_ints(values: ArrayLike) -> Ints:
    """Return an array of integers, likewise."""
    return np.asarray(values, np.intp)


def chunks(size: int, most: int = 0) -> Iterator[slice]:
    """Yield slices of at most so many rows, some thousand by default, that together cover all."""
    most = most or CHUNK
    for first in range(0, size, most):
        yield slice(first, min(first + most, size))


def square(size: int, rows: Callable[[slice], Floats]) -> Floats:
    """Return a square matrix that is made some rows at a time.

    What is computed on the way takes little memory then: a matrix of 1,000 bots has 8 MB.
    """
    matrix = np.empty((size, size))
    for chunk in chunks(size, max(1, CHUNK // max(1, size))):
        matrix[chunk] = rows(chunk)
    return matrix


def transitive(relation: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a relation with what follows from it: if a > b and b > c, also a > c."""
    known = relation
    while True:
        ones = known.astype(np.float32)
        further = known | (ones @ ones > 0)
        if (further == known).all():
            return further
        known = further


def records(columns: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table given by its columns, as plain numbers by column name."""
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(columns, row, strict=True))
