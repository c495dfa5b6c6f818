"""`arena rules`: the rule books in the terminal."""

import json

import pytest

from arena.game.rules.books import BOOKS, VARIANTS
from arena.game.rules.clauses import CLAUSES, differs, text, value
from tests.cli.command import ROOT, error_line, run


def test_all_books_with_every_text() -> None:
    ran = run("rules", cwd=ROOT)
    assert ran.code == 0
    for clause in CLAUSES:
        assert f"{clause.id}: {clause.title}\n" in ran.out
        for words in clause.texts.values():
            assert words in ran.out


@pytest.mark.parametrize("book", BOOKS)
def test_one_book_has_its_own_texts_and_switches(book: str) -> None:
    ran = run("rules", book, cwd=ROOT)
    assert ran.code == 0
    for clause in CLAUSES:
        said = f" [{clause.switch}: {value(clause, BOOKS[book])}]" if clause.switch else ""
        assert f"{clause.id}: {clause.title}\n  {text(clause, BOOKS[book])}{said}\n" in ran.out


def test_the_difference_of_two_books() -> None:
    ran = run("rules", "--diff", "bga", "pressman", cwd=ROOT)
    shown = [line.partition(":")[0] for line in ran.out.splitlines() if line[:1].isupper()]
    assert shown == [
        clause.id for clause in CLAUSES if differs(clause, VARIANTS["bga"], VARIANTS["pressman"])
    ]
    assert "RAISE-BOTH" in shown
    assert "TIE" not in shown
    assert "  pressman: allowed [raise_quantity_and_face: true]\n" in ran.out


def test_as_json() -> None:
    ran = run("rules", "italian", "--json", cwd=ROOT)
    clauses = {clause["id"]: clause for clause in json.loads(ran.out)}
    assert list(clauses) == [clause.id for clause in CLAUSES]
    reveal = clauses["REVEAL"]
    assert reveal["switch"] == "reveal"
    assert reveal["books"] == {"italian": {"text": "all at once", "value": "at_once"}}
    assert clauses["WIN"]["switch"] is None


def test_a_book_with_itself_has_no_difference() -> None:
    ran = run("rules", "--diff", "bga", "bga", cwd=ROOT)
    assert ran.code == 0
    assert not [line for line in ran.out.splitlines() if line[:1].isupper()]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["itallian"], "unknown variant 'itallian' / did you mean 'italian'?"),
        (["--diff", "bga", "presman"], "unknown variant 'presman' / did you mean 'pressman'?"),
        (["bga", "--diff", "bga", "classic"], "VARIANT and --diff do not go together"),
    ],
)
def test_bad_input(words: list[str], what: str) -> None:
    error_line(run("rules", *words, cwd=ROOT), what)
