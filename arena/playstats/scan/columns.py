"""The first entries of each of many lists; tables of arrays."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.ratings.maths.arrays import Ints

Flags = NDArray[np.bool_]
Column = Any
"""An array; in one of `rows` a plain number."""
_Table = TypeVar("_Table", bound=tuple[Any, ...])
"""A named tuple of arrays: a column per property."""


def firsts(lists: Ints, order: Sequence[Column], most: int) -> Ints:
    """Return the indices of the first `most` entries of each list, list by list.

    `lists` has the list of each entry; they are ordered by the first of some columns, then by the
    second, and so on.
    """
    by = np.lexsort((*reversed(order), lists))
    begins = np.flatnonzero(np.diff(lists[by], prepend=-1))
    place = np.arange(len(by)) - np.repeat(begins, np.diff(begins, append=len(by)))
    return by[place < most]


def only(table: _Table, chosen: Ints | Flags) -> _Table:
    """Return some rows of a table."""
    return type(table)(*[column[chosen] for column in table])


def joined(tables: Iterable[_Table]) -> _Table:
    """Return the rows of at least one table after each other."""
    first, *others = tables
    return type(first)(*map(np.concatenate, zip(first, *others, strict=True)))


def rows(table: _Table) -> Iterator[_Table]:
    """Yield the rows, with plain numbers in place of the arrays."""
    for row in zip(*[column.tolist() for column in table], strict=True):
        yield type(table)(*row)
