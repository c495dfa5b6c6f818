"""The arrays that ratings are worked out with, and the lines that tables are made of again."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def as_floats(values: ArrayLike) -> Floats:
    """Return an array of floats: numpy's own functions do not promise the type."""
    return np.asarray(values, np.float64)


def lines(columns: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a table that is given by its columns, as plain numbers."""
    for line in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(columns, line, strict=True))
