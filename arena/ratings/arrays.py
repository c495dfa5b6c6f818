"""Array types of the ratings, and the way back to plain numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bots = NDArray[np.int32]
"""Indices of bots, of which millions of games have many. Cells of pairs fit into the type; cells of
blocks or fixtures and bots may not."""
CHUNK = 16_384
"""Games, or results, of which something is computed at a time."""


def as_floats(values: ArrayLike) -> Floats:
    """Return an array of floats: numpy's own functions do not promise the type."""
    return np.asarray(values, np.float64)


def as_ints(values: ArrayLike) -> Ints:
    """Return an array of integers, likewise."""
    return np.asarray(values, np.intp)


def chunks(size: int) -> Iterator[slice]:
    """Yield slices that together cover so many rows."""
    for first in range(0, size, CHUNK):
        yield slice(first, min(first + CHUNK, size))


def records(columns: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table given by its columns, as plain numbers by column name."""
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(columns, row, strict=True))
