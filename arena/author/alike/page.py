"""The page of a comparison: the pairs that stand out, with the source of both side by side."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from arena.author.alike.alike import Alike
from arena.author.alike.by_text import MOST_COMPARED, SharedText, SourcePart
from arena.author.alike.pairs import MOST_SHOWN, Pair
from arena.io.files import write_file
from arena.publish.templates import render

_NO_LINE = (0, "")
_END = 1 << 62
"""Beyond the last line of any file."""


class AlignedLines(Struct, frozen=True):
    """A line of one bot and the line of the other beside it; 0 stands for none."""

    one: int
    one_text: str
    other: int
    other_text: str
    same: bool
    """Whether both have the same tokens, but for names and literals."""


def aligned(shared: SharedText) -> Iterator[AlignedLines]:
    """Yield the lines of a place that are shown, side by side."""
    one, other = _Side(shared.one), _Side(shared.other)
    for left, right in [*shared.beside, (_END, _END)]:
        before = zip_longest(one.before(left), other.before(right), fillvalue=_NO_LINE)
        for line, other_line in before:
            yield AlignedLines(*line, *other_line, same=False)
        line, other_line = one.take(left), other.take(right)
        if line != _NO_LINE or other_line != _NO_LINE:
            yield AlignedLines(*line, *other_line, same=True)


class _Side:
    """The lines of one bot that are still to be put beside those of the other."""

    def __init__(self, part: SourcePart) -> None:
        lines = part.text.split("\n") if part.text else []
        self._left = deque(enumerate(lines, part.first))

    def before(self, number: int) -> list[tuple[int, str]]:
        """Take the lines before one."""
        taken = []
        while self._left and self._left[0][0] < number:
            taken.append(self._left.popleft())
        return taken

    def take(self, number: int) -> tuple[int, str]:
        """Take a line, if it is the next one."""
        return self._left.popleft() if self._left and self._left[0][0] == number else _NO_LINE


class AlikePage(Struct, frozen=True):
    """The page that shows which bots are alike."""

    alike: Alike
    out: int
    """The number of pairs that stand out."""
    shown: list[Pair]
    compared: int
    people: Mapping[str, str]
    """The name that the page shows for each bot."""
    course: str
    """The name of the course whose hand-ins they are; "" for others."""
    aligned: Callable[[SharedText], Iterator[AlignedLines]] = aligned


def shown_pairs(alike: Alike) -> list[Pair]:
    """Return the pairs that people are shown, the most unusual first."""
    return [pair for pair in alike.pairs if pair.stands_out][:MOST_SHOWN]


def render_page(
    alike: Alike, people: Mapping[str, str] = MappingProxyType({}), course: str = ""
) -> str:
    """Return a page that needs no other file; `people` says whose bots are those of a course."""
    page = AlikePage(
        alike=alike,
        out=sum(pair.stands_out for pair in alike.pairs),
        shown=shown_pairs(alike),
        compared=MOST_COMPARED,
        people={bot.name: bot.name for bot in alike.bots} | {**people},
        course=course,
    )
    return render("alike.html", page)


def write_page(alike: Alike, path: Path) -> None:
    """Write the page; raises ArenaError if it cannot be written."""
    write_file(path, render_page(alike).encode(), mode=None)
