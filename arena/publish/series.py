"""Series that are gone through piece by piece: nothing of them is kept."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Again(Generic[_T]):
    """A series that is made anew each time that it is gone through."""

    def __init__(self, make: Callable[[], Iterator[_T]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[_T]:
        """Begin with the first."""
        return self._make()


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield lists of so many; the last one may be shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch
