"""The clauses as data: on which of them two rule books differ."""

from itertools import permutations

import pytest

from arena.game.rules.books import BOOKS
from arena.game.rules.clauses import CLAUSES, differs

BY_ID = {clause.id: clause for clause in CLAUSES}


@pytest.mark.parametrize(("one", "other"), list(permutations(BOOKS, 2)))
def test_two_books_differ_whichever_is_named_first(one: str, other: str) -> None:
    first, second = BOOKS[one], BOOKS[other]
    found = {clause.id for clause in CLAUSES if differs(clause, first, second)}
    assert found == {clause.id for clause in CLAUSES if differs(clause, second, first)}


def test_clauses_on_which_pressman_and_bga_differ() -> None:
    raises = BY_ID["RAISE-BOTH"]
    assert differs(raises, BOOKS["bga"], BOOKS["pressman"])
    assert differs(raises, BOOKS["pressman"], BOOKS["bga"])
    assert not differs(raises, BOOKS["bga"], BOOKS["italian"])


def test_clauses_are_frozen() -> None:
    with pytest.raises(AttributeError):
        BY_ID["DUDO"].id = "CALZA"  # type: ignore[misc]
