"""Every clause of every rule book has a test that names it, and a page names the test."""

import subprocess
import sys
from itertools import combinations

import pytest

from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS
from arena.game.rules.clauses import CLAUSES, differs
from tests.rules import page

CHECK = """
from tests.rules import page
from arena.game.rules.books import VARIANTS
from arena.game.rules.clauses import CLAUSES
marks = page.collect()
known = {(book, clause.id) for book in VARIANTS for clause in CLAUSES}
print("without a test:", sorted(known - marks.keys()))
print("unknown:", sorted(marks.keys() - known))
print("page:", page.shown_by(marks) == page.TESTS.read())
"""


@pytest.fixture(scope="module")
def checked() -> list[str]:
    """Collect in a process of its own: pytest does not run within pytest."""
    ran = subprocess.run(
        [sys.executable, "-c", CHECK], capture_output=True, text=True, check=True, cwd=page.ROOT
    )
    return ran.stdout.splitlines()


@pytest.mark.slow
def test_every_clause_of_every_book_has_a_test(checked: list[str]) -> None:
    assert checked[0] == "without a test: []"


def test_every_mark_names_a_clause(checked: list[str]) -> None:
    assert checked[1] == "unknown: []"


def test_the_page_names_the_marked_tests(checked: list[str]) -> None:
    """After a change of tests or clauses: `make rules`."""
    assert checked[2] == "page: True"


def test_the_page_has_every_clause() -> None:
    """After a change of clauses: `make rules`."""
    assert page.SECTION.read() == page.clauses()


def test_every_switch_belongs_to_a_clause() -> None:
    assert {clause.switch for clause in CLAUSES} - {""} == SWITCHES | OPTIONS - {"calza"}


def test_books_that_differ_in_play_differ_in_words() -> None:
    for clause in CLAUSES:
        for one, other in combinations(VARIANTS, 2):
            if differs(clause, VARIANTS[one], VARIANTS[other]):
                assert clause.texts[one] != clause.texts[other], (clause.id, one, other)
