"""The clauses in `docs/reference/rules.md`, and the tests that show each: `make rules` writes them.

The tests are found by their marks; so the page, the marks and `arena rules` cannot disagree.
"""

import contextlib
import io
from collections import defaultdict
from pathlib import Path

import pytest

from arena.game.rules.books import VARIANTS
from arena.game.rules.clauses import CLAUSES, Clause, by_text, value
from tests.support.generated_section import GeneratedSection

ROOT = Path(__file__).parents[2]
SECTION = GeneratedSection("docs/reference/rules.md", "clauses", "rules")
TESTS = GeneratedSection("benchmarks/results/clauses.md", "tests", "rules")

Marks = dict[tuple[str, str], set[str]]
"""(book, clause id) -> the tests that show it, without their parameters."""


class _Collector:
    """A pytest plugin that collects which test shows which clause."""

    def __init__(self) -> None:
        self.marks: Marks = defaultdict(set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            for mark in item.iter_markers("clause"):
                book, clause = mark.args
                self.marks[book, clause].add(item.nodeid.partition("[")[0])


def collect() -> Marks:
    """Return the marks of all tests of this folder, without running them."""
    collector = _Collector()
    quiet = ["--collect-only", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main([*quiet, str(ROOT / "tests" / "rules")], plugins=[collector])
    if code:
        raise SystemExit(output.getvalue())
    return dict(collector.marks)


def clauses() -> str:
    """Return the clauses, in the words of each rule book."""
    return "\n".join(_entry(clause) for clause in CLAUSES)


def shown_by(marks: Marks) -> str:
    """Return the tests that show each clause, as a list."""
    return "".join(f"- {clause.id}: {'; '.join(_tests(clause, marks))}.\n" for clause in CLAUSES)


def _entry(clause: Clause) -> str:
    lines = [f"### {clause.id}: {clause.title}", ""]
    for text, books in by_text(clause):
        who = "all" if len(books) == len(VARIANTS) else ", ".join(f"`{book}`" for book in books)
        lines.append(f"- {who}: {text}")
    if clause.switch:
        values = ", ".join(f"`{book}` {value(clause, VARIANTS[book])}" for book in VARIANTS)
        alike = {value(clause, rules) for rules in VARIANTS.values()}
        lines.append(f"- switch: `{clause.switch}` ({values if len(alike) > 1 else alike.pop()})")
    lines += [f"- houses, {setting}: {words}" for setting, words in clause.houses.items()]
    return "\n".join([*lines, ""])


def _tests(clause: Clause, marks: Marks) -> list[str]:
    """Return the tests that show a clause, with the books if they do not show it for all."""
    books: dict[str, list[str]] = defaultdict(list)
    for book in VARIANTS:
        for test in sorted(marks.get((book, clause.id), ())):
            books[test].append(book)
    return [
        f"`{test}`" + ("" if len(having) == len(VARIANTS) else f" ({', '.join(having)})")
        for test, having in sorted(books.items())
    ]


if __name__ == "__main__":
    SECTION.write(clauses())
    TESTS.write(shown_by(collect()))
