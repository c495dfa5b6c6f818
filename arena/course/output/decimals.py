"""The decimal sign of a school's export, which its numbers show."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from arena.course.output.export import Line, key
from arena.io.errors import ArenaError, first_of

_NUMBER = re.compile(
    r"""'?[-+\u2212]?
    (?: (?P<whole>[0-9]+)
      | [0-9]{1,3} (?P<groups>[.,'\u2019\ ]) [0-9]{3} (?: (?P=groups) [0-9]{3} )* )
    (?: (?P<sign>[.,]) (?P<decimals>[0-9]+) )?
    (?: \ ?% )?""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_MOST = {"maximum grade", "bestwertung", "max points", "points possible", "points_available"}
"""Titles of the column with the maximum points."""
_MAX_LINES = 5


class Decimals:
    """Collects the decimal signs of a table, column by column."""

    def __init__(self, head: Sequence[str], id_at: int, mark_at: int) -> None:
        """Take the names of the columns, and the places of ids and marks."""
        self._most = [at for at, name in enumerate(head) if key(name) in _MOST]
        self._mark_at = mark_at
        self._lines: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._other = {*range(len(head))} - {id_at}

    def add(self, line: Line) -> None:
        """Note the signs in the numbers of a line."""
        for at in {self._mark_at, *self._most, *self._other}:
            text = " ".join(line.text(at).split())
            match = _NUMBER.fullmatch(text)
            if match is None:
                if _DIGIT.search(text):
                    self._other.discard(at)
            elif sign := _decimal_sign(match):
                self._lines[at][sign].append(line.number)

    def sign(self, path: Path) -> str | None:
        """Return the sign: the column of marks decides, then that of the most points.

        Else columns that hold nothing but numbers do. None if there is no sign in them. Raises
        ArenaError with the lines if those that decide have both signs.
        """
        for columns in ([self._mark_at], self._most, sorted(self._other)):
            lines = defaultdict[str, list[int]](list)
            for at in columns:
                for sign, numbers in self._lines[at].items():
                    lines[sign] += numbers
            if len(lines) > 1:
                what = (
                    f"its numbers have decimal commas in {_named(lines[','])}, "
                    f"and points in {_named(lines['.'])}"
                )
                hint = "export it again, or write all numbers in the column of marks in one way"
                raise ArenaError(what, str(path), hint)
            if lines:
                return next(iter(lines))
        return None


def with_sign(text: str, sign: str) -> str:
    """Return a number with another decimal sign, and other texts as they are."""
    return re.sub("[.,]", sign, text) if is_decimal(text) else text


def is_decimal(text: str) -> bool:
    """Whether a text is a number with a decimal sign."""
    return re.fullmatch("[0-9]+[.,][0-9]+", text) is not None


def _decimal_sign(match: re.Match[str]) -> str | None:
    """Return the sign of a number; None without one, and where it may separate thousands."""
    whole, decimals = match["whole"], match["decimals"]
    if not decimals or match["sign"] == match["groups"]:
        return None
    thousands = whole and whole[0] != "0" and len(whole) <= 3 and len(decimals) == 3
    return None if thousands else match["sign"]


def _named(lines: list[int]) -> str:
    once = sorted({*lines})
    numbers = ", ".join(first_of([*map(str, once)], _MAX_LINES))
    return f"lines {numbers}" if len(once) > 1 else f"line {numbers}"
