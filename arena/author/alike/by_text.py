"""How much of their own source two bots share, and where it stands in both."""

from msgspec import Struct

from arena.author.alike.fingerprints import K
from arena.author.alike.sources import Place, Source, SourceFile

LEAST = 8
"""Fingerprints of its own that a bot needs to be compared: some 50 tokens, or six lines."""


class Part(Struct, frozen=True):
    """Lines of a file of a bot, counted from 1, both ends included."""

    file: str
    first: int
    last: int
    text: str


class SharedText(Struct, frozen=True):
    """A piece of source that is in both bots, but for names, literals, comments and layout."""

    one: Part
    other: Part
    tokens: int


class TextShare(Struct, frozen=True):
    """How much of the source that is a bot's own the other one has, too."""

    of_one: float
    of_other: float
    places: tuple[SharedText, ...]
    """The longest first."""

    @property
    def most(self) -> float:
        """The larger share: a copy may stand in a longer text."""
        return max(self.of_one, self.of_other)


def compare_text(one: Source, other: Source) -> TextShare | None:
    """Compare what is their own; None if either has too little of it."""
    if min(len(one.chosen), len(other.chosen)) < LEAST:
        return None
    shared = one.chosen.keys() & other.chosen.keys()
    found = {_whole(one, one.chosen[hash_], other, other.chosen[hash_]) for hash_ in shared}
    return TextShare(
        of_one=len(shared) / len(one.chosen),
        of_other=len(shared) / len(other.chosen),
        places=tuple(sorted(found, key=_by_length)),
    )


def _by_length(text: SharedText) -> tuple[int, str, int]:
    return -text.tokens, text.one.file, text.one.first


def _whole(one: Source, at: Place, other: Source, there: Place) -> SharedText:
    """Return the whole text that is equal around a shared k-gram."""
    (number, a), (other_number, b) = at, there
    left, right = one.files[number], other.files[other_number]
    back = 0
    while a > back and b > back and _same(left, a - back - 1, right, b - back - 1):
        back += 1
    a, b, size = a - back, b - back, back + K
    while (
        a + size < len(left.tokens)
        and b + size < len(right.tokens)
        and _same(left, a + size, right, b + size)
    ):
        size += 1
    return SharedText(_part(left, a, size), _part(right, b, size), size)


def _same(left: SourceFile, a: int, right: SourceFile, b: int) -> bool:
    return left.tokens[a].text == right.tokens[b].text


def _part(file: SourceFile, start: int, size: int) -> Part:
    first, last = file.tokens[start].line, file.tokens[start + size - 1].line
    return Part(file.path, first, last, "\n".join(file.lines[first - 1 : last]))
