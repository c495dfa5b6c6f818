"""The clauses as data: on which of them two rule books differ."""

from itertools import permutations

import pytest
from msgspec.structs import asdict, replace

from arena.game.rules.books import BGA, BOOKS, Rules, unknown_switch
from arena.game.rules.clauses import CLAUSES, differs, in_force, in_words

BY_ID = {clause.id: clause for clause in CLAUSES}
HOUSE = ("palifico", "next_opener")
"""Switches that a user of rules might not know."""


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


@pytest.mark.parametrize(
    ("rules", "without"),
    [
        (replace(BGA, calza=True), set()),
        (BGA, {"CALZA"}),
        (replace(BGA, calza=True, palifico=False), {"PAL"}),
        (replace(BGA, calza=True, pacos_wild=False), {"TO"}),
    ],
)
def test_words_of_rules_leave_out_clauses_that_are_not_played(
    rules: Rules, without: set[str]
) -> None:
    said = [title for title, _ in in_words(rules)]
    left_out = [clause for clause in CLAUSES if clause.title not in said]
    assert {clause.id.partition("-")[0] for clause in left_out} >= without
    assert all(clause.needs and not getattr(rules, clause.needs) for clause in left_out)
    assert bool(left_out) == bool(without)
    assert len(in_force(rules)) == len(said)
    assert not [line for line in in_force(rules) if "→" in line]


@pytest.mark.parametrize(
    ("rules", "unknown"),
    [
        (BGA, ""),
        (replace(BGA, palifico=False), "palifico"),
        (replace(BGA, next_opener="winner"), "next_opener"),
        (replace(BGA, calza=True), ""),
    ],
)
def test_only_a_switch_that_is_used_is_unknown(rules: Rules, unknown: str) -> None:
    book = {field for field in asdict(BGA) if field not in HOUSE}
    assert unknown_switch(rules, book) == unknown
