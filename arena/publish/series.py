"""Series that are read piece by piece, to save memory."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

_T = TypeVar("_T")
Tell = Callable[[str], object]
"""Is told, in words, how far a report is."""
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
        """Yield the items from the first on."""
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[_T] = []
        for item in self._make():
            if len(kept) <= _FEW:
                kept.append(item)
            yield item
        if len(kept) <= _FEW:
            self._kept = kept


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield lists of so many; the last one may be shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
