"""Series that are read piece by piece, to save memory."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

_T = TypeVar("_T")
Tell = Callable[[str], object]
"""Hears what a report is about, in words."""
_FEW = 4096
"""Items that take little memory."""


def telling(items: Iterable[_T], total: int, what: str, tell: Tell) -> Iterator[_T]:
    """Yield items, and tell how many came so far."""
    for number, item in enumerate(items):
        tell(f"{what}: {number:,} of {total:,}")
        yield item


class Again(Generic[_T]):
    """An iterable that starts a new iterator each time; once read, a few items are kept."""

    def __init__(self, make: Callable[[], Iterator[_T]]) -> None:
        self._make = make
        self._kept: list[_T] | None = None

    def __iter__(self) -> Iterator[_T]:
        """Begin with the first."""
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[_T]:
        kept: list[_T] = []
        for item in self._make():
            if len(kept) <= _FEW:
                kept.append(item)
            yield item
        if len(kept) <= _FEW:
            self._kept = kept


def alternating(ones: Iterable[_T], others: Iterable[_T], size: int) -> Iterator[_T]:
    """Yield one of `ones`, then so many `others`, and so on; at last what is left of either."""
    left = iter(others)
    for one in ones:
        yield one
        yield from islice(left, size)
    yield from left


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield lists of so many; the last one may be shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
