"""The exact numbers that the documentation states are the values of the rounds."""

from fractions import Fraction
from pathlib import Path

import pytest

from arena.game.rules.books import VARIANTS
from arena.game.rules.round import Standing, lose_die
from tests.exact.values import NO_ROUND, PALIFICO, ROUNDS, value
from tests.support.sampling import sample

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "rules.md"
HEADING = "## Exact numbers\n"

CASES = [(variant, name) for variant in VARIANTS for name in ROUNDS]


def stated() -> dict[tuple[str, str], str]:
    """Read the page's table: the text of each cell by variant and round."""
    section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    lines = [line.strip("| ") for line in section.splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip("` ") for cell in line.split("|")] for line in lines]
    return {
        (row[0], name): cell for row in rows for name, cell in zip(head[1:], row[1:], strict=True)
    }


def test_the_page_states_every_round_of_every_variant() -> None:
    assert stated().keys() == set(CASES)


@pytest.mark.parametrize(("variant", "name"), sample(CASES, 10, "exact numbers"))
def test_the_page_states_the_value(variant: str, name: str) -> None:
    assert stated()[variant, name] == value(VARIANTS[variant], name)


@pytest.mark.parametrize("cell", sorted(set(stated().values()) - {NO_ROUND}))
def test_stated_values_are_fractions(cell: str) -> None:
    assert 0 < Fraction(cell) < 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_stated_palifico_rounds_are_those_after_falling_to_one_die(variant: str) -> None:
    for name, other in PALIFICO.items():
        after = lose_die(Standing(VARIANTS[variant], (2, other), (False, False), 0), 0)
        assert (after.opener, after.dice) == (0, (1, other))
        assert (after.palifico_seat is None) == (stated()[variant, name] == NO_ROUND)
