"""Array types of the ratings, and the way back to plain numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def as_floats(values: ArrayLike) -> Floats:
    """Return an array of floats: numpy's own functions do not promise the type."""
    return np.asarray(values, np.float64)


def records(columns: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table given by its columns, as plain numbers by column name."""
    for row in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(columns, row, strict=True))
