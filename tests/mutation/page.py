"""Reads benchmarks/results/mutation.md: how many mutants there are, which no test can notice."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[2] / "benchmarks/results/mutation.md"


class Mutant(NamedTuple):
    """A small change: its function, and the line before and after."""

    module: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.module} {self.function}: `{self.before}` → `{self.after}`"


class Counts(NamedTuple):
    """Mutants of a module: all, those that a test notices, those that change nothing."""

    mutants: int
    killed: int
    equivalent: int


def equivalent(module: str) -> Counter[Mutant]:
    """Return the mutants of a module that the page lists: they change nothing."""
    _, _, section = _text().partition(f"### `{module}`\n")
    lines = section.partition("\n### ")[0].splitlines()
    found = [re.fullmatch(r"- `(.+?)`: `(.+?)` → `(.*?)`", line) for line in lines]
    return Counter(Mutant(module, one[1], one[2], one[3]) for one in found if one)


def counts(module: str) -> Counts | None:
    """Return the counts of a module in the page's table; None if it has no row."""
    row = re.search(rf"^\| `{module}` \| (\d+) \| (\d+) \| (\d+) \|$", _text(), re.MULTILINE)
    return Counts(*map(int, row.groups())) if row else None


def _text() -> str:
    return PAGE.read_text(encoding="utf-8")
