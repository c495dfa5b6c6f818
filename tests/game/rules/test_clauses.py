"""The clauses as data: on which of them two rule books differ."""

from itertools import permutations

import pytest

from arena.game.rules.clauses import BOOKS, CLAUSES, differs

BY_ID = {clause.id: clause for clause in CLAUSES}


@pytest.mark.parametrize(("one", "other"), list(permutations(BOOKS, 2)))
def test_two_books_differ_whichever_is_named_first(one: str, other: str) -> None:
    found = {clause.id for clause in CLAUSES if differs(clause, one, other)}
    assert found == {clause.id for clause in CLAUSES if differs(clause, other, one)}


def test_clauses_on_which_pressman_and_bga_differ() -> None:
    raises = BY_ID["RAISE-BOTH"]
    assert differs(raises, "bga", "pressman")
    assert differs(raises, "pressman", "bga")
    assert not differs(raises, "bga", "italian")


def test_clauses_are_frozen() -> None:
    with pytest.raises(AttributeError):
        BY_ID["DUDO"].id = "CALZA"  # type: ignore[misc]
