"""The source of their own that two bots share, and its places in both."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from arena.author.alike.sources import Hashes, K, Place, Source, SourceFile

Lines = npt.NDArray[np.int32]
"""The line, from 1, that each of some tokens begins in."""
LEAST = 8
"""Fingerprints of its own that a bot needs to be compared: some 50 tokens, or six lines."""
MOST_PLACES = 20
"""Places of a pair that are listed."""
MOST_COMPARED = 10_000_000
"""Tokens of a pair that are compared to see how far its places reach, five times what a bot has."""
_ALIGNED = 16_000
"""Tokens of a place whose lines are put side by side."""
_FIRST = 64
"""K-grams that are compared at once; twice as many each time that all are equal."""


class SourcePart(Struct, frozen=True):
    """Lines of a file of a bot, counted from 1, both ends included."""

    file: str
    first: int
    last: int
    text: str = ""
    """The beginning of these lines."""
    more: int = 0
    """The number of lines that `text` lacks, wholly or in part."""


class SharedText(Struct, frozen=True):
    """A piece of source that is in both bots, but for names, literals, comments and layout."""

    one: SourcePart
    other: SourcePart
    tokens: int
    beside: tuple[tuple[int, int], ...] = ()
    """Lines of both in which the same token begins, those of the first `_ALIGNED` tokens."""


class TextShare(Struct, frozen=True):
    """The share of each bot's own source that the other one has, too."""

    of_one: float
    of_other: float
    places: tuple[SharedText, ...]
    """The places that both have, the longest first."""
    more: int
    """Places that are no longer than those, and not listed."""
    not_placed: int
    """Shared fingerprints whose places were not looked for, since MOST_COMPARED was reached."""

    @property
    def most(self) -> float:
        """The larger share: a copy may stand in a longer text."""
        return max(self.of_one, self.of_other)


class _Shared(NamedTuple):
    """A k-gram that two bots share: the numbers of its files, and where it stands in both."""

    one: int
    other: int
    shift: int
    """How many tokens further on it stands in the other file."""
    start: int
    """Its first token in the one file."""

    @classmethod
    def at(cls, one: Place, other: Place) -> "_Shared":
        (file, start), (other_file, other_start) = one, other
        return cls(file, other_file, other_start - start, start)


def compare_text(left: Source, right: Source) -> TextShare | None:
    """Compare what is their own; None if either has too little of it. The places have no text."""
    if min(len(left.chosen), len(right.chosen)) < LEAST:
        return None
    shared = left.chosen.keys() & right.chosen.keys()
    places, not_placed = _places(left, right, shared)

    def by_length(text: SharedText) -> tuple[int, str, int, str, int]:
        return -text.tokens, text.one.file, text.one.first, text.other.file, text.other.first

    longest = sorted(places, key=by_length)[:MOST_PLACES]
    return TextShare(
        of_one=len(shared) / len(left.chosen),
        of_other=len(shared) / len(right.chosen),
        places=tuple(replace(place, beside=_beside(*places[place])) for place in longest),
        more=max(0, len(places) - MOST_PLACES),
        not_placed=not_placed,
    )


def _places(
    left: Source, right: Source, shared: Collection[int]
) -> tuple[dict[SharedText, tuple[Lines, Lines]], int]:
    """Return where shared fingerprints stand, and how many of them were not looked at.

    Each place has the lines of its tokens in both. Fingerprints that are as far apart in both bots
    stand in one place, if that reaches so far.
    """
    order = sorted(_Shared.at(left.chosen[hash_], right.chosen[hash_]) for hash_ in shared)
    places: dict[SharedText, tuple[Lines, Lines]] = {}
    compared = end = 0
    last: _Shared | None = None
    for looked_at, at in enumerate(order):
        if last and at._replace(start=last.start) == last and at.start < end:
            continue
        if compared >= MOST_COMPARED:
            return places, len(order) - looked_at
        last = at
        one, other = left.files[at.one], right.files[at.other]
        start, end = _reach(one.hashes, at.start, other.hashes, at.start + at.shift)
        size = end - start + K - 1
        compared += size
        # Views, which copy nothing.
        one_lines = one.starts[start : start + size]
        other_lines = other.starts[start + at.shift : start + at.shift + size]
        place = SharedText(_part(one, one_lines), _part(other, other_lines), size)
        places.setdefault(place, (one_lines, other_lines))
    return places, 0


def _beside(one: Lines, other: Lines) -> tuple[tuple[int, int], ...]:
    """Return the lines of both in which tokens of a place begin, in their order."""
    both = np.stack([one[:_ALIGNED], other[:_ALIGNED]], axis=1)
    new = np.ones(len(both), dtype=bool)
    new[1:] = (both[1:] != both[:-1]).any(axis=1)
    return tuple((int(left), int(right)) for left, right in both[new])


def _reach(left: Hashes, a: int, right: Hashes, b: int) -> tuple[int, int]:
    """Return from where to where the k-grams of both are equal, around `a` and `b`."""
    back = _equal(left[:a][::-1], right[:b][::-1])
    return a - back, a + _equal(left[a:], right[b:])


def _equal(left: Hashes, right: Hashes) -> int:
    """Return how many are equal before the first that is not, looking at few beyond that one."""
    most = min(left.size, right.size)
    start, size = 0, _FIRST
    while start < most:
        end = min(start + size, most)
        different = np.flatnonzero(left[start:end] != right[start:end])
        if different.size:
            return start + int(different[0])
        start, size = end, 2 * size
    return most


def _part(file: SourceFile, lines: Lines) -> SourcePart:
    return SourcePart(file.path, int(lines[0]), int(lines[-1]))
